"""Acquires that wait: answered at the permit or in time; nothing remains of abandoned ones."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest

from poolsite import hotpath
from poolsite.access.models import ApiToken
from poolsite.access.rights import watches as rights
from poolsite.access.rights.cache import CACHE
from poolsite.access.services import token_revoke
from poolsite.api import lane
from poolsite.api import waiting as waiters
from queueing.admission import gate as commands
from queueing.admission.models import Gate
from tests.admission.people import make_gate, show, token_for
from tests.numbers.people import in_thread
from tests.support.lossy import URL
from tests.support.waiting import eventually

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_redis")]

PATH = "/api/v1/gates/tower/acquire"


@pytest.fixture
async def gate() -> Gate:
    return await in_thread(make_gate)(cap=2)


@pytest.fixture
async def secret(gate: Gate) -> str:
    return str(await in_thread(token_for)(gate))


@pytest.fixture
async def client(secret: str) -> AsyncIterator[httpx.AsyncClient]:
    from poolsite.asgi import application

    async with httpx.AsyncClient(
        transport=httpx.ASGITransport(app=application),
        base_url=URL,
        headers={"Authorization": f"Bearer {secret}"},
        timeout=60,
    ) as client:
        yield client


class Caller:
    """A connection that ends when told to, as a server reports it to the application."""

    def __init__(self, secret: str) -> None:
        self._secret = secret
        self.left = asyncio.Event()
        self._sent = False
        self._body = b""

    async def ask(self, **body: Any) -> None:
        from poolsite.asgi import application

        self._body = json.dumps(body).encode()
        scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": "POST",
            "path": PATH,
            "raw_path": PATH.encode(),
            "query_string": b"",
            "root_path": "",
            "scheme": "http",
            "headers": [
                (b"host", b"localhost"),
                (b"authorization", f"Bearer {self._secret}".encode()),
                (b"content-type", b"application/json"),
                (b"content-length", str(len(self._body)).encode()),
            ],
            "client": ("127.0.0.1", 9),
            "server": ("localhost", 80),
        }
        await application(scope, self._receive, self._send)

    async def _receive(self) -> dict[str, Any]:
        if not self._sent:
            self._sent = True
            return {"type": "http.request", "body": self._body, "more_body": False}
        await self.left.wait()
        return {"type": "http.disconnect"}

    async def _send(self, message: Any) -> None:
        """No client reads the answer."""


async def figures() -> commands.GateFigures:
    return await in_thread(show)()


async def full() -> int:
    """Take all slots. Return the token."""
    permit: commands.Permit = await hotpath.arun(commands.acquire("tower", "first", 2))
    return permit.token


def waiting(count: int) -> Any:
    return lambda: in_thread(lambda: show().waiting == count)()


async def test_the_answer_comes_with_the_permit(client: httpx.AsyncClient, gate: Gate) -> None:
    token = await full()
    asked = {"holder": "b", "wait_ms": 60_000, "weight": 2}
    asking = asyncio.create_task(client.post(PATH, json=asked))
    await eventually(waiting(1))
    assert not asking.done()
    await hotpath.arun(commands.release("tower", "first", token))
    told = (await asking).json()
    assert (told["granted"], told["reason"]) == (True, "")
    assert told["waited_ms"] > 0
    now = await figures()
    assert (now.used, now.permits, now.waiting, now.refused) == (2, 1, 0, 0)
    assert waiters.room().count == 0


async def test_when_the_time_is_up_no_turn_stays_unless_it_is_kept(
    client: httpx.AsyncClient, gate: Gate
) -> None:
    await full()
    told = (await client.post(PATH, json={"holder": "b", "wait_ms": 20})).json()
    assert (told["granted"], told["reason"], told["place"]) == (False, "full", 1)
    assert (await figures()).waiting == 0
    assert (await figures()).refused == 1
    kept = {"holder": "b", "wait_ms": 20, "keep_place": True}
    await client.post(PATH, json=kept)
    assert (await figures()).waiting == 1


async def test_a_client_that_leaves_keeps_neither_turn_nor_permit(secret: str) -> None:
    token = await full()
    caller = Caller(secret)
    asking = asyncio.create_task(caller.ask(holder="b", wait_ms=60_000))
    await eventually(waiting(1))
    caller.left.set()
    await asking
    await eventually(waiting(0))
    await hotpath.arun(commands.release("tower", "first", token))
    assert (await figures()).used == 0


async def test_a_token_that_is_revoked_while_it_waits_gets_no_permit(
    client: httpx.AsyncClient, gate: Gate, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(waiters, "WATCHED_AFTER_SECONDS", 0.01)
    token = await full()
    asking = asyncio.create_task(client.post(PATH, json={"holder": "b", "wait_ms": 60_000}))
    await eventually(waiting(1))
    await eventually(lambda: rights.watched() == 1)
    await in_thread(lambda: token_revoke(token=ApiToken.objects.get(), actor="test"))()
    answer = await asking
    assert (answer.status_code, answer.json()["type"]) == (401, "unauthenticated")
    await eventually(waiting(0))
    assert rights.watched() == 0
    await hotpath.arun(commands.release("tower", "first", token))
    assert (await figures()).used == 0


async def test_a_token_that_is_revoked_while_its_body_is_sent_does_nothing(
    client: httpx.AsyncClient, gate: Gate, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lane, "SLOW_BODY_SECONDS", 0.0)

    async def body() -> AsyncIterator[bytes]:
        yield b'{"holder":'
        await in_thread(lambda: token_revoke(token=ApiToken.objects.get(), actor="test"))()
        await eventually(lambda: not CACHE._entries)
        yield b'"b"}'

    answer = await client.post(PATH, content=body(), headers={"Content-Type": "application/json"})
    assert (answer.status_code, answer.json()["type"]) == (401, "unauthenticated")
    assert (await figures()).used == 0


async def test_a_permit_that_comes_as_its_client_leaves_goes_back(
    secret: str, gate: Gate, monkeypatch: pytest.MonkeyPatch
) -> None:
    from queueing.admission.api import hot

    caller = Caller(secret)
    gathered, granted = hot._gathered, asyncio.Event()

    async def slowly(slug: str, request: commands.Request[Any]) -> Any:
        result = await gathered(slug, request)
        if request.verb == "acquire":
            caller.left.set()  # the answer is on its way
            await granted.wait()
        return result

    monkeypatch.setattr(hot, "_gathered", slowly)
    asking = asyncio.create_task(caller.ask(holder="b", wait_ms=60_000))
    await asking
    assert (await figures()).used == 1
    granted.set()
    await eventually(lambda: in_thread(lambda: show().used == 0)())


async def test_the_same_holder_asking_twice_gets_one_permit_and_keeps_its_turn(
    client: httpx.AsyncClient, secret: str
) -> None:
    token = await full()
    caller = Caller(secret)
    asked = {"holder": "b", "wait_ms": 60_000}
    gone = asyncio.create_task(caller.ask(**asked))
    await eventually(waiting(1))
    stays = [asyncio.create_task(client.post(PATH, json=asked)) for _ in range(2)]
    caller.left.set()
    await asyncio.gather(gone, return_exceptions=True)
    await hotpath.arun(commands.release("tower", "first", token))
    told = [(await each).json() for each in stays]
    assert told[0]["token"] == told[1]["token"]
    assert ((await figures()).used, (await figures()).granted) == (1, 2)


async def test_many_who_wait_all_get_their_turn_though_few_listen(
    client: httpx.AsyncClient, gate: Gate, monkeypatch: pytest.MonkeyPatch
) -> None:
    from queueing.admission.api import waiting as module

    monkeypatch.setattr(module, "LISTENERS", 2)
    token = await full()

    async def work(holder: str) -> None:
        told = (await client.post(PATH, json={"holder": holder, "wait_ms": 60_000})).json()
        assert told["granted"]
        await hotpath.arun(commands.release("tower", holder, told["token"]))

    working = [asyncio.create_task(work(f"h{n}")) for n in range(6)]
    await eventually(waiting(6))
    await hotpath.arun(commands.release("tower", "first", token))
    await asyncio.gather(*working)
    now = await figures()
    assert (now.used, now.granted, now.waiting) == (0, 7, 0)


async def test_without_room_to_wait_it_is_answered_at_once(
    client: httpx.AsyncClient, gate: Gate, monkeypatch: pytest.MonkeyPatch
) -> None:
    await full()
    monkeypatch.setattr(waiters, "WAITERS_PER_PROCESS", 0)
    told = (await client.post(PATH, json={"holder": "b", "wait_ms": 60_000})).json()
    assert (told["granted"], told["place"]) == (False, 1)


@pytest.mark.parametrize(
    ("body", "status", "kind"),
    [
        ({"holder": "first"}, 409, "weight-conflict"),
        ({"holder": "first", "wait_ms": 60_000}, 409, "weight-conflict"),
        ({"holder": "b", "weight": 3, "wait_ms": 60_000}, 409, "weight-over-limit"),
        ({"holder": "b", "weight": 0}, 422, "malformed"),
        ({"holder": "b", "weight": 1_000_001}, 422, "malformed"),
        ({"holder": "b", "wait_ms": 60_001}, 422, "malformed"),
        ({"holder": "b", "wait_ms": -1}, 422, "malformed"),
        ({"holder": "b", "gates": ["tower", "bridge"]}, 422, "several-gates"),
        ({"holder": "b", "gates": ["bridge"]}, 422, "several-gates"),
    ],
)
async def test_what_is_refused_has_a_name_and_changes_nothing(
    client: httpx.AsyncClient, gate: Gate, body: dict[str, Any], status: int, kind: str
) -> None:
    await full()
    before = await figures()
    answer = await client.post(PATH, json=body)
    assert (answer.status_code, answer.json()["type"].rpartition("/")[2]) == (status, kind)
    after = await figures()
    assert (after.seq, after.used, after.waiting) == (before.seq, 2, 0)


async def test_the_gate_of_the_path_may_be_named(client: httpx.AsyncClient, gate: Gate) -> None:
    told = await client.post(PATH, json={"holder": "b", "gates": ["tower"]})
    assert told.json()["granted"]
