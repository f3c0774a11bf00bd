"""Requests that wait for a message from Redis before they are answered: for a number, a permit.

The state is in Redis, and this process only listens. A message can get lost, so a waiter also
checks again at intervals.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Iterator
from typing import Final, TypeVar

from starlette.requests import Request

from poolsite.live.hub import hub_of_loop
from poolsite.per_loop import PerLoop

T = TypeVar("T")
WAITERS_PER_PROCESS: Final = 5_000
WAIT_LIMIT_MS: Final = 60_000  # in one request


class Waiters:
    """The listeners in this loop, by channel and by the text of their message."""

    def __init__(self) -> None:
        self._waiting: dict[str, dict[str, set[asyncio.Event]]] = {}

    def count(self, channel: str) -> int:
        """Return how many listen to a channel."""
        return sum(map(len, self._waiting.get(channel, {}).values()))

    @contextlib.asynccontextmanager
    async def listening(self, channel: str, text: str) -> AsyncIterator[asyncio.Event]:
        """Yield an event that is set at each message with this text."""
        news = asyncio.Event()
        by_text = self._waiting.setdefault(channel, {})
        by_text.setdefault(text, set()).add(news)

        def heard(message: str) -> None:
            for waiter in self._waiting.get(channel, {}).get(message, ()):
                waiter.set()

        try:
            async with hub_of_loop().wakes.listening([channel], heard):
                yield news
        finally:
            by_text[text].discard(news)
            if not by_text[text]:
                del by_text[text]
            if not by_text and self._waiting.get(channel) is by_text:
                del self._waiting[channel]


waiters = PerLoop(Waiters)


class WaiterLimit:
    """The number of this loop's waiting requests, limited to WAITERS_PER_PROCESS."""

    def __init__(self) -> None:
        self.count = 0

    @property
    def is_full(self) -> bool:
        """Whether no more requests may wait."""
        return self.count >= WAITERS_PER_PROCESS

    @contextlib.contextmanager
    def one_more(self) -> Iterator[None]:
        """Count one waiting request for the duration of the context."""
        self.count += 1
        try:
            yield
        finally:
            self.count -= 1


room = PerLoop(WaiterLimit)


async def while_connected(request: Request, work: Awaitable[T]) -> T:
    """Run the work while the client is connected. If the client leaves, cancel the work and raise
    ConnectionResetError. The request's body must have been read before.
    """
    running = asyncio.ensure_future(work)
    gone = asyncio.ensure_future(_disconnected(request))
    try:
        await asyncio.wait([running, gone], return_when=asyncio.FIRST_COMPLETED)
        if not running.done():
            raise ConnectionResetError("the client left while its request waited")
        return running.result()
    finally:
        running.cancel()
        gone.cancel()


async def _disconnected(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
