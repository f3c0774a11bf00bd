"""`manage.py timers`: the process that visits every aggregate when something is due.

It depends on Redis alone: no SQL, no Celery. Two or more processes may run. A lease for each shard
decides which of them visits its aggregates, and passes to another within 2 s when its holder dies.
"""

import asyncio
import logging
import os
import secrets
import signal
import socket
from collections.abc import Callable, Coroutine, Iterable
from math import ceil
from typing import Any

from poolsite import hotpath
from poolsite.hotpath.clock import pace
from poolsite.jobs import lease
from poolsite.timers import hearing, state
from poolsite.timers.clock import AWAY, what_is_said
from poolsite.timers.registry import further_servers
from poolsite.timers.server import Server, late_seconds
from poolsite.timers.shard import Shard

logger = logging.getLogger(__name__)

LEASE_SECONDS = 1.5
RENEW_SECONDS = 0.4
MARGIN_SECONDS = 0.2  # a holder stops this long before its lease ends
LEFT_ALONE_SECONDS = 2.0  # a shard that was handed over is not taken back sooner
TELL_SECONDS = 1.0
FORGET_SECONDS = 60.0  # marks of processes that are gone
CANCEL_AGAIN_SECONDS = 1.0


class Timers:
    """One process. `run` continues until `stop`."""

    def __init__(self) -> None:
        self.name = f"{socket.gethostname()}:{os.getpid()}:{secrets.token_hex(3)}"
        self._hearing = hearing.begin()
        self._servers = [Server("", hotpath.default)]
        self._servers += [Server(*each) for each in _further()]
        self._shards = self._servers[0].shards  # a shard that is held is held on every server
        self._others = 0
        self._left_alone: dict[int, float] = {}
        self._stopping = asyncio.Event()

    def stop(self) -> None:
        """End, after releasing the leases."""
        self._stopping.set()

    async def run(self) -> None:
        """Hold leases and visit what is due, until `stop`."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self.stop)
        works: list[Coroutine[Any, Any, None]] = [
            self._keep_leases(),
            self._tell(),
            *(work for server in self._servers for work in server.works()),
        ]
        tasks = [asyncio.create_task(work) for work in works]
        tasks.append(asyncio.create_task(self._end()))
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        await cancel_all(tasks)
        await self._give_back()
        for task in done:
            task.result()  # a task that should run forever has failed: raise its error

    async def _end(self) -> None:
        await self._stopping.wait()

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
        """Send one command for each shard: its holder renews the lease, others try to take it."""
        wanted = [s for s in self._shards if s.held or self._left_alone.get(s.number, 0) < began]
        commands = [
            lease.command("acquire", state.lease_tag(s.number), self.name, LEASE_SECONDS)
            for s in wanted
        ]
        for shard, reply in zip(wanted, await hotpath.arun_batch(commands), strict=True):
            if isinstance(reply, hotpath.HotPathError):
                continue  # held until the lease ends
            if reply[0] == "1":
                until = began + LEASE_SECONDS - MARGIN_SECONDS
                for server in self._servers:
                    server.hold(shard.number, int(reply[1]), until)
            else:
                self._drop(shard.number)

    def _drop(self, number: int) -> None:
        for server in self._servers:
            server.drop(number)

    async def _share(self) -> None:
        """Hand over one shard while other processes hold fewer than their part."""
        mine = [shard for shard in self._shards if shard.held]
        if len(mine) > ceil(state.SHARDS / (1 + self._others)):
            self._left_alone[mine[-1].number] = pace() + LEFT_ALONE_SECONDS
            await self._release(mine[-1:])

    async def _release(self, shards: Iterable[Shard]) -> None:
        held = list(shards)
        for shard in held:
            self._drop(shard.number)
        await hotpath.arun_batch(
            [lease.command("release", state.lease_tag(s.number), self.name, 0) for s in held]
        )

    async def _give_back(self) -> None:
        try:
            await self._release([shard for shard in self._shards if shard.fence])
            await hotpath.aclient().hdel(state.PROCESSES_KEY, self.name)
        except AWAY:
            return  # the leases expire

    # -- apart from the visits --------------------------------------------------------------------

    async def _tell(self) -> None:
        """Leave a mark once a second, and count the other processes' marks."""
        while True:
            try:
                await self._leave_mark()
            except AWAY as error:
                logger.info("timers: no mark was left: %s", error)
            await asyncio.sleep(TELL_SECONDS)

    async def _leave_mark(self) -> None:
        client = hotpath.aclient()
        said = await what_is_said()
        for server in self._servers:
            server.clock.heed(*said)
        now = max((await hotpath.default().atimes()).values())
        self._hearing.note(now, bool(await client.exists(hearing.WEB_KEY)))
        mark = state.ProcessMark(
            process=self.name,
            at=now,
            shards=tuple(shard.number for shard in self._shards if shard.held),
            aggregates=sum(len(shard) for server in self._servers for shard in server.shards),
            visits=sum(shard.visits for server in self._servers for shard in server.shards),
            late_ms=_percentile_ms(late_seconds(self._servers)),
            paused=next((server.doubt for server in self._servers if server.doubt), ""),
        )
        await client.hset(state.PROCESSES_KEY, self.name, mark.text())
        marks = [state.mark_of(text) for text in (await client.hvals(state.PROCESSES_KEY))]
        self._others = sum(now - its.at < state.SILENT_SECONDS for its in marks) - 1
        gone = [its.process for its in marks if now - its.at > FORGET_SECONDS]
        if gone:
            await client.hdel(state.PROCESSES_KEY, *gone)


async def cancel_all(tasks: list[asyncio.Task[None]]) -> None:
    """Cancel until all have ended: a client that closes a lost connection can delay a task."""
    while pending := [task for task in tasks if not task.done()]:
        for task in pending:
            task.cancel()
        await asyncio.wait(pending, timeout=CANCEL_AGAIN_SECONDS)
    await asyncio.gather(*tasks, return_exceptions=True)


def _further() -> list[tuple[str, Callable[[], hotpath.HotPath]]]:
    def keep(path: hotpath.HotPath) -> Callable[[], hotpath.HotPath]:
        return lambda: path

    return [(name, keep(path)) for name, path in further_servers().items()]


def _percentile_ms(seconds: list[float]) -> float:
    if not seconds:
        return 0.0
    return round(sorted(seconds)[ceil(0.99 * len(seconds)) - 1] * 1_000, 1)
