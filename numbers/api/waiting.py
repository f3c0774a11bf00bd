"""A call that waits for a number. The pool stores its place; this process listens for its turn.

The pool publishes a message when a number is ready for a call ID. The offer is valid for a second.
Messages can get lost, so the waiter also asks again at the interval that the pool sets.
"""

import asyncio
import contextlib
import logging

from numbers import pool
from numbers.pool import Event, EventOutcome, PoolKeys
from poolsite import hotpath
from poolsite.api import waiting
from poolsite.api.reading import MalformedError

logger = logging.getLogger(__name__)


async def call(slug: str, event: Event) -> EventOutcome:
    """Request a number, and wait up to `event.wait_ms` for it. Raise the runner's errors.

    If the client leaves (the task is cancelled), the call leaves the queue and returns the number
    that it was offered.
    """
    if not event.call_id:
        raise MalformedError("wait_ms: a call that waits needs a call_id")
    call_id, wait_ms = event.call_id, event.wait_ms or 0
    if waiting.room().is_full:
        event, wait_ms = event.but(wait_ms=0), 0
    end = asyncio.get_running_loop().time() + wait_ms / 1000
    outcome = await hotpath.arun(pool.event(slug, event))
    if outcome.waiting:
        try:
            with waiting.room().one_more():
                return await _wait(slug, event, call_id, outcome, end)
        except asyncio.CancelledError:
            await asyncio.shield(_leave(slug, call_id))
            raise
    return outcome


async def _wait(
    slug: str, event: Event, call_id: str, outcome: EventOutcome, end: float
) -> EventOutcome:
    """Ask again at each message and at the pool's interval, until `end` (the loop's time)."""
    loop = asyncio.get_running_loop()
    channel = PoolKeys(slug).offers_channel
    listening = waiting.waiters().listening(channel, call_id)
    async with listening as news:
        while True:
            pause = min(end - loop.time(), (outcome.retry_ms or 1000) / 1000)
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(news.wait(), max(0.0, pause))
            news.clear()
            left_ms = max(0, int((end - loop.time()) * 1000))
            outcome = await hotpath.arun(pool.event(slug, event.but(wait_ms=left_ms)))
            if not outcome.waiting:
                return outcome


async def _leave(slug: str, call_id: str) -> None:
    """Hang up for a client that left. This also returns a number that it had just got."""
    try:
        await hotpath.arun(
            pool.event(slug, Event.of("hangup", call_id=call_id, reason="caller left"))
        )
    except hotpath.HotPathError as error:
        logger.info("numbers: a waiting call of %s could not leave: %s", slug, error)
