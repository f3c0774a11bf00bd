"""Links that break: within the disconnect timer nothing is lost, beyond it each end is notified."""

import asyncio
from contextlib import suppress
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed

from integrations.dispatch_client import FrontEnd, Instance
from tests.dispatch.handlers import Caller, Echo, Server, Talk
from tests.dispatch.raw import raw
from tests.dispatch.stage import Stage
from tests.live.servers import WebServer
from tests.support import waiting
from tests.support.waiting import eventually

MESSAGES = 200


def _instance(stage: Stage, group: str, *webs: WebServer, name: str = "as-1") -> Instance:
    echo = Echo()
    echo.instance = Instance(
        stage.settings(group, *webs), echo, name=name, version="1", capacity=1000
    )
    return echo.instance


def _echo(instance: Instance) -> Echo:
    handler = instance._handler
    assert isinstance(handler, Echo)
    return handler


async def _cut(end: FrontEnd | Instance, before: int) -> None:
    """Cut the link of an end whose links were cut `before` times already."""
    await eventually(lambda: end.links > before)
    end.cut()


@pytest.mark.parametrize("binary", [False, True])
async def test_flapping_links_lose_double_and_reorder_nothing(
    stage: Stage, web: WebServer, other_web: WebServer, patient: str, binary: bool
) -> None:
    heard = Caller()
    settings = stage.settings(patient, web, other_web, binary=binary)
    front = FrontEnd(settings, heard, profile="BICC", peer_id="bicc-1")
    instance = _instance(stage, patient, other_web, web)
    async with front, instance:
        await instance.wait_registered()
        sessions = [(await front.start(n)).session for n in range(3)]
        talk = Talk(front, heard, _echo(instance), sessions)
        await eventually(lambda: all(heard.of(session) for session in sessions))
        for n in range(MESSAGES):
            await talk.say()
            if n % 40 == 20:
                await _cut(front, n // 40)
            if n % 50 == 30:
                await _cut(instance, n // 50)
            await asyncio.sleep(0.005)  # waits: the pace of the talk
        await talk.settle()
        talk.assert_once_and_in_order()
        assert set(heard.arrivals[1:]) <= {"reconnect", "takeover"}


async def test_a_lost_instance_is_pending_at_once_and_new_sessions_go_elsewhere(
    stage: Stage, web: WebServer, quick: str
) -> None:
    heard = Caller()
    front = FrontEnd(stage.settings(quick, web), heard, profile="BICC", peer_id="bicc-1")
    first, second = (_instance(stage, quick, web, name=name) for name in ("as-1", "as-2"))
    async with front, first, second:
        await first.wait_registered()
        await second.wait_registered()
        sessions = [(await front.start(n)).session for n in range(6)]
        await eventually(lambda: len(heard.some("message")) == 6)
        lost = [session for session in sessions if session in first.sessions]
        assert len(lost) == 3
        await first.abort()
        await asyncio.to_thread(stage.wait_state, quick, f"b:{first.id}", "pending", 2)
        more = [(await front.start(n)).session for n in range(10, 14)]
        await front.send(lost[0], "anybody?")
        await eventually(lambda: all(heard.of(session) for session in more))
        assert all(session in second.sessions for session in more)
        await eventually(lambda: ("refused", "message", "peer pending") in heard.of(lost[0]))
        for session in lost:
            await eventually(
                lambda session=session: ("ended", "instance lost") in heard.of(session)
            )
        kept = [session for session in sessions if session not in lost]
        for session in kept:
            await front.send(session, "still there?")
        for session in kept:
            await eventually(
                lambda session=session: (
                    heard.of(session)[-1] == ("message", {"echo": "still there?"})
                )
            )
        assert not any(what == "ended" for session in kept for what, *_ in heard.of(session))


async def test_a_lost_front_end_is_told_to_an_instance_once_for_all_its_sessions(
    stage: Stage, web: WebServer, other_web: WebServer, quick: str
) -> None:
    front = FrontEnd(stage.settings(quick, web), Caller(), profile="BICC", peer_id="bicc-1")
    async with raw(other_web, quick, "back", stage.token()) as back:
        await back.register_back()
        beats = asyncio.create_task(_beat(back))
        await front.start_link()
        sessions = [(await front.begin(n)).session for n in range(20)]
        frames = [await back.hear() for _ in range(20)]
        assert [frame["session"] for frame in frames] == sessions
        await front.abort()
        told = await back.hear(seconds=20)
        assert told["op"] == "peer-lost"
        assert (told["peer"], told["reason"]) == ("bicc-1", "front-end lost")
        await back.tell(op="message", seq=1, session=sessions[0], body="late")
        late = await back.hear()
        assert (late["op"], late["seq"]) == ("refused", told["seq"] + 1)  # no frame came between
        beats.cancel()


async def _beat(peer: object) -> None:
    while True:
        await peer.tell(op="beat")
        await asyncio.sleep(0.5)  # waits: the pace of the heart


async def test_ends_that_waited_are_delivered_once_and_in_order(
    stage: Stage, web: WebServer, other_web: WebServer, patient: str
) -> None:
    front = FrontEnd(stage.settings(patient, web), Caller(), profile="BICC", peer_id="bicc-1")
    token = stage.token()
    async with front:
        async with raw(other_web, patient, "back", token) as back:
            its_id = (await back.register_back())["id"]
            sessions = [(await front.begin(n)).session for n in range(12)]
            last = [await back.hear() for _ in sessions][-1]["seq"]
        stage.wait_state(patient, f"b:{its_id}", "pending", 5)
        for session in sessions[:-2]:
            await front.end(session, "bye")
        assert await front.flush()
        wanted = [("end", session, "bye") for session in sessions[:-2]]
        async with raw(web, patient, "back", token) as back:
            again = await back.register_back(id=its_id, received=last)
            assert again["arrival"] == "reconnect"
            ends = [await back.hear() for _ in wanted]
            assert [(end["op"], end["session"], end["reason"]) for end in ends] == wanted
            assert [end["seq"] for end in ends] == list(range(last + 1, last + 1 + len(ends)))
            await back.tell(op="ack", seq=ends[4]["seq"])
            await back.tell(op="message", seq=1, session=sessions[-1], body="here again")
        async with raw(web, patient, "back", token) as back:
            # It reports that it has received seven: these are not sent again, the rest is.
            third = await back.register_back(id=its_id, received=ends[6]["seq"])
            assert third["next"] == ends[7]["seq"]
            rest = [await back.hear() for _ in ends[7:]]
            assert [end["seq"] for end in rest] == [end["seq"] for end in ends[7:]]
            await back.tell(op="ack", seq=rest[-1]["seq"])
            await front.send(sessions[-2], "and on")
            assert (await back.hear())["body"] == "and on"


async def test_a_session_whose_end_waits_takes_no_more_messages(
    stage: Stage, web: WebServer, patient: str
) -> None:
    async with raw(web, patient, "front", stage.token()) as front:
        await front.register_front()
        async with raw(web, patient, "back", stage.token()) as back:
            its_id = (await back.register_back())["id"]
            await front.tell(op="start", seq=1, session="bicc-1/1")
            await back.hear()
        stage.wait_state(patient, f"b:{its_id}", "pending", 5)
        await front.tell(op="message", seq=2, session="bicc-1/1")
        refused = await front.hear()
        assert (refused["what"], refused["of"], refused["reason"]) == ("message", 2, "peer pending")
        await front.tell(op="end", seq=3, session="bicc-1/1")
        await front.tell(op="message", seq=4, session="bicc-1/1")
        refused = await front.hear()
        assert (refused["of"], refused["reason"]) == (4, "session ending")


async def test_what_was_done_is_acknowledged_before_a_socket_is_closed(
    stage: Stage, web: WebServer, other_web: WebServer, patient: str
) -> None:
    async with raw(other_web, patient, "back", stage.token()) as back:
        await back.register_back()
        beats = asyncio.create_task(_beat(back))
        for n in range(1, 4):
            async with raw(web, patient, "front", stage.token()) as front:
                assert (await front.register_front())["received"] == n - 1
                await front.tell(op="start", seq=n, session=f"bicc-1/{n}")
                await front.tell(op="dance")  # sooner than the start is done
                last: dict[str, Any] = {}
                with suppress(ConnectionClosed):
                    while True:
                        last = await front.hear(acks=True)
                assert last == {"op": "ack", "seq": n}
                assert (await back.hear())["session"] == f"bicc-1/{n}"
        beats.cancel()


async def test_a_silent_peer_is_pending_and_hears_the_heartbeat_of_the_dispatcher(
    stage: Stage, web: WebServer, patient: str
) -> None:
    async with raw(web, patient, "front", stage.token()) as front:
        await front.register_front()
        assert stage.peers(patient)["f:bicc-1"].state == "active"
        async with asyncio.timeout(waiting.patient(10)):
            while b"beat" not in (await front.socket.recv()).encode():
                pass
        await asyncio.to_thread(stage.wait_state, patient, "f:bicc-1", "pending")
        await front.tell(op="beat")
        await asyncio.to_thread(stage.wait_state, patient, "f:bicc-1", "active")


async def test_the_handlers_of_one_session_run_in_order_and_a_slow_one_holds_up_no_other(
    stage: Stage, web: WebServer, patient: str
) -> None:
    gate = asyncio.Event()

    class Slow(Server):
        async def message(self, session: str, body: object) -> None:
            if body == "wait":
                await gate.wait()
            await super().message(session, body)

    served = Slow()
    instance = Instance(stage.settings(patient, web), served, name="as-1", version="1", capacity=10)
    front = FrontEnd(stage.settings(patient, web), Caller(), profile="BICC", peer_id="bicc-1")
    async with front, instance:
        await instance.wait_registered()
        slow, other = [(await front.start(n)).session for n in (1, 2)]
        for body in ("wait", "after"):
            await front.send(slow, body)
        await front.send(other, "at once")
        await eventually(lambda: ("message", "at once") in served.of(other))
        assert ("message", "after") not in served.of(slow)
        assert instance.unacknowledged == 0
        gate.set()
        await eventually(lambda: len(served.of(slow)) == 3)
        assert [words[-1] for words in served.of(slow)] == [1, "wait", "after"]
