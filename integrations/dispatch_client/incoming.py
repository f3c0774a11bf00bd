"""The dispatcher's frames: drops repeats, handles them in order per session, acknowledges them."""

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
    """Which numbered frames were received and handled since the numbering last restarted."""

    def __init__(self, received: int = 0) -> None:
        self.received = received
        self.handled = received
        self._ahead: set[int] = set()

    def take(self, seq: int) -> bool:
        """Return True if the frame is the next one, False if it was received before.

        Raise ValueError if a frame in between is missing. The link is then closed and opened again.
        """
        if seq <= self.received:
            return False
        if seq != self.received + 1:
            raise ValueError(f"frame {seq} after {self.received}")
        self.received = seq
        return True

    def done(self, seq: int) -> bool:
        """Note that the frame was handled. Return whether there is more to acknowledge now."""
        self._ahead.add(seq)
        before = self.handled
        while self.handled + 1 in self._ahead:
            self.handled += 1
            self._ahead.discard(self.handled)
        return self.handled > before


class Serial:
    """Runs the jobs of one key one after another, and those of different keys concurrently."""

    def __init__(self) -> None:
        self._queues: dict[str, deque[Job]] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    def submit(self, key: str, job: Job) -> None:
        """Queue the job. It runs after all earlier jobs of the same key."""
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
                    # The frame counts as handled: a repeat would fail again and block all others.
                    logger.exception("a handler of %s failed", key or "a frame without a session")
        finally:
            del self._queues[key]

    async def idle(self) -> None:
        """Wait until no job runs."""
        while self._tasks:
            await asyncio.wait(tuple(self._tasks))

    async def aclose(self) -> None:
        """Cancel the jobs that still run."""
        tasks = tuple(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


class Acks:
    """Acknowledges handled frames: when there are many of them, or after a short time."""

    def __init__(self, send: Job) -> None:
        self._send = send
        self._due = asyncio.Event()
        self._many = asyncio.Event()
        self._count = 0

    def due(self) -> None:
        """Request an acknowledgement, even a repeated one."""
        self._due.set()

    def handled(self) -> None:
        """Count one more handled frame."""
        self._count += 1
        self._due.set()
        if self._count >= ACK_EVERY:
            self._many.set()

    async def run(self) -> None:
        """Send acknowledgements until cancelled."""
        while True:
            await self._due.wait()
            await within(ACK_SECONDS, self._many.wait())
            self._due.clear()
            self._many.clear()
            self._count = 0
            with suppress(OSError):  # repeated on the next link
                await self._send()
