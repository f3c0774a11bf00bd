"""One subscribed topic in this process: read once in a period, sent to all its sockets."""

import asyncio
import logging
import math
from collections.abc import Callable
from contextlib import AbstractContextManager
from operator import methodcaller
from typing import Any

from poolsite import hotpath, tracing
from poolsite.hotpath import traces
from poolsite.live import frames
from poolsite.live.frames import Frame
from poolsite.live.outbox import Flusher, Outbox, Subscription
from poolsite.live.topics import Changes, Topic
from poolsite.live.wakes import Wakes

logger = logging.getLogger(__name__)

BEAT_SECONDS = 0.2  # all topics of a process read at multiples of it
SHORTEST_SHARE = 0.8  # the least part of a period from the first read after a pause to the next
DEAF_SECONDS = 1.0  # replaces the topic's safety_seconds while the wake channels are down
RETRY_SECONDS = (0.2, 0.5, 1.0, 2.0)
LINES_PER_STEP = 500


def next_beat(started: float, due: float, period: float) -> float:
    """Return when to read a topic again whose read started at `started` and was due at `due`.

    All topics of a process have the same rhythm: those of one aggregate share one read, and a
    socket's frames go out in one write. A read that started late does not delay the next one.
    """
    if started - due < period / 2:
        return round((due + period) / BEAT_SECONDS) * BEAT_SECONDS
    return math.ceil((started + SHORTEST_SHARE * period) / BEAT_SECONDS) * BEAT_SECONDS


class Feed:
    """The loop, the last state and the subscribers of one topic.

    The state is the first snapshot with every sent change applied to it. So a new socket costs no
    read, and every frame leads from one known version to the next.
    """

    def __init__(
        self, topic: Topic, wakes: Wakes, flusher: Flusher, mark: Callable[[], int]
    ) -> None:
        self.topic = topic
        self._period = topic.period_seconds
        self.lines: dict[Outbox, Subscription] = {}
        self.frames_sent = 0
        self._wakes = wakes
        self._flusher = flusher
        self._mark = mark
        self._loop = asyncio.get_running_loop()
        self._woken = asyncio.Event()
        self._reading = asyncio.Lock()
        self._ready = asyncio.Event()
        self._version = 0  # of the last frame that was sent
        self._read_version = 0  # of the last read; newer if nothing visible had changed
        self._moved_in_place = False  # the state changed by time alone since that version
        self._read_at = float("-inf")
        self._state: Any = None
        self._snapshot: Frame | None = None
        self.is_stale = False
        self._task = self._loop.create_task(self._run())

    def nudge(self) -> None:
        """Read the topic soon: something may have changed."""
        self._woken.set()

    async def join(self, outbox: Outbox, version: int | None) -> None:
        """Send the state to a socket, then every change. `version` is the version that it still
        has.
        """
        line = self.lines[outbox] = Subscription(outbox, self)
        if not self._ready.is_set() and self.is_stale:
            line.tell(frames.stale(self.topic.address))
        await self._ready.wait()
        async with self._reading:
            if self._loop.time() - self._read_at > self._period and not self.is_stale:
                await self._turn()
            first = await self._first_frame(version)
            if self.lines.get(outbox) is not line:
                return  # it left during the read
            line.reset(self._version, first)
            if self.is_stale:
                line.tell(frames.stale(self.topic.address))

    async def _first_frame(self, held: int | None) -> Frame:
        if held is None:
            return self.snapshot_frame()[1]
        if held == self._version and not self._moved_in_place:
            return frames.current(self.topic.address, held)
        try:
            missed = await self.topic.between(held, self._read_version)
        except Exception:
            logger.exception("live: cannot catch up on %s", self.topic.address)
            missed = None
        if missed is None or missed.before or missed.data is None:
            return self.snapshot_frame()[1]
        return frames.change(self.topic.address, held, self._version, missed.data)

    def leave(self, outbox: Outbox) -> None:
        """Send nothing more to this socket."""
        line = self.lines.pop(outbox, None)
        if line is not None:
            line.stop()

    def snapshot_frame(self) -> tuple[int, Frame]:
        """Return the version and frame of the state. Each version is encoded once."""
        if self._snapshot is None:
            self._snapshot = frames.snapshot(self.topic.address, self._version, self._state)
        return self._version, self._snapshot

    async def _run(self) -> None:
        async with self._wakes.listening(self.topic.wake_channels(), lambda _: self._woken.set()):
            failures = 0
            beat = float("-inf")  # when the read was due
            while True:
                if self._ready.is_set():  # a new socket does not have to wait
                    await self._flusher.calm()
                self._woken.clear()
                started = self._loop.time()
                moved = await self._read_once()
                if moved is None:
                    await asyncio.sleep(RETRY_SECONDS[min(failures, len(RETRY_SECONDS) - 1)])
                    failures += 1
                    continue
                failures = 0
                if moved:
                    beat = next_beat(started, beat, self._period)
                    await asyncio.sleep(beat - self._loop.time())
                else:
                    await self._sleep_until_woken(started)

    async def _sleep_until_woken(self, started: float) -> None:
        seconds = self.topic.safety_seconds if self._wakes.connected else DEAF_SECONDS
        due = self.topic.due_seconds()
        if due is not None:
            seconds = min(seconds, max(self._period, due))
        try:
            async with asyncio.timeout(seconds):
                await self._woken.wait()
        except TimeoutError:
            return
        early = max(started, self._read_at) + self._period - self._loop.time()
        if early > 0:
            await asyncio.sleep(early)

    async def _read_once(self) -> bool | None:
        """Return whether the source changed, or None if it could not be read."""
        async with self._reading:
            try:
                return await self._turn()
            except Exception as failure:
                # Whatever the error (Redis gone, SQL gone, a bug in the topic), its sockets get a
                # stale frame, other topics continue, and the read is tried again.
                if not self.is_stale:
                    logger.warning(
                        "live: %s cannot be read: %r", self.topic.address, failure, exc_info=True
                    )
                await self._go_stale()
                return None

    async def _turn(self) -> bool:
        self._read_at = self._loop.time()
        if not self._ready.is_set():
            await self._restart()
            self._ready.set()
            self.is_stale = False
            return True
        changes = await self.topic.changes(self._read_version)
        if changes is None:
            await self._restart()
            await self._broadcast_snapshot()
            self.is_stale = False
            return True
        await self._heal()
        moved = changes.version != self._read_version
        self._read_version = changes.version
        if changes.data is not None:
            await self._broadcast(changes)
        return moved

    async def _restart(self) -> None:
        snapshot = await self.topic.snapshot()
        self._version = self._read_version = snapshot.version
        self._state = snapshot.data
        self._snapshot = None
        self._moved_in_place = False

    async def _broadcast_snapshot(self) -> None:
        version, frame = self.snapshot_frame()
        self.frames_sent += 1
        await self._to_all(lambda line: line.reset(version, frame))

    async def _broadcast(self, changes: Changes) -> None:
        address, base = self.topic.address, self._version
        for part in (*changes.before, changes.data):
            self._state = self.topic.apply(self._state, part)
        self._moved_in_place = changes.version == base
        self._version = changes.version
        self._snapshot = None
        parts = [frames.change(address, base, base, part) for part in changes.before]
        last = frames.change(address, base, changes.version, changes.data, mark=self._mark())
        with await self._traced():
            for frame in (*parts, last):
                self.frames_sent += 1
                await self._to_all(methodcaller("push", frame))

    async def _traced(self) -> AbstractContextManager[Any]:
        """Return a span for a push that a traced request caused, otherwise an empty context."""
        links = await traces.alinks([self.topic.tag], hotpath.default())
        if not links:
            return tracing.OFF
        shown: dict[str, str | int] = {"poolsite.sockets": len(self.lines)}
        shown["poolsite.topic"] = self.topic.name
        return tracing.span("live push", "producer", links=links, attributes=shown)

    async def _heal(self) -> None:
        if self.is_stale:
            self.is_stale = False
            frame = frames.current(self.topic.address, self._version)
            await self._to_all(lambda line: line.tell(frame))

    async def _go_stale(self) -> None:
        if not self.is_stale:
            self.is_stale = True
            frame = frames.stale(self.topic.address)
            await self._to_all(lambda line: line.tell(frame))

    async def _to_all(self, tell: Callable[[Subscription], None]) -> None:
        for index, line in enumerate(list(self.lines.values()), start=1):
            tell(line)
            if index % LINES_PER_STEP == 0:
                await asyncio.sleep(0)

    async def aclose(self) -> None:
        """End the loop."""
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)
