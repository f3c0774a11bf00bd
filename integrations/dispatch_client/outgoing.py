"""A peer's own frames: numbered, kept until the dispatcher acknowledges them, sent again."""

import asyncio
from collections import deque
from dataclasses import dataclass

from .codec import Frame


@dataclass(slots=True)
class _Item:
    frame: Frame
    seq: int = 0  # 0 = never sent


class Outgoing:
    """The queue of one peer. It outlives its links; the numbers may begin anew with a link."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._items: deque[_Item] = deque()
        self._unsent: deque[_Item] = deque()
        self._last = 0  # the number of the last frame that was given one
        self._acknowledged = 0
        self._linked = False
        self._closed: Exception | None = None
        self._room = asyncio.Condition()
        self._more = asyncio.Event()

    def __len__(self) -> int:
        return len(self._items)

    @property
    def waiting(self) -> bool:
        """Whether there is something to send on this link."""
        return bool(self._unsent)

    async def put(self, frame: Frame) -> None:
        """Queue a frame; waits while too many are unacknowledged. Raises what `close` was given."""
        async with self._room:
            await self._room.wait_for(lambda: self._closed or len(self._items) < self._limit)
            self.put_nowait(frame)

    def put_nowait(self, frame: Frame) -> None:
        """Queue a frame, limit or not (an end must not wait behind messages)."""
        if self._closed is not None:
            raise self._closed
        item = _Item(frame)
        self._items.append(item)
        self._unsent.append(item)
        self._more.set()

    def begin(self, received: int, *, again: bool) -> list[Frame]:
        """A new link: the dispatcher has everything up to `received`.

        What it lacks is sent again, under new numbers if it has forgotten the old ones. With
        `again` false frames that were sent and not acknowledged are given up and returned:
        nobody knows what became of them. Frames never sent are kept either way.
        """
        if self._acknowledged <= received <= self._last:
            self._forget_until(received)
        given_up: list[Frame] = []
        if not again:
            given_up = [item.frame for item in self._items if item.seq]
            self._items = deque(item for item in self._items if not item.seq)
        self._acknowledged = self._last = received
        for item in self._items:
            item.seq = 0
        self._unsent = deque(self._items)
        self._linked = True
        self._more.set()
        return given_up

    def pause(self) -> None:
        """The link is gone: what is queued waits for the next one."""
        self._linked = False

    def first(self, frame: Frame) -> None:
        """Queue a frame before all others; only before the first link (SIP's `clear`)."""
        item = _Item(frame)
        self._items.appendleft(item)
        self._unsent.appendleft(item)
        self._more.set()

    async def next(self) -> Frame:
        """The next frame to send on this link, with its number; waits for one."""
        while not (self._linked and self._unsent):
            self._more.clear()
            await self._more.wait()
        item = self._unsent.popleft()
        self._last += 1
        item.seq = self._last
        return {**item.frame, "seq": item.seq}

    async def acknowledge(self, seq: int) -> None:
        """The dispatcher has done everything up to here."""
        async with self._room:
            self._acknowledged = max(self._acknowledged, min(seq, self._last))
            self._forget_until(self._acknowledged)
            self._room.notify_all()

    async def empty(self) -> None:
        """Wait until everything is acknowledged, or nothing is taken any more."""
        async with self._room:
            await self._room.wait_for(lambda: self._closed or not self._items)

    async def close(self, error: Exception) -> None:
        """Take nothing more: a put raises this."""
        async with self._room:
            self._closed = error
            self._room.notify_all()

    def frames(self) -> list[Frame]:
        """What is not acknowledged, in order."""
        return [item.frame for item in self._items]

    def _forget_until(self, seq: int) -> None:
        while self._items and 0 < self._items[0].seq <= seq:
            self._items.popleft()
