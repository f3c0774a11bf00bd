"""A call that waits for a number: it stands in the pool, this process only listens for its turn.

The pool tells by pub/sub when a number stands ready for a call id; the offer is good for a
second. News can get lost, so the waiter also asks again by itself, as often as the pool says.
"""

import asyncio
import contextlib
import logging
from dataclasses import replace

from numbers import pool
from numbers.pool import Event, EventOutcome, PoolKeys
from poolsite import hotpath
from poolsite.api import waiting
from poolsite.api.reading import MalformedError

logger = logging.getLogger(__name__)


async def call(slug: str, event: Event) -> EventOutcome:
    """Ask for a number, waiting up to `event.wait_ms` for it. Raises as the runner does.

    Given up by its client (the task is cancelled), the call leaves the queue and gives back
    what it was offered.
    """
    if not event.call_id:
        raise MalformedError("wait_ms: a call that waits needs a call_id")
    if waiting.room().is_full:
        event = replace(event, wait_ms=0)
    end = asyncio.get_running_loop().time() + event.wait_ms / 1000
    outcome = await hotpath.arun(pool.event(slug, event))
    if outcome.waiting:
        try:
            with waiting.room().one_more():
                return await _wait(slug, event, outcome, end)
        except asyncio.CancelledError:
            await asyncio.shield(_leave(slug, event))
            raise
    return outcome


async def _wait(slug: str, event: Event, outcome: EventOutcome, end: float) -> EventOutcome:
    """Ask again at each news, and as often as the pool says, until `end` (the loop's time)."""
    loop = asyncio.get_running_loop()
    channel = PoolKeys(slug).offers_channel
    listening = waiting.waiters().listening(channel, event.call_id)
    async with listening as news:
        while True:
            pause = min(end - loop.time(), (outcome.retry_ms or 1000) / 1000)
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(news.wait(), max(0.0, pause))
            news.clear()
            left_ms = max(0, int((end - loop.time()) * 1000))
            outcome = await hotpath.arun(pool.event(slug, replace(event, wait_ms=left_ms)))
            if not outcome.waiting:
                return outcome


async def _leave(slug: str, event: Event) -> None:
    """Hang up for a client that is gone. A number it had just got is given back as well."""
    try:
        await hotpath.arun(
            pool.event(slug, Event("hangup", call_id=event.call_id, reason="caller left"))
        )
    except hotpath.HotPathError as error:
        logger.info("numbers: a waiting call of %s could not leave: %s", slug, error)
