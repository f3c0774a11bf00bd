"""Commands of requests that are served at the same moment travel to Redis together.

One EVALSHA per request costs a process more than Redis: a write, a wake-up and a read each.
While one pipeline is under way, whatever else arrives waits for the next, so an idle server
answers at once and a busy one in ever fuller pipelines. Order per aggregate is kept, and each
command gets an outcome of its own.
"""

import asyncio
from collections.abc import Sequence
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from poolsite import hotpath
from poolsite.hotpath import Command, HotPathError

T = TypeVar("T")

PIPELINE_COMMANDS = 256
STALLED_SECONDS = 0.05  # a pipeline under way for longer no longer holds up the others
PIPELINES_LIMIT = 8

_Waiting = tuple[Command[Any], asyncio.Future[Any]]


class Gatherer:
    """The commands of one event loop that wait for the next pipeline."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._waiting: list[_Waiting] = []
        self._under_way: set[asyncio.Task[None]] = set()
        self._scheduled = False

    async def run(self, command: Command[T]) -> T:
        """Run one command. Raises Unavailable, UnknownOutcome or ScriptFailed."""
        future: asyncio.Future[T] = self._loop.create_future()
        self._waiting.append((command, future))
        if not self._scheduled and not self._under_way:
            self._scheduled = True
            self._loop.call_soon(self._start)  # after the other requests of this round
        return await future

    def _start(self) -> None:
        self._scheduled = False
        if not self._waiting:
            return
        batch = self._waiting[:PIPELINE_COMMANDS]
        del self._waiting[:PIPELINE_COMMANDS]
        task = self._loop.create_task(self._send(batch))
        self._under_way.add(task)
        task.add_done_callback(self._ended)
        self._loop.call_later(STALLED_SECONDS, self._go_on_without, task)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._under_way.discard(task)
        if self._waiting and not self._scheduled:
            self._start()

    def _go_on_without(self, task: asyncio.Task[None]) -> None:
        if task in self._under_way and self._waiting and len(self._under_way) < PIPELINES_LIMIT:
            self._start()
        elif task in self._under_way and not task.done():
            self._loop.call_later(STALLED_SECONDS, self._go_on_without, task)

    async def _send(self, batch: Sequence[_Waiting]) -> None:
        try:
            outcomes: Sequence[Any] = await hotpath.arun_batch([command for command, _ in batch])
        except BaseException as error:
            for _, future in batch:
                if not future.done():
                    future.set_exception(
                        error if isinstance(error, Exception) else hotpath.UnknownOutcome("stopped")
                    )
            raise
        for (_, future), outcome in zip(batch, outcomes, strict=True):
            if future.done():
                continue  # its request was cancelled; the command was executed all the same
            if isinstance(outcome, HotPathError):
                future.set_exception(outcome)
            else:
                future.set_result(outcome)


_gatherers: WeakKeyDictionary[asyncio.AbstractEventLoop, Gatherer] = WeakKeyDictionary()


def gatherer() -> Gatherer:
    """The running loop's."""
    loop = asyncio.get_running_loop()
    found = _gatherers.get(loop)
    if found is None:
        found = _gatherers[loop] = Gatherer()
    return found
