"""Why a link ended, in the event log: correct for every kind of server that held the socket."""

import asyncio
import contextlib
from typing import Any

import pytest

from poolsite import hotpath
from queueing.dispatch import dispatcher as commands
from queueing.dispatch.dispatcher import reasons
from queueing.dispatch.links.closes import lost_reason
from tests.dispatch.raw import RawPeer, raw
from tests.dispatch.stage import APPLICATION, Stage
from tests.live.servers import WebServer
from tests.support.waiting import eventually, patient

PINGS = ("--ws-ping-interval", "1", "--ws-ping-timeout", "1")


@pytest.mark.parametrize(
    ("told", "silent", "reason"),
    [
        ({"code": 1000, "reason": ""}, False, reasons.CLOSED_BY_PEER),
        ({"code": 1005, "reason": ""}, True, reasons.CLOSED_BY_PEER),  # uvicorn: without a status
        ({"code": 1001}, False, reasons.CLOSED_BY_PEER),  # daphne
        ({"code": 1005}, False, reasons.CONNECTION_LOST),  # uvicorn: without a close frame
        ({"code": 1005}, True, reasons.SILENT),
        ({"code": 1006}, False, reasons.CONNECTION_LOST),  # daphne
        ({"code": 1011, "reason": "keepalive ping timeout"}, True, reasons.SILENT),
        ({"code": 1012}, True, reasons.SERVER_STOPPED),
        ({}, False, reasons.CONNECTION_LOST),
    ],
)
def test_what_the_server_says_is_read(told: dict[str, Any], silent: bool, reason: str) -> None:
    assert lost_reason(told, silent=silent) == reason


def _pending(stage: Stage, group: str) -> list[str]:
    """Return the reason for each time that the front-end became pending."""
    with stage.hotpath():
        entries = hotpath.client().xrange(f"{{disp.{group}}}:log")
    changes = [commands.read_change(fields, 0) for _, fields in entries]
    return [each.reason for each in changes if each.event == "pending" and each.peer == "f:bicc-1"]


async def _beat(peer: RawPeer) -> None:
    with contextlib.suppress(Exception):
        while True:
            await peer.tell(op="beat")
            await asyncio.sleep(0.3)  # waits: the pace of the heart


async def test_the_log_says_who_closed_and_what_broke(stage: Stage) -> None:
    """A peer closes; then its connection breaks; then it sends heartbeats but reads no pings."""
    web = WebServer(stage.site, "uvicorn", application=APPLICATION, extra=PINGS).start()
    try:
        with stage.group(heartbeat_seconds=5, missed_limit=10) as group, stage.keeper.paused():
            async with raw(web, group, "front", stage.token()) as front:
                await front.register_front()
            await eventually(lambda: len(_pending(stage, group)) == 1)
            async with raw(web, group, "front", stage.token()) as front:
                await front.register_front()
                front.socket.transport.abort()
            await eventually(lambda: len(_pending(stage, group)) == 2)
            async with raw(web, group, "front", stage.token()) as front:
                await front.register_front()
                front.socket.transport.pause_reading()
                beats = asyncio.create_task(_beat(front))
                await eventually(lambda: len(_pending(stage, group)) == 3)
                front.socket.transport.abort()
                await beats
            assert _pending(stage, group) == [
                reasons.CLOSED_BY_PEER,
                reasons.CONNECTION_LOST,
                reasons.CONNECTION_LOST,
            ]
    finally:
        web.stop()


async def test_sockets_of_a_deleted_group_are_closed(stage: Stage, web: WebServer) -> None:
    """One socket is linked, and one has not registered yet."""
    group = "short-lived"
    stage.keeper.make({"slug": group})
    async with (
        raw(web, group, "front", stage.token()) as front,
        raw(web, group, "back", stage.token()) as back,
    ):
        await front.register_front()
        hello = await back.hear()
        await asyncio.to_thread(stage.keeper.remove, group)
        assert await front.closed() == (4404, "destroyed")
        await back.tell(
            op="register", id=hello["offer"], name="as-1", version="1", capacity=1, received=0
        )
        assert await back.closed() == (1013, "no such group")
    later = (0, "")
    async with asyncio.timeout(patient(10)):
        while later != (4404, "no such group"):  # a process remembers a group for a second
            async with raw(web, group, "back", stage.token()) as back:
                later = await back.closed()
    with stage.hotpath():
        assert not hotpath.client().keys(f"*{group}*")
