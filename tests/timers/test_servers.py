"""One timers process visits the aggregates of several servers, and none delays another."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from billing import servers, wallet
from poolsite import hotpath
from poolsite.jobs import sweeping
from poolsite.runtime.redis_server import RedisServer
from poolsite.timers import process
from poolsite.timers.process import Timers
from tests.billing.wallet.wallet_support import request
from tests.support.parts import starts_processes
from tests.support.waiting import eventually

QUICK = wallet.WalletSettings(unsent_message_seconds=1)


@pytest.fixture
@starts_processes
def heavy(
    tmp_path_factory: pytest.TempPathFactory, settings: Any, clean_redis: RedisServer
) -> Iterator[RedisServer]:
    """A second Redis, named `heavy`."""
    hotpath.reset()
    server = RedisServer(tmp_path_factory.mktemp("heavy"), append_only=False).start()
    settings.BILLING_REDIS_URLS = {"heavy": server.url, "same": server.url}
    settings.REDIS_URL = clean_redis.url
    yield server
    server.stop()


@asynccontextmanager
async def running() -> AsyncIterator[Timers]:
    timers = Timers()
    task = asyncio.create_task(timers.run())
    try:
        yield timers
    finally:
        timers.stop()
        await task


async def make(path: hotpath.HotPath, slug: str) -> None:
    """Create a wallet whose money is all held for a message that is never sent."""
    await path.arun(wallet.create(slug, 1, QUICK, balance=500))
    assert (await path.arun(wallet.hold(slug, request()))).answer == "held"


async def ended(path: hotpath.HotPath, slug: str) -> bool:
    found = await path.arun(wallet.balance(slug))
    return found is not None and (found.bal, found.held) == (500, 0)


async def test_holds_end_on_every_server_and_scripts_are_kept_there(heavy: RedisServer) -> None:
    here, there = hotpath.default(), servers.named("heavy")

    async def all_scripts_there() -> bool:  # other apps' libraries come later
        return await asyncio.to_thread(there.missing_scripts) == []

    await make(there, "found")
    async with running():
        await eventually(lambda: ended(there, "found"))
        await make(here, "common")
        await make(there, "announced")
        await eventually(lambda: ended(here, "common"))
        await eventually(lambda: ended(there, "announced"))
        await eventually(all_scripts_there)
        assert await here.arun(wallet.balance("announced")) is None


async def test_a_server_that_is_gone_makes_no_other_late_and_is_visited_when_it_is_back(
    heavy: RedisServer,
) -> None:
    here, there = hotpath.default(), servers.named("heavy")
    async with running() as timers:
        await make(there, "before")
        await eventually(lambda: ended(there, "before"))
        heavy.kill()
        for number in range(3):
            await make(here, f"common-{number}")
            await eventually(lambda: ended(here, f"common-{number}"))  # noqa: B023
        late = [s for shard in timers._servers[0].shards for s in shard.late_seconds]
        assert late
        assert timers._servers[0].doubt == timers._servers[1].doubt == ""
        heavy.start()
        await make(there, "back")
        await eventually(lambda: ended(there, "back"))


async def test_a_pause_counts_for_every_server(heavy: RedisServer) -> None:
    there = servers.named("heavy")
    await asyncio.to_thread(sweeping.pause, "clock step")
    async with running() as timers:
        await make(there, "waits")
        await eventually(lambda: timers._servers[1].doubt == "clock step")
        await asyncio.to_thread(sweeping.resume)
        await eventually(lambda: ended(there, "waits"))


def test_each_further_server_is_named_once(heavy: RedisServer, settings: Any) -> None:
    assert len(servers.further()) == 1
    settings.BILLING_REDIS_URLS = {"own": settings.REDIS_URL}
    assert servers.further() == {}


async def test_the_end_is_reached_though_a_task_misses_its_first_cancellation(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(process, "CANCEL_AGAIN_SECONDS", 0.01)

    async def closes_a_lost_connection() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.Event().wait()

    task = asyncio.create_task(closes_a_lost_connection())
    await asyncio.sleep(0)
    await process.cancel_all([task])
    assert task.cancelled()
