"""One shard: its agenda, and the task that visits what is due while the lease is held."""

import asyncio
import logging
from collections import deque
from collections.abc import Awaitable, Callable, Iterable

from poolsite import hotpath
from poolsite.hotpath import HotPath
from poolsite.hotpath.clock import pace
from poolsite.timers.agenda import Agenda
from poolsite.timers.registry import Visited, kind_of

logger = logging.getLogger(__name__)

BATCH = 64  # aggregates visited in one pipeline
# Deadlines of one aggregate that are closer together than this are handled by one visit.
LEAST_GAP_SECONDS = 0.03
STUCK_SECONDS = 0.5
RETRY_SECONDS = 0.25  # after a visit that Redis did not answer
REMEMBERED_VISITS = 2_000


class Shard:
    """Visits the aggregates of one shard on one Redis while `held_until` has not passed.

    Several processes may believe for a moment that they hold a shard. That does no harm: a visit is
    one script, decides by Redis' time, and does what is due once.
    """

    def __init__(
        self, number: int, path: Callable[[], HotPath], may_visit: Callable[[], Awaitable[bool]]
    ) -> None:
        self.number = number
        self.fence = 0
        self.held_until = 0.0  # by our own clock, `pace`
        self.visits = 0
        self.late_seconds: deque[float] = deque(maxlen=REMEMBERED_VISITS)
        self._agenda = Agenda()
        self._path = path
        self._may_visit = may_visit
        self._changed = asyncio.Event()
        self._awaited: set[str] = set()  # due at a time that a visit returned, not by idle_seconds

    def __len__(self) -> int:
        return len(self._agenda)

    @property
    def held(self) -> bool:
        """Whether the lease is ours, as far as we know."""
        return pace() < self.held_until

    def hold(self, fence: int, until: float, tags: Iterable[str]) -> None:
        """Record that the lease is ours until then. A new hold starts with a visit to every
        aggregate.
        """
        new = fence != self.fence
        self.fence, self.held_until = fence, until
        if new:
            self._agenda.clear()
            self.bring_forward(tags)

    def drop(self) -> None:
        """Record that the lease is not ours."""
        self.fence, self.held_until = 0, 0.0
        self._agenda.clear()

    def bring_forward(self, tags: Iterable[str]) -> None:
        """Visit these aggregates at once."""
        now = pace()
        for tag in tags:
            self._agenda.put(tag, now)
            self._awaited.discard(tag)
        self._changed.set()

    def know(self, tags: Iterable[str]) -> None:
        """Visit those of these aggregates at once that are not in the agenda."""
        self.bring_forward([tag for tag in tags if tag not in self._agenda])

    async def run(self) -> None:
        """Visit what is due, forever."""
        while True:
            await self._wait()
            if not self.held:
                continue
            due = self._agenda.pop(pace(), BATCH)
            if not due:
                continue
            if not await self._may_visit():
                self._later([tag for _, tag in due], RETRY_SECONDS)
                continue
            await self._visit(due)

    async def _wait(self) -> None:
        """Wait until the first aggregate is due, or the agenda changes."""
        self._changed.clear()
        due = self._agenda.next_due() if self.held else None
        timeout = None if due is None else max(0.0, due - pace())
        if timeout == 0.0:
            await asyncio.sleep(0)
            return
        try:
            async with asyncio.timeout(timeout):
                await self._changed.wait()
        except TimeoutError:
            return

    async def _visit(self, due: list[tuple[float, str]]) -> None:
        known = [(tag, kind) for _, tag in due if (kind := kind_of(tag)) is not None]
        began = pace()
        self._note_lateness(due, began)
        commands = [kind.visit(kind.slug_of(tag)) for tag, kind in known]
        answers = await self._path().arun_batch(commands)
        self.visits += len(answers)
        for (tag, kind), answer in zip(known, answers, strict=True):
            if isinstance(answer, hotpath.HotPathError):
                self._failed(tag, kind.idle_seconds, answer)
            elif answer is not None:  # None: it does not exist; a new one announces itself
                self._plan(tag, answer, kind.idle_seconds)

    def _note_lateness(self, due: list[tuple[float, str]], began: float) -> None:
        for at, tag in due:
            if tag in self._awaited:
                self._awaited.discard(tag)
                self.late_seconds.append(began - at)

    def _plan(self, tag: str, visited: Visited, idle_seconds: float) -> None:
        now = pace()
        if visited.more:
            self._agenda.put(tag, now)
            return
        wait = (visited.next_us - visited.now_us) / 1e6
        if wait <= 0:  # the visit stopped before what is due: a clock in doubt, or a newer release
            wait = STUCK_SECONDS
        if wait < idle_seconds:
            self._awaited.add(tag)
        self._agenda.put(tag, now + min(max(wait, LEAST_GAP_SECONDS), idle_seconds))

    def _failed(self, tag: str, idle_seconds: float, error: hotpath.HotPathError) -> None:
        if isinstance(error, hotpath.ScriptFailed):
            logger.error("timers: the visit of %s failed: %s", tag, error)
            self._later([tag], idle_seconds)
        else:
            self._later([tag], RETRY_SECONDS)

    def _later(self, tags: Iterable[str], seconds: float) -> None:
        due = pace() + seconds
        for tag in tags:
            self._agenda.put(tag, due)
