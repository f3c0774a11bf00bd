"""The live state of one process: feeds, sockets and the wake connection that they share."""

import asyncio
import contextlib
import itertools
from collections import Counter
from collections.abc import AsyncIterator

from poolsite.live.feed import Feed
from poolsite.live.frames import Frame
from poolsite.live.outbox import BEHIND_CODE, Flusher, Outbox
from poolsite.live.publish import personal_channel
from poolsite.live.topics import Topic
from poolsite.live.wakes import Wakes
from poolsite.per_loop import PerLoop

LINGER_SECONDS = 5.0  # a topic is still read for this long while the user changes to the next page
SWEEP_SECONDS = 0.5
SOCKETS_PER_PRINCIPAL = 40
LATE_SECONDS = 0.25  # this process itself was delayed, so its sockets' answers are still unread:
BREATH_SECONDS = 2.0  # no socket is judged for this long


class LiveHub:
    """One hub per event loop, created at first use by `hub_of_loop`."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self.flusher = Flusher()
        self.wakes = Wakes(on_change=self._wakes_changed)
        self.feeds: dict[str, Feed] = {}
        self.outboxes: set[Outbox] = set()
        self.closed_behind = 0
        self._per_principal: Counter[str] = Counter()
        self._closing: dict[str, asyncio.TimerHandle] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._marks = itertools.count(1)
        self._sweeper: asyncio.Task[None] | None = None

    @contextlib.asynccontextmanager
    async def socket(self, who: str, outbox: Outbox) -> AsyncIterator[bool]:
        """Register a socket and its personal channel. Yield False if its principal has too many."""
        if self._per_principal[who] >= SOCKETS_PER_PRINCIPAL:
            yield False
            return
        self._per_principal[who] += 1
        self.outboxes.add(outbox)
        self.flusher.pace_acks(len(self.outboxes))
        if self._sweeper is None:
            self._sweeper = self._loop.create_task(self._sweep())
        try:
            channel = personal_channel(who)
            async with self.wakes.listening([channel], lambda text: outbox.put(Frame(text))):
                yield True
        finally:
            self.closed_behind += outbox.close_code == BEHIND_CODE
            self.outboxes.discard(outbox)
            self.flusher.pace_acks(len(self.outboxes))
            self._per_principal[who] -= 1
            if not self._per_principal[who]:
                del self._per_principal[who]
            if not self.outboxes and self._sweeper is not None:
                self._sweeper.cancel()
                self._sweeper = None

    def topic(self, address: str) -> Topic | None:
        """Return the topic that this process reads for its sockets at an address, or None."""
        feed = self.feeds.get(address)
        return None if feed is None else feed.topic

    def nudge(self, address: str) -> None:
        """Have a topic read soon, if this process reads it."""
        feed = self.feeds.get(address)
        if feed is not None:
            feed.nudge()

    async def join(self, topic: Topic, outbox: Outbox, version: int | None) -> None:
        """Subscribe a socket. The feed starts with its first socket."""
        timer = self._closing.pop(topic.address, None)
        if timer is not None:
            timer.cancel()
        feed = self.feeds.get(topic.address)
        if feed is None:
            feed = Feed(topic, self.wakes, self.flusher, lambda: next(self._marks))
            self.feeds[topic.address] = feed
        await feed.join(outbox, version)

    def leave(self, address: str, outbox: Outbox) -> None:
        """Unsubscribe a socket. A feed without sockets ends a little later."""
        feed = self.feeds.get(address)
        if feed is None:
            return
        feed.leave(outbox)
        if not feed.lines and address not in self._closing:
            self._closing[address] = self._loop.call_later(LINGER_SECONDS, self._end, address)

    def _end(self, address: str) -> None:
        self._closing.pop(address, None)
        feed = self.feeds.pop(address, None)
        if feed is not None:
            task = self._loop.create_task(feed.aclose())
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    def _wakes_changed(self, connected: bool) -> None:
        for feed in self.feeds.values():
            feed.nudge()

    async def _sweep(self) -> None:
        """Close sockets that are found more than 2 s behind in two checks in a row. Answers that
        had arrived by the first check have been read by the second, however busy this process is.
        """
        judge_from = 0.0
        suspects: set[Outbox] = set()
        while True:
            before = self._loop.time()
            await asyncio.sleep(SWEEP_SECONDS)
            now = self._loop.time()
            if now - before > SWEEP_SECONDS + LATE_SECONDS:
                judge_from = now + BREATH_SECONDS
            if now < judge_from:
                suspects = set()
                continue
            behind = {outbox for outbox in self.outboxes if outbox.is_behind(now)}
            for outbox in behind & suspects:
                outbox.close(BEHIND_CODE)
            suspects = behind

    async def aclose(self) -> None:
        """End all tasks. For tests and an orderly shutdown: nothing relies on it."""
        for timer in self._closing.values():
            timer.cancel()
        self._closing.clear()
        await asyncio.gather(*(feed.aclose() for feed in self.feeds.values()))
        self.feeds.clear()
        if self._sweeper is not None:
            self._sweeper.cancel()
            self._sweeper = None
        await self.wakes.aclose()


hub_of_loop = PerLoop(LiveHub)


def hubs() -> list[LiveHub]:
    """Return every hub of this process, for the metrics."""
    return hub_of_loop.all()
