"""The cost of kill -9 of an instance, of a web process, and of Redis with and without its data."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager

import pytest

from integrations.dispatch_client import FrontEnd, Instance
from tests.dispatch.handlers import Caller, Echo, Talk
from tests.dispatch.instances import InstanceProcess
from tests.dispatch.stage import QUICK, Stage, kill
from tests.live.servers import WebServer
from tests.support.waiting import eventually, patient

pytestmark = pytest.mark.prove


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    """A stage whose processes may die."""
    made = Stage.start(tmp_path_factory.mktemp("kills"))
    try:
        yield made
    finally:
        made.stop()


@pytest.fixture(scope="module")
def webs(own: Stage) -> list[WebServer]:
    """Two web processes that are not killed."""
    return [own.web(), own.web()]


@pytest.fixture
def group(own: Stage) -> Iterator[str]:
    """A group that gives lost peers 10 s to come back."""
    with own.group(heartbeat_seconds=1, disconnect_seconds=round(patient(10))) as slug:
        yield slug


@pytest.fixture
def hasty(own: Stage) -> Iterator[str]:
    """A group that stops lost peers after 3 s."""
    with own.group(**QUICK) as slug:
        yield slug


async def test_a_killed_instance_loses_only_its_own_sessions_and_new_ones_go_elsewhere(
    own: Stage, webs: list[WebServer], hasty: str
) -> None:
    heard = Caller()
    processes = [InstanceProcess(own, hasty, webs, f"as-{n}") for n in (1, 2)]
    front = FrontEnd(own.settings(hasty, *webs), heard, profile="BICC", peer_id="bicc-1")
    try:
        await eventually(lambda: all(process.lines("linked") for process in processes), 60)
        async with front:
            sessions = [(await front.start(n)).session for n in range(20)]
            await eventually(lambda: len(heard.some("message")) == 20)
            its = processes[0].lines("started")
            assert len(its) == 10
            processes[0].kill()
            victim = f"b:{processes[0].lines('linked')[0].split()[0]}"
            await asyncio.to_thread(own.wait_state, hasty, victim, "pending", 5.0)
            more = [(await front.start(n)).session for n in range(20, 30)]
            await eventually(lambda: all(heard.of(session) for session in more))
            await eventually(lambda: all(heard.of(session)[-1][0] == "ended" for session in its))
            assert {heard.of(session)[-1] for session in its} == {("ended", "instance lost")}
            kept = [session for session in [*sessions, *more] if session not in its]
            for session in kept:
                await front.send(session, "on")
            await eventually(
                lambda: all(
                    heard.of(session)[-1] == ("message", {"echo": "on"}) for session in kept
                )
            )
            assert len(heard.some("ended")) == len(its)
    finally:
        for process in processes:
            process.kill()


@asynccontextmanager
async def talking(
    stage: Stage, group: str, webs: list[WebServer], count: int = 4
) -> AsyncIterator[Talk]:
    """A front-end on the first web process, an instance on the second, sessions between them."""
    heard, echo = Caller(), Echo()
    front = FrontEnd(stage.settings(group, *webs), heard, profile="BICC", peer_id="bicc-1")
    echo.instance = Instance(
        stage.settings(group, *webs[::-1]), echo, name="as-1", version="1", capacity=100
    )
    async with front, echo.instance:
        await echo.instance.wait_registered()
        sessions = [(await front.start(n)).session for n in range(count)]
        await eventually(lambda: len(heard.some("message")) == count)
        yield Talk(front, heard, echo, sessions)


async def go_on(talk: Talk, count: int) -> None:
    """Talk for a while."""
    for _ in range(count):
        await talk.say()
        await asyncio.sleep(0.01)  # waits: the pace of the talk


async def test_a_killed_web_process_loses_nothing(
    own: Stage, webs: list[WebServer], group: str
) -> None:
    doomed = own.web()  # in this thread: a child dies with the thread that started it
    async with talking(own, group, [doomed, webs[1]]) as talk:
        sending = asyncio.create_task(go_on(talk, 150))
        await eventually(lambda: talk.sent > 20)
        await asyncio.to_thread(kill, doomed)
        await sending
        await talk.settle()
        talk.assert_once_and_in_order()
        assert talk.front.links >= 2
        assert set(talk.heard.arrivals[1:]) <= {"reconnect", "takeover"}


async def test_a_killed_redis_that_comes_back_with_its_data_loses_nothing(
    own: Stage, webs: list[WebServer], group: str
) -> None:
    async with talking(own, group, webs) as talk:
        sending = asyncio.create_task(go_on(talk, 150))
        await eventually(lambda: talk.sent > 20)
        await asyncio.to_thread(own.redis.kill)
        await asyncio.sleep(1.0)  # waits: so that the web processes meet the outage in all they do
        own.redis.start()  # in this thread, with which it would die
        await sending
        await talk.settle()
        talk.assert_once_and_in_order()


@pytest.mark.parametrize("how", ["flushed", "emptied"])
async def test_after_an_empty_redis_sessions_that_both_ends_name_are_restored(
    own: Stage, webs: list[WebServer], group: str, how: str
) -> None:
    async with talking(own, group, webs) as talk:
        await go_on(talk, 3)
        await talk.settle()
        gone = talk.sessions.pop()
        talk.front.sessions.remove(gone)  # a session that the front-end no longer knows
        _lose_data(own, how)
        await eventually(lambda: "reconnect" in talk.heard.arrivals[1:], 60)
        await eventually(lambda: talk.echo.arrivals[1:], 60)
        await eventually(lambda: own.figures(group).restored >= len(talk.sessions), 60)
        await go_on(talk, 20)
        await talk.settle()
        for session in talk.sessions:
            assert set(talk.back(session)) >= set(range(3))
        # Named by only one end: provisional for the disconnect timer, then that end frees it.
        await eventually(lambda: talk.echo.of(gone)[-1] == ("ended", "one end only"), 60)
        assert [words[0] for words in talk.echo.of(gone)].count("ended") == 1
        assert gone not in talk.echo.instance.sessions
        assert talk.heard.some("ended") == []


def _lose_data(stage: Stage, how: str) -> None:
    if how == "flushed":
        with stage.redis.client() as client:
            client.flushall()
        return
    stage.redis.kill()
    for path in (stage.redis.folder / "appendonlydir").iterdir():
        path.unlink()
    stage.redis.start()  # in the test's thread, with which it would die
