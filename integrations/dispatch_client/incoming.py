"""The dispatcher's frames: repeats dropped, handled in order per session, then acknowledged."""

import asyncio
import logging
from collections import deque
from collections.abc import Awaitable, Callable
from contextlib import suppress

from .waiting import within

logger = logging.getLogger(__name__)

ACK_EVERY = 64
ACK_SECONDS = 0.05

Job = Callable[[], Awaitable[None]]


class Inbox:
    """Which numbered frames came and which were handled, since the numbers last began anew."""

    def __init__(self, received: int = 0) -> None:
        self.received = received
        self.handled = received
        self._ahead: set[int] = set()

    def take(self, seq: int) -> bool:
        """Whether the frame is the next one; False: it was here before.

        Raises ValueError when one between is missing: the link is then made anew.
        """
        if seq <= self.received:
            return False
        if seq != self.received + 1:
            raise ValueError(f"frame {seq} after {self.received}")
        self.received = seq
        return True

    def done(self, seq: int) -> bool:
        """The frame was handled; returns whether there is more to acknowledge now."""
        self._ahead.add(seq)
        before = self.handled
        while self.handled + 1 in self._ahead:
            self.handled += 1
            self._ahead.discard(self.handled)
        return self.handled > before


class Serial:
    """Runs the jobs of one key one after another, those of different keys side by side."""

    def __init__(self) -> None:
        self._queues: dict[str, deque[Job]] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    def submit(self, key: str, job: Job) -> None:
        """Have the job run when all earlier ones of its key have ended."""
        queue = self._queues.get(key)
        if queue is not None:
            queue.append(job)
            return
        self._queues[key] = deque([job])
        task = asyncio.get_running_loop().create_task(self._drain(key))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _drain(self, key: str) -> None:
        queue = self._queues[key]
        try:
            while queue:
                job = queue.popleft()
                try:
                    await job()
                except Exception:
                    # The frame counts as handled: it would fail again, and hold up all others.
                    logger.exception("a handler of %s failed", key or "a frame without a session")
        finally:
            del self._queues[key]

    async def idle(self) -> None:
        """Wait until nothing runs."""
        while self._tasks:
            await asyncio.wait(tuple(self._tasks))

    async def aclose(self) -> None:
        """End what still runs."""
        tasks = tuple(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


class Acks:
    """Has what was handled acknowledged, many frames at a time or after a moment."""

    def __init__(self, send: Job) -> None:
        self._send = send
        self._due = asyncio.Event()
        self._many = asyncio.Event()
        self._count = 0

    def due(self) -> None:
        """There is something to say, be it again."""
        self._due.set()

    def handled(self) -> None:
        """One more frame was handled."""
        self._count += 1
        self._due.set()
        if self._count >= ACK_EVERY:
            self._many.set()

    async def run(self) -> None:
        """Say it, again and again."""
        while True:
            await self._due.wait()
            await within(ACK_SECONDS, self._many.wait())
            self._due.clear()
            self._many.clear()
            self._count = 0
            with suppress(OSError):  # said again on the next link
                await self._send()
