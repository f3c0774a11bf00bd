"""Reports, permits and the seed's pair by HTTP: exact answers, statuses and problem types."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest

from poolsite import hotpath
from poolsite.runtime.redis_server import RedisServer
from queueing.admission.api import directory, reports
from queueing.admission.models import Gate
from tests.admission.people import load_due, make_batch, make_gate, show, token_for
from tests.numbers.people import in_thread, tenant
from tests.support.calls import Calls, calls_of

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_redis")]

REPORT = "/api/v1/devices/a/report"


class Caller:
    """A machine with a token that calls the application in this process."""

    def __init__(self, client: httpx.AsyncClient, secret: str = "") -> None:
        self._client = client
        self._headers = {"Authorization": f"Bearer {secret}"} if secret else {}

    async def post(self, path: str, body: Any = None) -> httpx.Response:
        raw = (
            {"content": body} if isinstance(body, bytes) else {"json": {} if body is None else body}
        )
        return await self._client.post(path, headers=self._headers, **raw)


@pytest.fixture
async def client() -> AsyncIterator[httpx.AsyncClient]:
    from poolsite.asgi import application

    transport = httpx.ASGITransport(app=application)
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
        yield client


@pytest.fixture
async def gate() -> Gate:
    return await in_thread(make_gate)(cap=2)


@pytest.fixture
async def caller(client: httpx.AsyncClient, gate: Gate) -> Caller:
    return Caller(client, await in_thread(token_for)(gate))


# -- devices -------------------------------------------------------------------------------------


async def test_a_report_fetches_a_task_and_a_later_one_returns_its_result(
    caller: Caller, gate: Gate
) -> None:
    await in_thread(make_batch)(gate, ["a"])
    first = (await caller.post(REPORT)).json()
    assert first["payload"] == "do a"
    assert first["task"].startswith("tower.")
    again = (await caller.post(REPORT)).json()
    assert 0 <= first.pop("remaining_ms") - again.pop("remaining_ms") < 60_000
    assert again == first
    result = {"task": first["task"], "token": first["token"], "ok": True, "data": {"n": [1, "\n"]}}
    after = await caller.post(REPORT, {"results": [result, result]})
    assert after.status_code == 200
    assert after.json() == {
        "task": None,
        "token": None,
        "deadline": None,
        "retry_after": 60,
        "results": [
            {"task": first["task"], "outcome": "accepted"},
            {"task": first["task"], "outcome": "repeat"},
        ],
    }


async def test_a_device_that_waits_is_told_its_place_and_when_to_come_again(
    caller: Caller, gate: Gate
) -> None:
    await in_thread(make_batch)(gate, ["a", "b", "c", "d"])
    for device in "ab":
        assert (await caller.post(f"/api/v1/devices/{device}/report")).json()["task"]
    waits = [(await caller.post(f"/api/v1/devices/{device}/report")).json() for device in "cd"]
    assert [(item["reason"], item["place"]) for item in waits] == [("full", 1), ("full", 2)]
    assert all(1 <= item["retry_after"] <= 60 for item in waits)


async def test_without_a_worker_a_device_is_told_that_its_task_is_loading(
    caller: Caller, gate: Gate
) -> None:
    await in_thread(make_batch)(gate, ["a"], load=False)
    waits = (await caller.post(REPORT)).json()
    assert (waits["task"], waits["reason"], waits["retry_after"]) == (None, "loading", 60)
    await in_thread(load_due)()  # a worker ran
    assert (await caller.post(REPORT)).json()["payload"] == "do a"


async def test_a_result_for_a_task_it_never_had_is_named_and_changes_nothing(
    caller: Caller, gate: Gate
) -> None:
    batch = await in_thread(make_batch)(gate, ["a", "b"])
    task = await in_thread(lambda: batch.tasks.get(device="b").pk)()
    before = await in_thread(show)()
    for name in (f"tower.{task}", "tower.999999", "elsewhere.1"):
        body = {"results": [{"task": name, "token": 10**15, "ok": True}]}
        answer = (await caller.post("/api/v1/devices/x/report", body)).json()
        assert answer["task"] is None
        assert answer["results"] == [{"task": name, "outcome": "unknown-task"}]
    after = await in_thread(show)()
    assert after.seq == before.seq


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"", 422),
        (b"{", 422),
        (b'{"results": [{}]}', 422),
        (b'{"results": "none"}', 422),
        (b'{"colour": "red"}', 422),
        (b'{"renew": -1}', 422),
        (b'{"renew": 1e15}', 422),
        (b'{"renew": NaN}', 422),
        (b'{"renew": "1700000000000000"}', 422),
        (b'{"renew": null, "renew": null}', 422),
        (b'{"results":[{"task":"tower.1","token":1700000000000000,"ok":1}]}', 422),
        (b'{"results":[{"task":"tower.-1","token":1700000000000000,"ok":true}]}', 422),
        (b'{"results":[{"task":"tower.1\\u0000","token":1700000000000000,"ok":true}]}', 422),
        ('{"results":[{"task":"tower.１","token":1700000000000000,"ok":true}]}'.encode(), 422),
        (b'{"results":[{"task":"a.1","token":99999999999999999,"ok":true}]}', 422),
        (b'\xff\xfe{"results":[]}', 422),
        (b'{"results":[' + b"1," * 200_001 + b"1]}", 413),
    ],
)
async def test_a_bad_report_is_refused_and_changes_nothing(
    caller: Caller, gate: Gate, body: bytes, status: int
) -> None:
    await in_thread(make_batch)(gate, ["a"])
    before = await in_thread(show)()
    response = await caller.post(REPORT, body)
    assert (response.status_code, response.headers["content-type"]) == (
        status,
        "application/problem+json",
    )
    after = await in_thread(show)()
    assert (after.seq, after.refused) == (before.seq, before.refused)


async def test_data_of_a_result_is_kept_within_its_limit(caller: Caller, gate: Gate) -> None:
    await in_thread(make_batch)(gate, ["a"])
    first = (await caller.post(REPORT)).json()
    result = {"task": first["task"], "token": first["token"], "ok": True, "data": "x" * 9_000}
    assert (await caller.post(REPORT, {"results": [result]})).status_code == 422
    assert (await caller.post(REPORT)).json()["token"] == first["token"]


@pytest.mark.parametrize("device", ["a%20b", "%EF%BC%91", "x" * 64, "-a", "a%00", "%2e%2e%40"])
async def test_a_bad_device_is_refused(caller: Caller, device: str) -> None:
    response = await caller.post(f"/api/v1/devices/{device}/report")
    assert response.status_code in (404, 422)


async def test_a_token_for_one_device_opens_nothing_for_another(
    client: httpx.AsyncClient, gate: Gate
) -> None:
    await in_thread(make_batch)(gate, ["a", "b"])
    secret = await in_thread(token_for)(gate, resources=["gate:tower", "device:a"])
    caller = Caller(client, secret)
    assert (await caller.post(REPORT)).json()["task"]
    foreign = await caller.post("/api/v1/devices/b/report")
    assert (foreign.status_code, foreign.json()["type"]) == (404, "unknown-device")
    assert (await in_thread(show)()).used == 1


async def test_a_foreign_tenants_gate_looks_missing(client: httpx.AsyncClient) -> None:
    mine, other = await in_thread(tenant)("mine"), await in_thread(tenant)("other")
    gate = await in_thread(make_gate)(account=mine.account)
    await in_thread(make_batch)(gate, ["a"])
    caller = Caller(client, await in_thread(token_for)(account=other.account, resources=["*"]))
    assert (await caller.post("/api/v1/gates/tower/acquire", {"holder": "h"})).status_code == 404
    assert (await caller.post(f"{REPORT}?gate=tower")).status_code == 404
    assert (await caller.post(REPORT)).json()["task"] is None
    narrow = Caller(
        client, await in_thread(token_for)(account=other.account, resources=["gate:tower"])
    )
    assert (await narrow.post(REPORT)).json()["task"] is None
    assert (await in_thread(show)()).used == 0


async def test_a_token_of_several_gates_finds_the_one_with_work(client: httpx.AsyncClient) -> None:
    first, second = await in_thread(make_gate)("first"), await in_thread(make_gate)("second")
    await in_thread(make_batch)(first, ["b"])
    await in_thread(make_batch)(second, ["a"])
    caller = Caller(client, await in_thread(token_for)(first, second))
    told = (await caller.post(REPORT)).json()
    assert told["task"].startswith("second.")
    result = {"task": told["task"], "token": told["token"], "ok": True}
    after = (await caller.post(REPORT, {"results": [result]})).json()
    assert after["results"][0]["outcome"] == "accepted"
    nothing = await caller.post("/api/v1/devices/stranger/report")
    assert nothing.json()["task"] is None


async def test_a_tokens_gates_are_found_beside_more_busy_gates_than_are_read(
    client: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (directory, reports):
        monkeypatch.setattr(module, "BUSY_LIMIT", 1)
    for slug in ("first", "second", "third"):
        await in_thread(make_batch)(await in_thread(make_gate)(slug), ["a"])
    secret = await in_thread(token_for)(resources=["gate:second", "gate:third"])
    told = (await Caller(client, secret).post(REPORT)).json()
    assert told["task"].startswith("second.")


async def test_of_several_gates_one_that_is_loading_says_so(client: httpx.AsyncClient) -> None:
    first, second = await in_thread(make_gate)("first"), await in_thread(make_gate)("second")
    await in_thread(make_batch)(first, ["b"])
    await in_thread(make_batch)(second, ["a"], load=False)
    caller = Caller(client, await in_thread(token_for)(first, second))
    assert (await caller.post(REPORT)).json()["reason"] == "loading"
    assert (await caller.post("/api/v1/devices/b/report")).json()["task"].startswith("first.")


# -- permits -------------------------------------------------------------------------------------


async def test_a_permit_is_acquired_renewed_and_released(caller: Caller) -> None:
    got = (await caller.post("/api/v1/gates/tower/acquire", {"holder": "h"})).json()
    assert got["granted"] is True
    renewed = await caller.post("/api/v1/gates/tower/renew", {"holder": "h", "token": got["token"]})
    assert renewed.json()["deadline"] >= got["deadline"]
    body = {"holder": "h", "token": got["token"], "ok": True, "took_ms": 12}
    assert (await caller.post("/api/v1/gates/tower/release", body)).json() == {
        "released": True,
        "reason": "",
    }
    assert (await caller.post("/api/v1/gates/tower/release", body)).json() == {
        "released": False,
        "reason": "not held",
    }


def calls() -> Calls:
    return calls_of(hotpath.client())


async def test_requests_that_come_together_share_commands_and_each_has_its_own_answer(
    caller: Caller, gate: Gate
) -> None:
    await caller.post("/api/v1/gates/tower/acquire", {"holder": "h0"})
    before = await in_thread(calls)()
    posts = [
        caller.post("/api/v1/gates/tower/acquire", {"holder": f"h{place}"}) for place in range(40)
    ]
    answers = [response.json() for response in await asyncio.gather(*posts)]
    ran = await in_thread(calls)() - before
    assert 0 < ran["fcall"] + ran["evalsha"] + ran["eval"] < 40
    assert [answer["granted"] for answer in answers] == [True, True] + [False] * 38
    assert answers[0]["token"] < answers[1]["token"]
    assert [answer["place"] for answer in answers[2:]] == list(range(1, 39))


async def test_the_seeds_pair_counts(caller: Caller) -> None:
    answers = [(await caller.post("/api/v1/gates/tower/incr", b"")).json() for _ in range(3)]
    assert answers == [{"done": 1, "count": 1}, {"done": 1, "count": 2}, {"done": 0, "count": 2}]
    down = [(await caller.post("/api/v1/gates/tower/decr", b"")).json() for _ in range(3)]
    assert down == [{"done": 1, "count": 1}, {"done": 1, "count": 0}, {"done": 0, "count": 0}]


async def test_the_external_system_tells_its_own_count(caller: Caller) -> None:
    told = (await caller.post("/api/v1/gates/tower/observe", {"count": 3})).json()
    assert told == {"cap": 2, "used": 0, "over": True}
    assert (await caller.post("/api/v1/gates/tower/observe", {"count": -1})).status_code == 422


async def test_who_may_not_is_told_so(client: httpx.AsyncClient, gate: Gate) -> None:
    assert (await Caller(client).post(REPORT)).status_code == 401
    looker = Caller(client, await in_thread(token_for)(gate, actions=["admission.view"]))
    acquire = await looker.post("/api/v1/gates/tower/acquire", {"holder": "h"})
    assert acquire.status_code == 403
    caller = Caller(client, await in_thread(token_for)(gate))
    assert (await caller.post("/api/v1/gates/none/acquire", {"holder": "h"})).status_code == 404
    assert (await client.get("/api/v1/gates/tower/acquire")).status_code == 405


async def test_a_gate_that_redis_lost_answers_503(caller: Caller) -> None:
    await in_thread(lambda: hotpath.client().flushall())()
    response = await caller.post("/api/v1/gates/tower/acquire", {"holder": "h"})
    assert (response.status_code, response.json()["type"]) == (503, "unavailable")


async def test_a_full_redis_takes_a_permit_back_and_grants_none(
    caller: Caller, gate: Gate, clean_redis: RedisServer
) -> None:
    held = (await caller.post("/api/v1/gates/tower/acquire", {"holder": "a"})).json()
    release = {"holder": "a", "token": held["token"]}
    with clean_redis.client() as client:
        client.config_set("maxmemory", 1)
        try:
            refused, given_back = await asyncio.gather(
                caller.post("/api/v1/gates/tower/acquire", {"holder": "b"}),
                caller.post("/api/v1/gates/tower/release", release),
            )
        finally:
            client.config_set("maxmemory", 0)
    assert (refused.status_code, refused.json()["type"]) == (503, "unavailable")
    assert given_back.status_code == 200
    assert (await in_thread(show)(gate.slug)).used == 0
