"""Time without a worker and without timers, by the peers' own logs, with real processes."""

import asyncio
import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from integrations.dispatch_client import FrontEnd
from poolsite import hotpath
from queueing.dispatch import dispatcher as commands
from tests.dispatch.handlers import Caller
from tests.dispatch.instances import InstanceProcess
from tests.dispatch.stage import Stage
from tests.live.servers import WebServer
from tests.support.waiting import eventually, patient

pytestmark = pytest.mark.prove

HEARTBEAT_SECONDS = 1
MISSED_LIMIT = round(patient(3))
LIMIT_SECONDS = HEARTBEAT_SECONDS * MISSED_LIMIT


class TimedCaller(Caller):
    """A front-end's log with the time of each line."""

    def __init__(self) -> None:
        super().__init__()
        self.at: list[tuple[float, tuple[Any, ...]]] = []

    async def message(self, session: str, body: Any) -> None:
        await super().message(session, body)
        self.at.append((time.monotonic(), ("message", session)))

    async def ended(self, session: str, reason: str, body: Any) -> None:
        await super().ended(session, reason, body)
        self.at.append((time.monotonic(), ("ended", session, reason)))

    async def refused(self, session: str, what: str, reason: str) -> None:
        await super().refused(session, what, reason)
        self.at.append((time.monotonic(), ("refused", session, reason)))

    def first(self, *wanted: str) -> float:
        """Return when these were first heard; 0 if not yet."""
        return next((at for at, words in self.at if set(wanted) <= set(words)), 0.0)


@pytest.fixture
def group(stage: Stage) -> Iterator[str]:
    """A group with a limit of 3 s, longer on a busy machine."""
    settings = {"heartbeat_seconds": HEARTBEAT_SECONDS, "missed_limit": MISSED_LIMIT}
    with stage.group(**settings, disconnect_seconds=600) as slug:
        yield slug


@contextmanager
def stopped(process: InstanceProcess) -> Iterator[float]:
    """Stop the process during the block. Yield the time at which that began."""
    os.kill(process.pid, signal.SIGSTOP)
    try:
        yield time.monotonic()
    finally:
        os.kill(process.pid, signal.SIGCONT)


async def test_a_peer_that_stands_still_is_told_and_gets_no_session_after_the_limit(
    stage: Stage, web: WebServer, other_web: WebServer, group: str
) -> None:
    heard = TimedCaller()
    still = InstanceProcess(stage, group, [web], "as-1")
    other = InstanceProcess(stage, group, [other_web], "as-2")
    front = FrontEnd(stage.settings(group, other_web), heard, profile="BICC", peer_id="bicc-1")
    try:
        await eventually(lambda: still.lines("linked") and other.lines("linked"), 60)
        with stage.keeper.paused():
            async with front:
                sessions = [(await front.start(n)).session for n in range(10)]
                await eventually(lambda: len(heard.some("message")) == 10)
                its = set(still.lines("started"))
                assert 0 < len(its) < 10
                talked = next(session for session in sessions if session in its)
                with stopped(still) as began:
                    late = []
                    while time.monotonic() < began + LIMIT_SECONDS + patient(1):
                        after = time.monotonic() > began + LIMIT_SECONDS
                        session = (await front.start("more")).session
                        if after:
                            late.append(session)
                        await front.send(talked, "are you there?")
                        await asyncio.sleep(0.1)  # waits: the pace of the calls
                    told = heard.first("refused", "peer pending")
                    row = stage.peers(group)[f"b:{still.lines('linked')[0].split()[0]}"]
                    assert row.state == "pending"
                    assert began < told < began + LIMIT_SECONDS + patient(1)
                    await eventually(lambda: all(heard.of(session) for session in late))
                    assert {heard.of(session)[0][0] for session in late} == {"message"}
                await eventually(lambda: set(still.lines("started")) > its)
                assert late
                assert not set(late) & set(still.lines("started"))
    finally:
        still.kill()
        other.kill()


async def test_a_silent_peer_is_noticed_though_nobody_asks(stage: Stage, web: WebServer) -> None:
    """Its limit is longer than the time after which a group counts as unattended."""
    limit = 2 * MISSED_LIMIT
    with stage.group(heartbeat_seconds=2, missed_limit=MISSED_LIMIT) as group:
        still = InstanceProcess(stage, group, [web], "as-1")
        try:
            await eventually(lambda: still.lines("linked"), 60)
            key = f"b:{still.lines('linked')[0].split()[0]}"
            with stage.keeper.paused(), stopped(still) as began:
                await eventually(lambda: stage.peers(group)[key].state == "pending", limit + 30)
                told = stage.peers(group)[key].since_us / 1e6 - (time.time() - time.monotonic())
                assert began < told < began + limit + patient(1)
        finally:
            still.kill()


async def test_a_route_of_three_seconds_is_gone_and_a_block_ends_in_time(
    stage: Stage, web: WebServer, group: str
) -> None:
    heard = TimedCaller()
    instance = InstanceProcess(stage, group, [web], "as-1")
    front = FrontEnd(stage.settings(group, web), heard, profile="BICC", peer_id="bicc-1")
    try:
        await eventually(lambda: instance.lines("linked"), 60)
        with stage.keeper.paused():
            async with front:
                session = (await front.start("x", ttl_seconds=3)).session
                await eventually(lambda: heard.of(session))
                began = heard.first("message", session)
                while not heard.first("ended", session):
                    assert time.monotonic() < began + 3 + patient(0.5)
                    await front.send(session, "still there?")
                    await asyncio.sleep(0.05)  # waits: the pace of the messages
                assert ("ended", "expired") in heard.of(session)
                with stage.hotpath():
                    until = time.time_ns() // 1_000 + 2_000_000
                    hotpath.run(commands.manual(group, "as-1", "blocked", until, "lunch"))
                ends = until / 1e6 - (time.time() - time.monotonic())
                began = 0.0
                while not began:
                    again = (await front.begin("y")).session
                    await eventually(lambda s=again: heard.of(s))
                    assert time.monotonic() < ends + patient(1)
                    began = heard.first("message", again)
                assert began > ends - 0.5
    finally:
        instance.kill()
