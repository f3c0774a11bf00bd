"""The web process is dead for longer than every grace, while the timers run: nobody is lost."""

import asyncio
import json
from collections.abc import Iterator

import pytest

from poolsite.runtime.redis_server import RedisServer
from tests.line.presence_stage import GRACE_SECONDS, ROOM_GRACE_SECONDS
from tests.line.test_presence import agent_comes, joins, slots_of
from tests.live.servers import Site, WebServer
from tests.support.processes import end
from tests.support.waiting import eventually

pytestmark = [pytest.mark.prove, pytest.mark.processes]
OUTAGE_SECONDS = 6 + ROOM_GRACE_SECONDS + GRACE_SECONDS  # the last mark of the web process, first


@pytest.fixture
def floor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebServer]:
    """A web process, a desk of its own, and the timers."""
    redis = RedisServer(folder=tmp_path_factory.mktemp("r"), append_only=False).start()
    site = Site(tmp_path_factory.mktemp("floor"), redis.url)
    site.migrate()
    site.people["agent"] = json.loads(site.run("-m", "tests.line.presence_stage"))
    web = WebServer(site, "uvicorn", application="tests.live.brisk_app:application").start()
    timers = site.start(site.folder / "timers.log", "manage", "timers")
    yield web
    end(timers)
    web.stop()
    redis.stop()


async def test_an_outage_counts_against_nobody(floor: WebServer) -> None:
    console = await agent_comes(floor)
    talks, waits = await joins(floor, "Ann"), await joins(floor, "Bo")
    await talks.until("room", 0)
    assert floor.process is not None
    floor.process.kill()
    floor.stop()
    await asyncio.sleep(OUTAGE_SECONDS)  # waits: silence is what is tested
    floor.start()
    for visitor in (talks, waits):
        assert (await visitor.stands())["answer"] in ("room", "waiting", "away")
        await visitor.come()
    console = await agent_comes(floor, login=False)
    await eventually(lambda: [slot["visit"] for slot in slots_of(console)] == [talks.visit])
    assert console.states["line.agent"]["state"] == "online"
    assert (await talks.stands())["answer"] == "room"
    assert (await waits.until("waiting", 0))["ahead"] == 0

    # silence that can be heard is silence again
    await talks.cut()
    assert (await talks.until("ended", ROOM_GRACE_SECONDS))["word"] == "visitor lost"
    await waits.until("room", 0)
    await waits.leave()
    await console.cut()
