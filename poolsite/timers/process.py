"""`manage.py timers`: the process that visits every aggregate when something of it is due.

Only Redis is on its path: no SQL, no Celery. Two or more may run; a lease for each shard says
who visits its aggregates, and passes on within 2 s when its holder dies.
"""

import asyncio
import logging
import os
import secrets
import signal
import socket
import zlib
from collections.abc import Coroutine, Iterable
from math import ceil
from typing import Any

from poolsite import hotpath
from poolsite.hotpath.clock import pace
from poolsite.jobs import lease
from poolsite.timers import hearing, state
from poolsite.timers.clock import AWAY, ClockGuard
from poolsite.timers.registry import kind_of
from poolsite.timers.shard import Shard

logger = logging.getLogger(__name__)

LEASE_SECONDS = 1.5
RENEW_SECONDS = 0.4
MARGIN_SECONDS = 0.2  # a holder stops this long before its lease ends
LEFT_ALONE_SECONDS = 2.0  # a shard that was handed on is not taken back sooner
SCAN_SECONDS = 60.0
SCRIPTS_SECONDS = 10.0
TELL_SECONDS = 1.0
FORGET_SECONDS = 60.0  # marks of processes that are gone
ANNOUNCED = "timers:new"  # a script publishes the tag of what may be due sooner than was thought


class Timers:
    """One process; `run` goes on until `stop`."""

    def __init__(self) -> None:
        self.name = f"{socket.gethostname()}:{os.getpid()}:{secrets.token_hex(3)}"
        self._clock = ClockGuard()
        self._hearing = hearing.begin()
        self._shards = [Shard(n, self._clock.in_order) for n in range(state.SHARDS)]
        self._tags: set[str] = set()
        self._others = 0
        self._left_alone: dict[int, float] = {}
        self._rescan = asyncio.Event()
        self._recheck = asyncio.Event()
        self._stopping = asyncio.Event()

    def stop(self) -> None:
        """End: give the leases back first."""
        self._stopping.set()

    async def run(self) -> None:
        """Hold leases and visit what is due, until `stop`."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self.stop)
        works: list[Coroutine[Any, Any, None]] = [
            self._listen(),
            self._scan(),
            self._keep_leases(),
            self._keep_scripts(),
            self._tell(),
            *(shard.run() for shard in self._shards),
        ]
        tasks = [asyncio.create_task(work) for work in works]
        tasks.append(asyncio.create_task(self._end()))
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._give_back()
        for task in done:
            task.result()  # what should run for ever has failed: say why

    async def _end(self) -> None:
        await self._stopping.wait()

    # -- which aggregates there are ---------------------------------------------------------------

    async def _scan(self) -> None:
        """Find every aggregate in Redis: at the start, each minute, after a lost connection."""
        while True:
            self._rescan.clear()
            try:
                scan = hotpath.aclient().scan_iter(match="{*}", count=1_000, _type="HASH")
                self._tags = {tag async for tag in scan if kind_of(tag) is not None}
                for shard in self._shards:
                    shard.know(self._of(shard.number))
                await _wait(self._rescan, SCAN_SECONDS)
            except AWAY as error:
                logger.info("timers: the aggregates were not read: %s", error)
                await asyncio.sleep(1)

    async def _listen(self) -> None:
        """Hear of aggregates that have something due sooner than was thought."""
        while True:
            try:
                client = await hotpath.pubsub_client()
                try:
                    await self._hear(client)
                finally:
                    await client.aclose()
            except AWAY as error:
                logger.info("timers: the announcements are not heard: %s", error)
            await asyncio.sleep(0.2)

    async def _hear(self, client: Any) -> None:
        async with client.pubsub() as pubsub:
            await pubsub.subscribe(ANNOUNCED)
            # What was announced meanwhile is found by reading all of them.
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
            self._shards[shard_of(tag)].bring_forward([tag])

    def _of(self, number: int) -> list[str]:
        return [tag for tag in self._tags if shard_of(tag) == number]

    # -- leases -----------------------------------------------------------------------------------

    async def _keep_leases(self) -> None:
        while True:
            began = pace()
            try:
                await self._renew_and_take(began)
                await self._share()
            except AWAY as error:
                logger.info("timers: the leases were not renewed: %s", error)
            await asyncio.sleep(max(0.05, RENEW_SECONDS - (pace() - began)))

    async def _renew_and_take(self, began: float) -> None:
        """One command for each shard; who holds it renews, who does not tries to take it."""
        wanted = [s for s in self._shards if s.held or self._left_alone.get(s.number, 0) < began]
        commands = [
            lease.command("acquire", state.lease_tag(s.number), self.name, LEASE_SECONDS)
            for s in wanted
        ]
        for shard, reply in zip(wanted, await hotpath.arun_batch(commands), strict=True):
            if isinstance(reply, hotpath.HotPathError):
                continue  # held until the lease ends by itself
            if reply[0] == "1":
                until = began + LEASE_SECONDS - MARGIN_SECONDS
                shard.hold(int(reply[1]), until, self._of(shard.number))
            else:
                shard.drop()

    async def _share(self) -> None:
        """Hand one shard on while others hold fewer than their part."""
        mine = [shard for shard in self._shards if shard.held]
        if len(mine) > ceil(state.SHARDS / (1 + self._others)):
            self._left_alone[mine[-1].number] = pace() + LEFT_ALONE_SECONDS
            await self._release(mine[-1:])

    async def _release(self, shards: Iterable[Shard]) -> None:
        held = list(shards)
        for shard in held:
            shard.drop()
        await hotpath.arun_batch(
            [lease.command("release", state.lease_tag(s.number), self.name, 0) for s in held]
        )

    async def _give_back(self) -> None:
        try:
            await self._release([shard for shard in self._shards if shard.fence])
            await hotpath.aclient().hdel(state.PROCESSES_KEY, self.name)
        except AWAY:
            return  # they end by themselves

    # -- beside the visits ------------------------------------------------------------------------

    async def _keep_scripts(self) -> None:
        """Hold every script on every master: switches call them by their SHA."""
        while True:
            self._recheck.clear()
            try:
                path = hotpath.default()
                missing = await asyncio.to_thread(path.missing_scripts)
                if missing:
                    await asyncio.to_thread(path.load_scripts)
                    logger.warning("timers: %s scripts were missing and are loaded", len(missing))
                await _wait(self._recheck, SCRIPTS_SECONDS)
            except AWAY as error:
                logger.info("timers: the scripts were not checked: %s", error)
                await asyncio.sleep(1)

    async def _tell(self) -> None:
        """Leave a mark once a second, and count the others'."""
        while True:
            try:
                await self._leave_mark()
            except AWAY as error:
                logger.info("timers: no mark was left: %s", error)
            await asyncio.sleep(TELL_SECONDS)

    async def _leave_mark(self) -> None:
        await self._clock.heed()
        client = hotpath.aclient()
        now = max((await hotpath.default().atimes()).values())
        self._hearing.note(now, bool(await client.exists(hearing.WEB_KEY)))
        mark = state.ProcessMark(
            process=self.name,
            at=now,
            shards=tuple(shard.number for shard in self._shards if shard.held),
            aggregates=sum(map(len, self._shards)),
            visits=sum(shard.visits for shard in self._shards),
            late_ms=_percentile_ms([s for shard in self._shards for s in shard.late_seconds]),
            paused=self._clock.doubt,
        )
        await client.hset(state.PROCESSES_KEY, self.name, mark.text())
        marks = [state.mark_of(text) for text in (await client.hvals(state.PROCESSES_KEY))]
        self._others = sum(now - its.at < state.SILENT_SECONDS for its in marks) - 1
        gone = [its.process for its in marks if now - its.at > FORGET_SECONDS]
        if gone:
            await client.hdel(state.PROCESSES_KEY, *gone)


def shard_of(tag: str) -> int:
    """The shard of an aggregate's tag, the same in every process."""
    return zlib.crc32(tag.encode()) % state.SHARDS


def _percentile_ms(seconds: list[float]) -> float:
    if not seconds:
        return 0.0
    return round(sorted(seconds)[ceil(0.99 * len(seconds)) - 1] * 1_000, 1)


async def _wait(event: asyncio.Event, seconds: float) -> None:
    try:
        async with asyncio.timeout(seconds):
            await event.wait()
    except TimeoutError:
        return
