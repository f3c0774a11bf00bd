"""POST /api/v1/pools/{slug}/events: exact answers, statuses and problem types."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest

from numbers import pool as commands
from numbers import services
from numbers.models import Pool
from poolsite import hotpath
from poolsite.access.models import ApiToken
from poolsite.access.services import token_revoke
from tests.numbers.people import in_thread, make_pool, send, tenant, token_for
from tests.support.waiting import eventually, patient

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_redis")]

EVENTS = "/api/v1/pools/east/events"


class Caller:
    """A machine with a token that calls the application in this process."""

    def __init__(self, client: httpx.AsyncClient, secret: str = "") -> None:
        self._client = client
        self._headers = {"Authorization": f"Bearer {secret}"} if secret else {}

    async def post(self, body: Any, path: str = EVENTS, **headers: str) -> httpx.Response:
        raw = {"content": body} if isinstance(body, bytes) else {"json": body}
        return await self._client.post(path, headers=self._headers | headers, **raw)

    async def get(self, path: str, **parameters: str) -> httpx.Response:
        return await self._client.get(path, headers=self._headers, params=parameters)


@pytest.fixture
async def client() -> AsyncIterator[httpx.AsyncClient]:
    from poolsite.asgi import application

    transport = httpx.ASGITransport(app=application)
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
        yield client


@pytest.fixture
async def pool() -> Pool:
    return await in_thread(make_pool)("east", numbers=3)


@pytest.fixture
async def caller(client: httpx.AsyncClient, pool: Pool) -> Caller:
    return Caller(client, await in_thread(token_for)(pool))


async def test_a_call_answers_with_number_state_lease_and_time(caller: Caller) -> None:
    response = await caller.post({"event": "call", "call_id": "a", "agent": "alice"})
    assert response.status_code == 200
    assert response.headers["content-type"] == "application/json"
    assert response.headers["x-content-type-options"] == "nosniff"
    body = response.json()
    as_of = body.pop("as_of")
    assert abs(as_of - int(body_time())) < 5_000_000
    assert body == {
        "outcome": "ok",
        "number": "+8613800000000",
        "state": "busy+up",
        "reason": "",
        "lease_seconds": 14400,
    }


def body_time() -> float:
    seconds, micros = hotpath.client().time()
    return float(seconds * 1_000_000 + micros)


async def test_the_same_call_id_again_answers_the_same_number(caller: Caller) -> None:
    first = (await caller.post({"event": "call", "call_id": "a"})).json()
    again = (await caller.post({"event": "call", "call_id": "a"})).json()
    assert (again["number"], again["reason"]) == (first["number"], "repeat")


async def test_a_number_is_cleaned_at_this_face(caller: Caller) -> None:
    response = await caller.post({"event": "add", "number": "００８６ 138-0000"})
    assert response.json()["number"] == "+861380000"


@pytest.mark.parametrize(
    ("event", "status", "kind", "reason"),
    [
        ({"event": "reg", "number": "999"}, 404, "unknown-number", "unknown number"),
        ({"event": "hangup", "number": "+8613800000000"}, 409, "not-allowed", "not in a call"),
        ({"event": "renew", "call_id": "never"}, 404, "unknown-call", "unknown call"),
        (
            {"event": "call", "call_id": "x", "incarnation": "1"},
            422,
            "malformed",
            "malformed incarnation",
        ),
    ],
)
async def test_what_is_not_allowed_is_a_problem_with_its_type(
    caller: Caller, event: dict[str, str], status: int, kind: str, reason: str
) -> None:
    response = await caller.post(event)
    assert response.status_code == status
    assert response.headers["content-type"] == "application/problem+json"
    body = response.json()
    assert (body["type"], body["status"], body["reason"]) == (kind, status, reason)
    assert body["as_of"] > 0
    assert body["title"]


async def test_an_exhausted_pool_answers_409(caller: Caller) -> None:
    for index in range(3):
        assert (await caller.post({"event": "call", "call_id": f"{index}"})).status_code == 200
    response = await caller.post({"event": "call", "call_id": "one too many"})
    body = response.json()
    assert (response.status_code, body["type"], body["outcome"]) == (409, "exhausted", "failed")


async def test_a_paused_pool_answers_409_and_other_events_work(caller: Caller, pool: Pool) -> None:
    await in_thread(services.pool_pause)(actor="test", pool=pool, reason="carrier down")
    response = await caller.post({"event": "call"})
    assert (response.status_code, response.json()["type"]) == (409, "paused")
    assert (await caller.post({"event": "reg", "number": "+8613800000000"})).status_code == 200


async def test_a_charged_pool_asks_for_payment(caller: Caller, pool: Pool) -> None:
    await in_thread(services.pool_configure)(actor="test", pool=pool, charged=True)
    response = await caller.post({"event": "call", "call_id": "a"})
    assert (response.status_code, response.json()["type"]) == (402, "payment-required")


async def test_an_inbound_call_names_the_agent_who_used_the_number_last(caller: Caller) -> None:
    number = "+8613800000000"
    await caller.post({"event": "call", "number": number, "call_id": "a", "agent": "alice"})
    await caller.post({"event": "hangup", "call_id": "a"})
    response = await caller.post(
        {"event": "call", "number": number, "direction": "in", "call_id": "b"}
    )
    assert response.json()["agent"] == "alice"


# -- permissions -------------------------------------------------------------------------------


async def test_nobody_gets_401_and_is_told_how(client: httpx.AsyncClient, pool: Pool) -> None:
    for secret in ("", "ps_wrong", "x" * 5000):
        response = await Caller(client, secret).post({"event": "call"})
        assert (response.status_code, response.json()["type"]) == (401, "unauthenticated")
        assert "Bearer" in response.headers["www-authenticate"]


async def test_a_foreign_pool_looks_like_a_missing_one(
    client: httpx.AsyncClient, pool: Pool
) -> None:
    south = await in_thread(tenant)("south")
    stranger = Caller(client, await in_thread(token_for)(account=south.account))
    foreign = await stranger.post({"event": "call"})
    missing = await stranger.post({"event": "call"}, path="/api/v1/pools/nowhere/events")
    assert foreign.status_code == missing.status_code == 404
    assert foreign.json() == missing.json()
    assert foreign.json()["type"] == "unknown-pool"


async def test_a_token_sends_only_its_events_as_its_switch_to_its_pool(
    client: httpx.AsyncClient, pool: Pool
) -> None:
    other = await in_thread(make_pool)("west")
    secret = await in_thread(token_for)(pool, events=["call", "hangup"], switch="fs1")
    caller = Caller(client, secret)
    assert (await caller.post({"event": "call", "call_id": "a"})).status_code == 200
    for event in ({"event": "del", "number": "+8613800000001"}, {"event": "call", "switch": "fs2"}):
        response = await caller.post(event)
        assert (response.status_code, response.json()["type"]) == (403, "forbidden")
    elsewhere = await caller.post({"event": "call"}, path=f"/api/v1/pools/{other.slug}/events")
    assert elsewhere.status_code == 403
    batch = await caller.post(
        [{"event": "hangup", "call_id": "a"}, {"event": "del", "number": "101"}]
    )
    assert [item["status"] for item in batch.json()] == [200, 403]


async def test_a_token_without_the_action_is_refused(client: httpx.AsyncClient, pool: Pool) -> None:
    secret = await in_thread(token_for)(pool, actions=["numbers.view"])
    response = await Caller(client, secret).post({"event": "call"})
    assert response.status_code == 403


async def test_a_revoked_token_is_refused_within_a_second(caller: Caller) -> None:
    assert (await caller.post({"event": "call", "call_id": "a"})).status_code == 200
    token = await in_thread(ApiToken.objects.get)()
    await in_thread(token_revoke)(token=token, actor="test")
    async with asyncio.timeout(patient(1)):
        status = 200
        while status != 401:
            status = (await caller.post({"event": "call", "call_id": "a"})).status_code


async def test_a_cookie_opens_nothing_here(client: httpx.AsyncClient, pool: Pool) -> None:
    response = await client.post(EVENTS, json={"event": "call"}, headers={"Cookie": "session=x"})
    assert response.status_code == 401


# -- bad bodies --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "status", "kind"),
    [
        (b"", 422, "malformed"),
        (b"{", 422, "malformed"),
        (b"[]", 422, "malformed"),
        (b"\xff\xfe", 422, "malformed"),
        (b'{"event":"call","agent":"\\u0000"}', 422, "malformed"),
        (b'{"event":"call","expires":NaN}', 422, "malformed"),
        (b'{"event":"add","number":"101","number":"102"}', 422, "malformed"),
        (b'{"event":"call","unknown":1}', 422, "malformed"),
        (b'{"event":"add","number":"abc"}', 422, "malformed"),
        (b"[" + b'{"event":"call"},' * 1000 + b'{"event":"call"}]', 422, "malformed"),
        (b" " * 1_000_001, 413, "too-large"),
    ],
)
async def test_a_bad_body_executes_nothing(
    caller: Caller, body: bytes, status: int, kind: str
) -> None:
    before = hotpath.client().hget("{east}", "seq")
    response = await caller.post(body)
    assert (response.status_code, response.json()["type"]) == (status, kind)
    assert hotpath.client().hget("{east}", "seq") == before


async def test_another_media_type_is_refused(caller: Caller) -> None:
    response = await caller.post(b"event=call", **{"Content-Type": "text/plain"})
    assert (response.status_code, response.json()["type"]) == (415, "media-type")


async def test_other_methods_are_refused_with_those_that_work(caller: Caller) -> None:
    response = await caller.get(EVENTS)
    assert (response.status_code, response.headers["allow"]) == (405, "POST")


# -- batches -----------------------------------------------------------------------------------


async def test_a_batch_is_executed_in_order_and_answered_item_by_item(
    caller: Caller, pool: Pool
) -> None:
    await in_thread(services.pool_configure)(actor="test", pool=pool, added_by_script="lend")
    response = await caller.post(
        [
            {"event": "add", "number": "500"},
            {"event": "reg", "number": "500"},
            {"event": "call", "number": "500", "call_id": "a"},
            {"event": "dance"},
            {"event": "call", "number": "500", "call_id": "b"},
            {"event": "call", "call_id": "w", "wait_ms": 50},
            {"event": "hangup", "call_id": "a"},
            {"event": "del", "number": "500"},
        ]
    )
    assert response.status_code == 200
    answers = response.json()
    assert [(item["status"], item["outcome"]) for item in answers] == [
        (200, "ok"),
        (200, "ok"),
        (200, "ok"),
        (422, "error"),
        (409, "error"),
        (422, "error"),
        (200, "ok"),
        (200, "ok"),
    ]
    assert all(item["as_of"] > 0 for item in answers)
    assert answers[4]["reason"] == "busy"


async def test_a_batch_of_a_thousand_is_whole(caller: Caller) -> None:
    events = [{"event": "add", "number": str(10_000 + index)} for index in range(1000)]
    answers = (await caller.post(events)).json()
    assert [item["number"] for item in answers] == [event["number"] for event in events]
    figures = await hotpath.arun(commands.show("east"))
    assert figures is not None
    assert figures.numbers == 1003


# -- waiting -----------------------------------------------------------------------------------


async def take_all(caller: Caller) -> None:
    for index in range(3):
        await caller.post({"event": "call", "call_id": f"busy-{index}"})


async def wait_count(count: int) -> None:
    """Return when `count` calls wait."""

    async def wait() -> bool:
        figures = await hotpath.arun(commands.show("east"))
        return figures is not None and figures.waiting == count

    await eventually(wait)


async def test_a_waiting_call_gets_the_next_free_number(caller: Caller) -> None:
    await take_all(caller)
    waiting = asyncio.create_task(caller.post({"event": "call", "call_id": "w", "wait_ms": 20_000}))
    await wait_count(1)
    assert not waiting.done()
    freed = (await caller.post({"event": "hangup", "call_id": "busy-1"})).json()["number"]
    async with asyncio.timeout(patient(3)):
        answer = (await waiting).json()
    assert (answer["outcome"], answer["number"]) == ("ok", freed)


async def test_waiters_are_served_first_come_first_served(caller: Caller) -> None:
    await take_all(caller)
    tasks = []
    for index in range(3):
        event = {"event": "call", "call_id": f"w{index}", "wait_ms": 20_000}
        tasks.append(asyncio.create_task(caller.post(event)))
        await wait_count(index + 1)
    served = []
    for index in range(3):
        await caller.post({"event": "hangup", "call_id": f"busy-{index}"})
        async with asyncio.timeout(patient(3)):
            done, _ = await asyncio.wait(
                [task for task in tasks if task not in served],
                return_when=asyncio.FIRST_COMPLETED,
            )
        served += list(done)
    assert served == tasks


async def test_a_call_that_waits_in_vain_is_exhausted_once(caller: Caller) -> None:
    await take_all(caller)
    response = await caller.post({"event": "call", "call_id": "w", "wait_ms": 150})
    assert (response.status_code, response.json()["type"]) == (409, "exhausted")
    figures = await hotpath.arun(commands.show("east"))
    assert figures is not None
    assert (figures.blocked, figures.waiting) == (1, 0)


async def test_a_call_that_waits_needs_an_id(caller: Caller) -> None:
    response = await caller.post({"event": "call", "wait_ms": 100})
    assert (response.status_code, response.json()["type"]) == (422, "malformed")


# -- live lists --------------------------------------------------------------------------------


async def test_a_live_list_renews_and_names_both_kinds_of_ghosts(caller: Caller) -> None:
    who = {"switch": "fs1", "incarnation": "i1"}
    await caller.post({"event": "call", "call_id": "a", **who})
    answer = await caller.post(
        {**who, "calls": [{"call_id": "a"}, {"call_id": "ghost", "number": "+8613800000001"}]},
        path="/api/v1/pools/east/live",
    )
    assert answer.status_code == 200
    body = answer.json()
    assert (body["renewed"], body["hang_up"]) == (1, [])
    assert body["call_without_lease"] == [{"call_id": "ghost", "number": "+8613800000001"}]
    assert body["as_of"] > 0


async def test_a_large_live_list_is_taken_in_parts(caller: Caller) -> None:
    who = {"switch": "fs1", "incarnation": "i1"}
    calls = [{"call_id": f"c{index}"} for index in range(2500)]
    body = (await caller.post({**who, "calls": calls}, path="/api/v1/pools/east/live")).json()
    assert len(body["call_without_lease"]) == 2500


@pytest.mark.parametrize(
    "body",
    [
        {"switch": "fs1", "calls": []},
        {"switch": "fs1", "incarnation": "i", "calls": [{"number": "101"}]},
        {"switch": "fs1", "incarnation": "i", "calls": {}, "as_of": -1},
        {"switch": "fs1", "incarnation": "i", "calls": [], "as_of": 2**53 + 1},
        [],
    ],
)
async def test_a_bad_live_list_is_malformed(caller: Caller, body: Any) -> None:
    response = await caller.post(body, path="/api/v1/pools/east/live")
    assert (response.status_code, response.json()["type"]) == (422, "malformed")


async def test_a_restarted_switch_has_its_old_calls_released_at_once(
    caller: Caller, pool: Pool
) -> None:
    await in_thread(services.switch_create)(actor="test", pool=pool, name="fs1", kind="media")
    for index in range(3):
        await caller.post(
            {"event": "call", "call_id": f"{index}", "switch": "fs1", "incarnation": "i1"}
        )
    await caller.post(
        {"event": "reg", "number": "+8613800000000", "switch": "fs1", "incarnation": "i2"}
    )

    async def are_released() -> bool:
        figures = await hotpath.arun(commands.show("east"))
        assert figures is not None
        return figures.busy_up == 0

    await eventually(are_released, 2)
    stale = await caller.post(
        {"event": "hangup", "call_id": "0", "switch": "fs1", "incarnation": "i1"}
    )
    assert (stale.status_code, stale.json()["type"]) == (409, "stale-incarnation")


# -- without Redis -----------------------------------------------------------------------------


async def test_without_redis_the_answer_is_503_and_nothing_is_changed(caller: Caller) -> None:
    assert (await caller.post({"event": "call", "call_id": "a"})).status_code == 200
    with hotpath.connect("redis://127.0.0.1:1", hotpath.Limits(attempts=2)):
        response = await caller.post({"event": "call", "call_id": "b"})
        batch = await caller.post([{"event": "call", "call_id": "c"}])
    assert (response.status_code, response.json()["type"]) == (503, "unavailable")
    assert response.headers["retry-after"] == "1"
    assert batch.json()[0]["status"] == 503


async def test_a_lost_pool_answers_503_until_it_is_rebuilt(caller: Caller) -> None:
    assert (await caller.post({"event": "call", "call_id": "a"})).status_code == 200
    for key in hotpath.client().keys("{east}*"):
        hotpath.client().delete(key)
    response = await caller.post({"event": "call", "call_id": "b"})
    assert (response.status_code, response.json()["type"]) == (503, "unavailable")


async def test_a_number_of_the_pool_is_seen_by_the_script_too(caller: Caller) -> None:
    await caller.post({"event": "add", "number": "777"})
    assert send("east", "reg", "777").ok
