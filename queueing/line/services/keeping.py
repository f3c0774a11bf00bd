"""Keeps desks on time without the timers.

A web process looks after the desks whose visitors and agents it hears. It checks each of them when
something is due, a little after the timers, and does what the timers have not done (`desk.sweep`
decides, in one step). So the process that last heard a socket or poll notices when it no longer
responds.
"""

import asyncio
import logging
from contextlib import suppress

from asgiref.sync import SyncToAsync

from poolsite import hotpath, timers
from poolsite.hotpath.clock import pace
from poolsite.per_loop import PerLoop
from queueing.line import desk as commands

logger = logging.getLogger(__name__)

PATIENCE_SECONDS = 0.2  # the timers' usual delay is shorter
LOOK_SECONDS = 1.0  # the longest pause: new work may begin meanwhile
LEAST_SECONDS = 0.03
IDLE_SECONDS = 30.0  # a desk with nothing to do for this long is dropped
HELD_UP_SECONDS = 2.0  # longer: this process stood still or Redis failed, so no one was heard
BATCH = 64  # desks per pipeline


def heard(slug: str) -> None:
    """Note that this process heard a visitor or agent of this desk. Sends nothing to Redis itself.

    In a view's thread, the call is passed to the event loop that serves the view. In a worker or a
    command, it does nothing.
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        loop = getattr(SyncToAsync.threadlocal, "main_event_loop", None)
        if loop is not None:
            with suppress(RuntimeError):  # the loop has ended
                loop.call_soon_threadsafe(heard, slug)
    else:
        _keepers().keep(slug)


class DeskKeeper:
    """The desks that one event loop looks after. Its task runs while there are any."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._agenda = timers.Agenda()
        self._clock = timers.ClockGuard(hotpath.default)
        self._heeded_at = float("-inf")
        self.keeps: set[str] = set()
        self.looks = 0
        self._changed = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    def keep(self, slug: str) -> None:
        """Look after this desk from now on."""
        if slug in self.keeps:
            return
        self.keeps.add(slug)
        self._agenda.put(slug, pace())
        self._changed.set()
        if self._task is None:
            self._task = self._loop.create_task(self._run())

    async def _run(self) -> None:
        task = asyncio.current_task()
        # What we await may swallow a cancellation, and the loop waits for this task before it ends.
        while task is not None and not task.cancelling():
            due = self._agenda.next_due()
            if due is None:
                break
            await self._wait(due - pace())
            if pace() - due > HELD_UP_SECONDS:
                timers.here.interrupt()
            slugs = [slug for _, slug in self._agenda.pop(pace(), BATCH)]
            self.looks += 1
            try:
                await self._look(slugs)
            except Exception as error:
                if not isinstance(error, timers.AWAY):
                    logger.exception("line: desks were not kept")
                timers.here.interrupt()
                self._later(slugs)
        self._task = None

    async def _wait(self, seconds: float) -> None:
        self._changed.clear()
        with suppress(TimeoutError):
            async with asyncio.timeout(max(0.0, seconds)):
                await self._changed.wait()

    async def _look(self, slugs: list[str]) -> None:
        """Do what is due at these desks and still undone. Do nothing if the clock is in doubt."""
        if not slugs:
            return
        began = pace()
        if began - self._heeded_at > LOOK_SECONDS:
            self._clock.heed(*await timers.what_is_said())
            self._heeded_at = began
        if not await self._clock.in_order():
            self._later(slugs)
            return
        since = timers.here.since_ms
        answers = await hotpath.arun_batch(
            [
                commands.sweep(slug, heard_since_ms=since, patience_seconds=PATIENCE_SECONDS)
                for slug in slugs
            ]
        )
        if pace() - began > HELD_UP_SECONDS:
            timers.here.interrupt()
        for slug, answer in zip(slugs, answers, strict=True):
            self._plan(slug, answer)

    def _plan(self, slug: str, answer: commands.DeskSwept | hotpath.HotPathError | None) -> None:
        if isinstance(answer, hotpath.HotPathError):
            logger.warning("line: desk %s was not kept: %s", slug, answer)
            self._later([slug])
            return
        wait = (answer.next_us - answer.now_us) / 1e6 if answer is not None else IDLE_SECONDS
        if wait >= IDLE_SECONDS:
            self.keeps.discard(slug)
        elif answer is not None and answer.more:
            self._agenda.put(slug, pace() + LEAST_SECONDS)
        else:
            self._agenda.put(slug, pace() + min(max(wait, 0.0) + PATIENCE_SECONDS, LOOK_SECONDS))

    def _later(self, slugs: list[str]) -> None:
        for slug in slugs:
            self._agenda.put(slug, pace() + LOOK_SECONDS)


_keepers = PerLoop(DeskKeeper)
