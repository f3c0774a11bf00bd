"""One Redis whose aggregates are visited: its aggregates, its clock, its scripts, its visits."""

import asyncio
import logging
import zlib
from collections.abc import Callable, Coroutine, Iterable
from typing import Any

from poolsite.hotpath import HotPath
from poolsite.timers import state
from poolsite.timers.clock import AWAY, ClockGuard
from poolsite.timers.registry import kind_of
from poolsite.timers.shard import Shard

logger = logging.getLogger(__name__)

SCAN_SECONDS = 60.0
SCRIPTS_SECONDS = 10.0
ANNOUNCED = "timers:new"  # a script publishes an aggregate's tag if something may be due sooner


class Server:
    """All that one process does at one Redis. No part of it waits for another Redis.

    name: "" is the common server, where the leases are. `hold` and `drop` pass on their state.
    """

    def __init__(self, name: str, path: Callable[[], HotPath]) -> None:
        self.name = name
        self.clock = ClockGuard(path)
        self.shards = [Shard(n, path, self.clock.in_order) for n in range(state.SHARDS)]
        self._path = path
        self._tags: set[str] = set()
        self._rescan = asyncio.Event()
        self._recheck = asyncio.Event()

    def works(self) -> list[Coroutine[Any, Any, None]]:
        """Return the coroutines that run forever."""
        beside = [self._listen(), self._scan(), self._keep_scripts()]
        return [*beside, *(shard.run() for shard in self.shards)]

    def hold(self, number: int, fence: int, until: float) -> None:
        """Record that the lease of a shard is ours until then."""
        self.shards[number].hold(fence, until, self._of(number))

    def drop(self, number: int) -> None:
        """Record that the lease of a shard is not ours."""
        self.shards[number].drop()

    @property
    def doubt(self) -> str:
        """Why the clock is not trusted, or "" if it is. Also "" for an additional server that is
        away: its own health check reports that.
        """
        return "" if self.name and self.clock.away else self.clock.doubt

    def _of(self, number: int) -> list[str]:
        return [tag for tag in self._tags if shard_of(tag) == number]

    def _log(self, what: str, error: Exception) -> None:
        logger.info("timers: server %r: %s: %s", self.name, what, error)

    async def _scan(self) -> None:
        """Find every aggregate in Redis: at the start, each minute, and after a lost connection."""
        while True:
            self._rescan.clear()
            try:
                scan = self._path().aclient().scan_iter(match="{*}", count=1_000, _type="HASH")
                self._tags = {tag async for tag in scan if kind_of(tag) is not None}
                for shard in self.shards:
                    shard.know(self._of(shard.number))
                await wait_for(self._rescan, SCAN_SECONDS)
            except AWAY as error:
                self._log("the aggregates were not read", error)
                await asyncio.sleep(1)

    async def _listen(self) -> None:
        """Receive announcements of aggregates where something is due sooner than expected."""
        while True:
            try:
                client = await self._path().pubsub_client()
                try:
                    await self._hear(client)
                finally:
                    await client.aclose()
            except AWAY as error:
                self._log("the announcements are not heard", error)
            await asyncio.sleep(0.2)

    async def _hear(self, client: Any) -> None:
        async with client.pubsub() as pubsub:
            await pubsub.subscribe(ANNOUNCED)
            # A scan of all aggregates finds what was announced meanwhile.
            self._rescan.set()
            self._recheck.set()
            while True:
                message = await pubsub.get_message(ignore_subscribe_messages=True, timeout=5)
                if message is None:
                    await pubsub.ping()
                elif message["type"] == "message":
                    self._announced(str(message["data"]))

    def _announced(self, tag: str) -> None:
        if kind_of(tag) is not None:
            self._tags.add(tag)
            self.shards[shard_of(tag)].bring_forward([tag])

    async def check_scripts(self) -> int:
        """Load all scripts if a master lacks one of any app. Return how many were missing.

        Switches call scripts by their SHA, and Redis loses them on SCRIPT FLUSH and on a restart.
        The library for switches counts as missing while it is another release's.
        """
        path = self._path()
        missing = await asyncio.to_thread(path.missing_scripts)
        if missing:
            await asyncio.to_thread(path.load_scripts)
            logger.warning("timers: %s scripts were missing and are loaded", len(missing))
        return len(missing)

    async def _keep_scripts(self) -> None:
        """Check the scripts every SCRIPTS_SECONDS, and whenever Redis was away."""
        while True:
            self._recheck.clear()
            try:
                await self.check_scripts()
                await wait_for(self._recheck, SCRIPTS_SECONDS)
            except AWAY as error:
                self._log("the scripts were not checked", error)
                await asyncio.sleep(1)


def shard_of(tag: str) -> int:
    """Return the shard of an aggregate's tag, the same in every process and on every server."""
    return zlib.crc32(tag.encode()) % state.SHARDS


def late_seconds(servers: Iterable[Server]) -> list[float]:
    """Return how late the visits of the last minute were."""
    return [s for server in servers for shard in server.shards for s in shard.late_seconds]


async def wait_for(event: asyncio.Event, seconds: float) -> None:
    """Wait until the event is set, for up to this many seconds."""
    try:
        async with asyncio.timeout(seconds):
            await event.wait()
    except TimeoutError:
        return
