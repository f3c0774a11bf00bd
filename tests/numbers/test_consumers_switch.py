"""The switches' websocket: the same events as frames, answered in order; hang-ups pushed."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from channels.testing import WebsocketCommunicator

from numbers import consumers, services
from numbers import pool as commands
from numbers.models import Number, Pool
from poolsite import hotpath
from poolsite.access.models import ApiToken
from poolsite.access.services import token_revoke
from tests.numbers.people import in_thread, make_pool, tenant, token_for
from tests.support.waiting import eventually, patient

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_redis")]

PATH = "/ws/pools/east/events/"


class Socket:
    """A switch's end of the socket."""

    def __init__(self, communicator: WebsocketCommunicator) -> None:
        self.raw = communicator

    async def ask(self, frame: Any) -> Any:
        await self.tell(frame)
        return await self.hear()

    async def tell(self, frame: Any) -> None:
        text = frame if isinstance(frame, str) else json.dumps(frame)
        await self.raw.send_to(text_data=text)

    async def hear(self) -> Any:
        return json.loads(await self.raw.receive_from(timeout=patient(5)))

    async def closed(self) -> int:
        """Return the close code, after whatever is still sent."""
        while True:
            message = await self.raw.receive_output(timeout=patient(5))
            if message["type"] == "websocket.close":
                return int(message.get("code", 1000))


@pytest.fixture
async def pool() -> Pool:
    return await in_thread(make_pool)("east", numbers=3)


@asynccontextmanager
async def opened(secret: str, path: str = PATH, **headers: str) -> AsyncIterator[Socket]:
    from poolsite.asgi import application

    lines = [(b"host", b"localhost"), *((k.encode(), v.encode()) for k, v in headers.items())]
    if secret:
        lines.append((b"authorization", f"Bearer {secret}".encode()))
    communicator = WebsocketCommunicator(application, path, headers=lines)
    accepted, _ = await communicator.connect(timeout=patient(5))
    assert accepted
    try:
        yield Socket(communicator)
    finally:
        await communicator.disconnect()


async def test_an_event_is_answered_with_its_frames_id(pool: Pool) -> None:
    async with opened(await in_thread(token_for)(pool)) as socket:
        answer = await socket.ask({"id": 7, "event": "call", "call_id": "a"})
        assert (answer["id"], answer["status"], answer["outcome"]) == (7, 200, "ok")
        assert answer["number"] == "+8613800000000"
        assert answer["lease_seconds"] == 14_400
        refused = await socket.ask({"id": "x", "event": "reg", "number": "999"})
        assert (refused["id"], refused["status"], refused["type"]) == ("x", 404, "unknown-number")


async def test_many_frames_at_once_are_answered_in_their_order(pool: Pool) -> None:
    async with opened(await in_thread(token_for)(pool)) as socket:
        for index in range(200):
            await socket.tell({"id": index, "event": "add", "number": str(5000 + index)})
        answers = [await socket.hear() for _ in range(200)]
        assert [answer["id"] for answer in answers] == list(range(200))
        assert [answer["number"] for answer in answers] == [str(5000 + n) for n in range(200)]


async def test_a_batch_is_answered_as_an_array(pool: Pool) -> None:
    async with opened(await in_thread(token_for)(pool)) as socket:
        answers = await socket.ask(
            [{"id": 1, "event": "add", "number": "901"}, {"event": "dance"}, {"event": "call"}]
        )
        assert [answer["status"] for answer in answers] == [200, 422, 200]
        assert answers[0]["id"] == 1


async def one_waits() -> bool:
    figures = await hotpath.arun(commands.show("east"))
    return figures is not None and figures.waiting == 1


async def test_a_waiting_call_does_not_hold_up_the_hangup_behind_it(pool: Pool) -> None:
    async with opened(await in_thread(token_for)(pool)) as socket:
        for index in range(3):
            await socket.ask({"event": "call", "call_id": f"{index}"})
        await socket.tell({"id": "w", "event": "call", "call_id": "w", "wait_ms": 20_000})
        await eventually(one_waits)
        await socket.tell({"id": "h", "event": "hangup", "call_id": "1"})
        heard = [await socket.hear(), await socket.hear()]
        assert [answer["id"] for answer in heard] == ["h", "w"]
        assert heard[0]["number"] == heard[1]["number"]


async def test_a_live_list_and_a_ping_travel_as_frames(pool: Pool) -> None:
    async with opened(await in_thread(token_for)(pool)) as socket:
        who = {"switch": "fs1", "incarnation": "i1"}
        called = await socket.ask({"event": "call", "call_id": "a", **who})
        live = {**who, "as_of": called["as_of"], "calls": [{"call_id": "a"}]}
        answer = await socket.ask({"id": 1, "live": live})
        assert (answer["id"], answer["renewed"], answer["status"]) == (1, 1, 200)
        pong = await socket.ask({"id": 2, "ping": True})
        assert (pong["id"], pong["pong"]) == (2, True)


@pytest.mark.parametrize(
    "frame",
    [
        " ",
        "nonsense",
        "[]",
        "null",
        '{"event":"dance"}',
        '{"live":{}}',
        '{"ping":1}',
        '{"event":"call","live":"x"}',
        '{"event":"add","number":"101","number":"102"}',
        '{"id":{},"event":"call"}',
    ],
)
async def test_a_bad_frame_gets_an_answer_and_the_socket_stays(pool: Pool, frame: str) -> None:
    async with opened(await in_thread(token_for)(pool)) as socket:
        answer = await socket.ask(frame)
        assert (answer["status"], answer["type"]) == (422, "malformed")
        assert (await socket.ask({"event": "add", "number": "901"}))["status"] == 200


async def test_a_forced_hangup_is_pushed_to_the_switch_of_the_call_alone(pool: Pool) -> None:
    secret = await in_thread(token_for)(pool)
    async with opened(secret) as mine, opened(secret) as other:
        who = {"switch": "fs1", "incarnation": "i1"}
        called = await mine.ask({"event": "call", "call_id": "a", **who})
        foreign = await other.ask({"event": "call", "call_id": "b", "switch": "fs2"})
        for number in (called["number"], foreign["number"]):
            row = await in_thread(Number.objects.select_related("pool").get)(value=number)
            await in_thread(services.number_force_hangup)(actor="test", number=row, reason="stuck")
        assert await mine.hear() == {
            "push": "hang up",
            "number": called["number"],
            "call_id": "a",
            "reason": "stuck",
        }
        assert (await other.hear())["call_id"] == "b"  # the first that it hears


# -- permissions --------------------------------------------------------------------------------


async def test_nobody_and_strangers_are_closed_out_with_their_codes(pool: Pool) -> None:
    south = await in_thread(tenant)("south")
    foreign = await in_thread(token_for)(account=south.account)
    viewer = await in_thread(token_for)(pool, actions=["numbers.view"])
    for secret, path, code in (
        ("ps_wrong", PATH, 4401),
        (foreign, PATH, 4404),
        (foreign, "/ws/pools/nowhere/events/", 4404),
        (viewer, PATH, 4403),
    ):
        async with opened(secret, path) as socket:
            assert await socket.closed() == code


@pytest.mark.parametrize("origin", ["", "null", "https://evil.example"])
async def test_a_page_of_another_site_cannot_open_it(pool: Pool, origin: str) -> None:
    from poolsite.asgi import application

    headers = [(b"host", b"localhost"), (b"cookie", b"session=x")]
    if origin:
        headers.append((b"origin", origin.encode()))
    communicator = WebsocketCommunicator(application, PATH, headers=headers)
    accepted, _ = await communicator.connect(timeout=patient(5))
    assert not accepted


async def test_a_revoked_token_closes_its_socket_within_a_second(pool: Pool) -> None:
    async with opened(await in_thread(token_for)(pool)) as socket:
        await socket.ask({"event": "call", "call_id": "a"})
        token = await in_thread(ApiToken.objects.get)()
        await in_thread(token_revoke)(token=token, actor="test")
        async with asyncio.timeout(patient(1.5)):
            assert await socket.closed() == 4401


async def test_a_frame_over_the_limit_closes_the_socket(pool: Pool) -> None:
    async with opened(await in_thread(token_for)(pool)) as socket:
        await socket.tell('"' + "x" * 1_000_001)
        assert await socket.closed() == 1009


async def test_a_binary_frame_closes_the_socket(pool: Pool) -> None:
    async with opened(await in_thread(token_for)(pool)) as socket:
        await socket.raw.send_to(bytes_data=b"{}")
        assert await socket.closed() == 1003


async def test_too_many_frames_close_the_socket(
    pool: Pool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(consumers, "FRAMES_AT_ONCE", 5.0)
    monkeypatch.setattr(consumers, "FRAMES_PER_SECOND", 0.1)
    async with opened(await in_thread(token_for)(pool)) as socket:
        for _ in range(6):
            await socket.tell({"ping": True})
        assert await socket.closed() == 4429


async def test_a_closed_socket_leaves_no_waiting_call_behind(pool: Pool) -> None:
    async with opened(await in_thread(token_for)(pool)) as socket:
        for index in range(3):
            await socket.ask({"event": "call", "call_id": f"{index}"})
        await socket.tell({"event": "call", "call_id": "w", "wait_ms": 30_000})
        await eventually(one_waits)
    assert not await one_waits()
