"""Whatever a peer sends wrongly: its socket is closed with a reason, others are not disturbed."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from typing import Any

import pytest
from websockets.exceptions import InvalidStatus

from integrations.dispatch_client import FrontEnd, Instance, RefusedError
from tests.dispatch.handlers import Caller, Echo
from tests.dispatch.raw import MSGPACK, RawPeer, raw
from tests.dispatch.stage import Stage
from tests.live.servers import WebServer
from tests.support import waiting
from tests.support.waiting import eventually

pytestmark = pytest.mark.processes

Bad = Callable[[RawPeer], Coroutine[Any, Any, Any]]


class Bystanders:
    """A front-end and an instance of the same group, which must not notice the faults."""

    def __init__(self, front: FrontEnd, instance: Instance, heard: Caller, session: str) -> None:
        self.front, self.instance, self._heard, self.session = front, instance, heard, session

    async def undisturbed(self) -> None:
        before = len(self._heard.of(self.session))
        await self.front.send(self.session, "well?")
        await eventually(lambda: len(self._heard.of(self.session)) == before + 1)
        assert self._heard.of(self.session)[-1] == ("message", {"echo": "well?"})
        assert (self.front.links, self.instance.links) == (1, 1)


@pytest.fixture(params=["web", "other_web"])
def either(request: pytest.FixtureRequest) -> WebServer:
    """A web process: each test runs on uvicorn and on daphne."""
    server: WebServer = request.getfixturevalue(request.param)
    return server


@pytest.fixture
async def bystanders(stage: Stage, either: WebServer, patient: str) -> AsyncIterator[Bystanders]:
    heard, echo = Caller(), Echo()
    settings = stage.settings(patient, either)
    front = FrontEnd(settings, heard, profile="BICC", peer_id="bystander")
    echo.instance = Instance(settings, echo, name="as-1", version="1", capacity=10)
    async with front, echo.instance:
        await echo.instance.wait_registered()
        session = (await front.start()).session
        await eventually(lambda: heard.of(session))
        yield Bystanders(front, echo.instance, heard, session)


async def _unknown(peer: RawPeer) -> None:
    await peer.tell(op="dance")


async def _not_json(peer: RawPeer) -> None:
    await peer.socket.send("{")


async def _wrong_kind(peer: RawPeer) -> None:
    await peer.socket.send(b"\x81\xa2op\xa4beat")


async def _megabyte(peer: RawPeer) -> None:
    await peer.tell(op="message", seq=1, session="bicc-1/1", body="x" * 1_000_000)


async def _long_body(peer: RawPeer) -> None:
    await peer.tell(op="start", seq=1, session="bicc-1/1", body="x" * 70_000)


async def _foreign_start(peer: RawPeer) -> None:
    await peer.tell(op="start", seq=1, session="bystander/9")


async def _flood(peer: RawPeer) -> None:
    for _ in range(200):
        await peer.tell(op="beat")


async def _gap(peer: RawPeer) -> None:
    await peer.tell(op="start", seq=1, session="bicc-1/1")
    await peer.tell(op="end", seq=3, session="bicc-1/1")


async def _ack_of_nothing(peer: RawPeer) -> None:
    await peer.tell(op="ack", seq=77)


async def _second_registration(peer: RawPeer) -> None:
    await peer.tell(op="register", profile="BICC", id="bicc-2")


async def _extra_field(peer: RawPeer) -> None:
    await peer.tell(op="beat", more=1)


async def _much_wrong(peer: RawPeer) -> None:
    """Send so much that the close frame's reason would be longer than a close frame may be."""
    await peer.tell(op="message", seq=0, session="/", **{"é" * 40: 1})


@pytest.mark.parametrize(
    ("send", "code", "words"),
    [
        (_unknown, 4400, "op is one of"),
        (_not_json, 4400, "not JSON"),
        (_wrong_kind, 4400, "JSON travels as text"),
        (_megabyte, 1009, "more than 131072 bytes"),
        (_long_body, 4400, "body: longer"),
        (_foreign_start, 4403, "a session of another peer"),
        (_flood, 4429, "too many heartbeats"),
        (_gap, 4409, "gap"),
        (_ack_of_nothing, 4409, "gap"),
        (_second_registration, 4400, "op is one of"),
        (_extra_field, 4400, "more"),
        (_much_wrong, 4400, "session: "),
    ],
)
async def test_a_bad_frame_closes_its_socket_with_a_reason_and_disturbs_nobody(
    stage: Stage,
    either: WebServer,
    patient: str,
    bystanders: Bystanders,
    send: Bad,
    code: int,
    words: str,
) -> None:
    async with raw(either, patient, "front", stage.token()) as peer:
        assert (await peer.register_front())["op"] == "registered"
        await send(peer)
        got, reason = await peer.closed()
        assert got == code
        assert words in reason
    await bystanders.undisturbed()


async def test_a_message_for_a_session_of_another_front_end_closes_the_socket(
    stage: Stage, either: WebServer, patient: str, bystanders: Bystanders
) -> None:
    async with raw(either, patient, "front", stage.token()) as peer:
        await peer.register_front()
        await peer.tell(op="end", seq=1, session=bystanders.session)
        assert await peer.closed() == (4403, "a session of another peer")
    await bystanders.undisturbed()


async def test_a_message_for_a_session_of_another_instance_closes_the_socket(
    stage: Stage, either: WebServer, patient: str, bystanders: Bystanders
) -> None:
    async with raw(either, patient, "back", stage.token()) as peer:
        await peer.register_back("as-2")
        await peer.tell(op="end", seq=1, session=bystanders.session)
        assert await peer.closed() == (4403, "a session of another peer")
    await bystanders.undisturbed()


async def test_a_foreign_token_is_hidden_from_and_none_is_asked_to_log_in(
    stage: Stage, either: WebServer, patient: str, bystanders: Bystanders
) -> None:
    for token, code in ((stage.token("south"), 4404), ("nonsense", 4401), ("", 4401)):
        headers = {} if token else {"origin": f"http://127.0.0.1:{either.port}"}
        async with raw(either, patient, "front", token, **headers) as peer:
            assert (await peer.closed())[0] == code
    async with raw(either, "no-such-group", "front", stage.token()) as peer:
        assert await peer.closed() == (4404, "no such group")
    await bystanders.undisturbed()


async def test_a_taken_id_is_refused(
    stage: Stage, either: WebServer, patient: str, bystanders: Bystanders
) -> None:
    async with raw(either, patient, "front", stage.token()) as peer:
        assert (await peer.register_front("bystander"))["reason"] == "taken"
        assert await peer.closed() == (4411, "taken")
    await bystanders.undisturbed()


@pytest.mark.parametrize(
    "registration",
    [
        {"op": "beat"},
        {"op": "register"},
        {"op": "register", "profile": "ISDN", "id": "x"},
        {"op": "register", "profile": "BICC", "id": "a b"},
        {"op": "register", "profile": "BICC"},
        {"op": "register", "profile": "HTTP", "id": "mine"},
        {"op": "register", "id": "b1", "name": "as-1", "version": "1", "capacity": 5},
    ],
)
async def test_a_registration_that_is_none_is_refused(
    stage: Stage, web: WebServer, patient: str, registration: dict[str, Any]
) -> None:
    async with raw(web, patient, "front", stage.token()) as peer:
        await peer.hear()
        await peer.tell(**registration)
        assert (await peer.hear())["op"] == "refused"
        assert (await peer.closed())[0] == 4400


async def test_who_does_not_register_is_closed(stage: Stage, web: WebServer, patient: str) -> None:
    async with raw(web, patient, "front", stage.token()) as peer:
        assert await peer.closed(20) == (4408, "no registration within 10 s")


async def test_a_foreign_subprotocol_is_refused_before_the_handshake(
    stage: Stage, either: WebServer, patient: str
) -> None:
    with pytest.raises(InvalidStatus, match="403"):
        async with raw(either, patient, "front", stage.token(), protocol="chat"):
            pass


async def test_without_a_subprotocol_json_is_spoken(
    stage: Stage, either: WebServer, patient: str
) -> None:
    async with raw(either, patient, "front", stage.token(), protocol="") as peer:
        assert (await peer.register_front())["op"] == "registered"


async def test_broken_messagepack_is_refused(stage: Stage, web: WebServer, patient: str) -> None:
    async with raw(web, patient, "front", stage.token(), protocol=MSGPACK) as peer:
        await peer.register_front()
        await peer.socket.send(b"\xc1")
        assert await peer.closed() == (4400, "not MessagePack")


async def test_the_library_gives_up_where_coming_again_changes_nothing(
    stage: Stage, web: WebServer, patient: str
) -> None:
    settings = stage.settings("no-such-group", web)
    front = FrontEnd(settings, Caller(), profile="BICC", peer_id="bicc-1")
    await front.start_link()
    with pytest.raises(RefusedError, match="4404 no such group"):
        await front.wait_registered()
    with pytest.raises(RefusedError):
        await asyncio.wait_for(front.start(), waiting.patient(5))
    await front.stop()
