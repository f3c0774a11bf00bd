"""Requests that wait for a message from Redis before they are answered: for a number, a permit.

The state is in Redis, and this process only listens. A message can get lost, so a waiter also
checks again at intervals.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Iterator
from functools import partial
from typing import Any, Final, TypeVar

from starlette.requests import Request

from poolsite import access
from poolsite.access import Principal
from poolsite.access.rights.watches import LOST_RIGHTS, TRY_AGAIN
from poolsite.api.problems import RefusedError
from poolsite.live.hub import hub_of_loop
from poolsite.per_loop import PerLoop

T = TypeVar("T")
WAITERS_PER_PROCESS: Final = 5_000
WAIT_LIMIT_MS: Final = 60_000  # in one request
WATCHED_AFTER_SECONDS: Final = 0.5  # a watch reads SQL, and most waits are shorter than this


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


async def while_allowed(request: Request, principal: Principal, work: Awaitable[T]) -> T:
    """Run the work while the client is connected and keeps its rights. Otherwise cancel it.

    Raise ConnectionResetError if the client leaves, and RefusedError if its credential ends or
    loses rights. The request's body must have been read before.
    """
    running = asyncio.ensure_future(work)
    gone = asyncio.ensure_future(_disconnected(request))
    revoked: asyncio.Future[int] = asyncio.get_running_loop().create_future()
    either: list[asyncio.Future[Any]] = [running, gone]
    watch = None
    try:
        first = asyncio.FIRST_COMPLETED
        await asyncio.wait(either, timeout=WATCHED_AFTER_SECONDS, return_when=first)
        if not (running.done() or gone.done()):
            watch = access.watch(principal, partial(_note, revoked))
            await asyncio.wait([*either, revoked], return_when=first)
        if running.done():
            return running.result()
        if revoked.done():
            raise RefusedError(
                "forbidden" if revoked.result() == LOST_RIGHTS else "unauthenticated"
            )
        raise ConnectionResetError("the client left while its request waited")
    finally:
        if watch is not None:
            watch.close()
        running.cancel()
        gone.cancel()


def _note(revoked: "asyncio.Future[int]", code: int) -> None:
    if code != TRY_AGAIN:  # while SQL is away no right can change, and the wait is short
        revoked.set_result(code)


async def _disconnected(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
