"""The web process is dead or stopped for longer than every grace period: no one is lost."""

import asyncio
import json
import signal
from collections.abc import Iterator

import pytest
import redis

from poolsite.runtime.redis_server import RedisServer
from queueing.line import desk
from tests.line.presence_stage import GRACE_SECONDS, ROOM_GRACE_SECONDS
from tests.line.test_presence import agent_comes, joins, slots_of
from tests.live.servers import Site, WebServer
from tests.support.processes import end
from tests.support.waiting import eventually

pytestmark = [pytest.mark.prove, pytest.mark.processes]
OUTAGE_SECONDS = 6 + ROOM_GRACE_SECONDS + GRACE_SECONDS  # the last mark of the web process, first


@pytest.fixture
def alone(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebServer]:
    """A web process and a separate desk."""
    server = RedisServer(folder=tmp_path_factory.mktemp("r"), append_only=False).start()
    site = Site(tmp_path_factory.mktemp("floor"), server.url)
    site.migrate()
    site.people["agent"] = json.loads(site.run("-m", "tests.line.presence_stage"))
    web = WebServer(site, "uvicorn", application="tests.live.brisk_app:application").start()
    yield web
    web.stop()
    server.stop()


@pytest.fixture
def floor(alone: WebServer) -> Iterator[WebServer]:
    """The web process and desk of `alone`, with the timers."""
    timers = alone.site.start(alone.site.folder / "timers.log", "manage", "timers")
    yield alone
    end(timers)


async def test_an_outage_counts_against_nobody(floor: WebServer) -> None:
    console = await agent_comes(floor)
    talks, waits = await joins(floor, "Ann"), await joins(floor, "Bo")
    await talks.until("room", 0)
    assert floor.process is not None
    floor.process.kill()
    floor.stop()
    await asyncio.sleep(OUTAGE_SECONDS)  # waits: silence is what is tested
    floor.start()
    # At once, as browsers do: the grace period starts when the process can hear people again.
    await asyncio.gather(talks.come(), waits.come())
    for visitor in (talks, waits):
        assert (await visitor.stands())["answer"] in ("room", "waiting", "away")
    console = await agent_comes(floor, login=False)
    await eventually(lambda: [slot["visit"] for slot in slots_of(console)] == [talks.visit])
    assert console.states["line.agent"]["state"] == "online"
    assert (await talks.stands())["answer"] == "room"
    assert (await waits.until("waiting", 0))["ahead"] == 0

    # silence that can be heard counts again
    await talks.cut()
    assert (await talks.until("ended", ROOM_GRACE_SECONDS))["word"] == "visitor lost"
    await waits.until("room", 0)
    await waits.leave()
    await console.cut()


async def test_a_process_that_was_stopped_counts_nobodys_silence(alone: WebServer) -> None:
    """Without timers only the web process decides who is silent; it could not hear anyone."""
    console = await agent_comes(alone)
    talks, waits = await joins(alone, "Ann"), await joins(alone, "Bo")
    await talks.until("room", 0)
    assert alone.process is not None
    with redis.Redis.from_url(alone.site.redis_url, decode_responses=True) as client:

        def walked() -> int:
            return int(client.hget(desk.DeskKeys("care").tag, "walked") or 0)

        await eventually(walked)
        alone.process.send_signal(signal.SIGSTOP)
        before = walked()
        await asyncio.sleep(OUTAGE_SECONDS)  # waits: silence is what is tested
        alone.process.send_signal(signal.SIGCONT)
        await eventually(lambda: walked() > before + OUTAGE_SECONDS * 1_000)
        assert (await talks.stands())["answer"] == "room"
        assert (await waits.stands())["answer"] == "waiting"
        told = {entry["k"] for _, entry in client.xrange(desk.DeskKeys("care").log)}
        assert not told & {"away", "room_away", "agent_away", "agent_lost", "end"}
    await talks.cut()
    assert (await talks.until("ended", ROOM_GRACE_SECONDS))["word"] == "visitor lost"
    await waits.until("room", 0)
    await waits.leave()
    await console.cut()
