"""The queue of one socket: limited, the newest state wins, and no frame is lost unnoticed.

Frames that wait here don't prove that the browser is slow: this process may be busy, and then the
current state replaces them. A socket is behind if its connection accepts nothing more, or if an ack
is overdue, since a server may queue without limit behind an awaited send (daphne does).
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Any, Protocol

from poolsite.live.frames import Frame, stale
from poolsite.live.topics import Topic

Send = Callable[[dict[str, Any]], Awaitable[None]]

BEHIND_SECONDS = 2.0
BEHIND_CODE = 1013
FLUSH_SECONDS = 0.02  # topics that beat together are read within it: one write carries both
SOCKETS_PER_STEP = 200  # about 5 ms: with fewer, a busy process has time for everything but topics
URGENT_FRAMES = 500
ACKS_PER_SECOND = 500  # of a process: with more sockets, each is asked less often
ACK_SECONDS = (1.0, 4.0)  # but within these limits
ASKS_AT_ONCE_SECONDS = 0.5  # of the asks per second: no topic has a longer period


class Source(Protocol):
    """The source of a subscription's frames: a topic and its current state."""

    topic: Topic
    is_stale: bool

    def snapshot_frame(self) -> tuple[int, Frame]:
        """Return the version and frame of the state."""
        ...


class Subscription:
    """One subscription: the frames of one topic that wait for one socket."""

    __slots__ = ("_frames", "_needs_snapshot", "_outbox", "_source", "_version", "queued")

    def __init__(self, outbox: "Outbox", source: Source) -> None:
        self._source = source
        self.queued = False
        self._outbox = outbox
        self._frames: deque[Frame] = deque()
        self._needs_snapshot = False
        self._version = -1

    def reset(self, version: int, *frames: Frame) -> None:
        """Start again from `version`, with these frames to send first."""
        self._frames.clear()
        self._frames.extend(frames)
        self._needs_snapshot = False
        self._version = version
        self._outbox.ready(self)

    def push(self, frame: Frame) -> None:
        """Queue a change. If it does not fit or does not follow, a snapshot replaces the queue."""
        if self._needs_snapshot:
            return
        if frame.base == self._version and len(self._frames) < self._source.topic.waiting_frames:
            self._frames.append(frame)
            self._version = frame.to
        elif frame.to == self._version:
            return
        else:
            self._frames.clear()
            self._needs_snapshot = True
        if not self.queued:
            self._outbox.ready(self)

    def stop(self) -> None:
        """End the subscription: nothing of this topic is sent any more."""
        self._frames.clear()
        self._needs_snapshot = False
        self._version = -1

    def tell(self, frame: Frame) -> None:
        """Queue a frame about the topic that carries no state (stale, current)."""
        if not self._needs_snapshot:
            self._frames.append(frame)
            self._outbox.ready(self)

    def next(self) -> Frame | None:
        """Return the frame to send now, or None if nothing waits."""
        if self._needs_snapshot:
            self._needs_snapshot = False
            self._version, frame = self._source.snapshot_frame()
            if self._source.is_stale:
                self._frames.append(stale(self._source.topic.address))
            return frame
        return self._frames.popleft() if self._frames else None


class Flusher:
    """Wakes the senders of many sockets with a short delay, so that the frames of several topics go
    out in one write (the system call is the main cost of a frame). It wakes a few sockets at a
    time, so that a personal message does not wait behind a thousand of them. It also decides how
    often each socket is asked for an ack, and spreads the asks: thousands of answers in the same
    moment would delay the frames that follow.
    """

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._waiting: deque[Outbox] = deque()
        self._calm = asyncio.Event()
        self._calm.set()
        self.ack_seconds, _ = ACK_SECONDS
        self._asks_per_second = float(ACKS_PER_SECOND)
        self._asks_left = self._asks_per_second * ASKS_AT_ONCE_SECONDS
        self._asked_at = self._loop.time()

    def pace_acks(self, sockets: int) -> None:
        """Set how often this number of sockets is asked, as often as the process can bear."""
        least, most = ACK_SECONDS
        self.ack_seconds = min(most, max(least, sockets / ACKS_PER_SECOND))
        self._asks_per_second = max(ACKS_PER_SECOND, sockets / most)

    def may_ask(self, now: float) -> bool:
        """Return whether one more socket may be asked for an ack now. If not, try a later frame."""
        earned = (now - self._asked_at) * self._asks_per_second
        at_once = self._asks_per_second * ASKS_AT_ONCE_SECONDS
        self._asked_at = now
        self._asks_left = min(at_once, self._asks_left + earned)
        if self._asks_left < 1:
            return False
        self._asks_left -= 1
        return True

    def add(self, outbox: "Outbox") -> None:
        if not self._waiting:
            self._loop.call_later(FLUSH_SECONDS, self._flush)
        self._waiting.append(outbox)
        if len(self._waiting) > SOCKETS_PER_STEP:
            self._calm.clear()

    async def calm(self) -> None:
        """Wait until all but a step's worth of the sockets have been sent what was queued before.

        A topic that is read while thousands still wait only makes frames that are old when they are
        sent. A process that is short of time sends fewer frames, each with the newest state.
        """
        await self._calm.wait()

    def _flush(self) -> None:
        for _ in range(min(SOCKETS_PER_STEP, len(self._waiting))):
            self._waiting.popleft().wake()
        if len(self._waiting) <= SOCKETS_PER_STEP:
            self._calm.set()
        if self._waiting:
            self._loop.call_soon(self._flush)


class Outbox:
    """The frames of one socket and the task that sends them, one awaited send at a time."""

    def __init__(self, flusher: Flusher) -> None:
        self._loop = asyncio.get_running_loop()
        self._flusher = flusher
        self._is_flushing = False
        self._urgent: deque[Frame] = deque()
        self._lines: deque[Subscription] = deque()
        self._waiter: asyncio.Future[None] | None = None
        self._sending_since = 0.0  # 0: no frame is being sent
        self._unanswered: deque[tuple[int, float]] = deque()
        self._marked = 0
        self._ask_at = 0.0
        self.close_code = 0

    def ready(self, line: Subscription) -> None:
        """Add the line to the queue and have the sender woken a moment later."""
        if not line.queued:
            line.queued = True
            self._lines.append(line)
        if self._waiter is not None and not self._is_flushing:
            self._is_flushing = True
            self._flusher.add(self)

    def put(self, frame: Frame) -> None:
        """Queue a personal message or an answer, before all topics."""
        if len(self._urgent) >= URGENT_FRAMES:
            self.close(BEHIND_CODE)
        else:
            self._urgent.append(frame)
            self.wake()

    def close(self, code: int) -> None:
        """Have the socket closed. Frames that still wait are not sent."""
        if not self.close_code:
            self.close_code = code
            self.wake()

    def acknowledge(self, mark: int) -> bool:
        """Record that the browser has read up to this mark. Return whether it had been asked."""
        count = len(self._unanswered)
        while self._unanswered and self._unanswered[0][0] <= mark:
            self._unanswered.popleft()
        return len(self._unanswered) < count

    def is_behind(self, now: float) -> bool:
        """Return whether a frame was not accepted, or an ack not answered, for more than 2 s."""
        if self._sending_since and now - self._sending_since > BEHIND_SECONDS:
            return True
        return bool(self._unanswered) and now - self._unanswered[0][1] > BEHIND_SECONDS

    def wake(self) -> None:
        """Have the sender check its queues at once."""
        self._is_flushing = False
        if self._waiter is not None:
            if not self._waiter.done():
                self._waiter.set_result(None)
            self._waiter = None

    async def run(self, send: Send) -> None:
        """Send until `close` is called, then return. The caller sends the close frame."""
        while not self.close_code:
            frame = self._next()
            if frame is None:
                self._waiter = self._loop.create_future()
                await self._waiter
                continue
            self._sending_since = now = self._loop.time()
            if frame.mark > self._marked and now >= self._ask_at and self._flusher.may_ask(now):
                self._ask_at = now + self._flusher.ack_seconds
                await send(frame.asking)
                self._marked = frame.mark
                self._unanswered.append((frame.mark, self._loop.time()))
            else:
                await send(frame.message)
            self._sending_since = 0.0

    def _next(self) -> Frame | None:
        if self._urgent:
            return self._urgent.popleft()
        while self._lines:
            line = self._lines[0]
            frame = line.next()
            if frame is None:
                line.queued = False
                self._lines.popleft()
                continue
            self._lines.rotate(-1)
            return frame
        return None
