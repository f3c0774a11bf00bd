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
    that it was offered. A call that the client has requested again meanwhile continues.
    """
    if not event.call_id:
        raise MalformedError("wait_ms: a call that waits needs a call_id")
    call_id, wait_ms = event.call_id, event.wait_ms or 0
    if waiting.room().is_full:
        event, wait_ms = event.but(wait_ms=0), 0
    end = asyncio.get_running_loop().time() + wait_ms / 1000
    outcome = await hotpath.arun(pool.event(slug, event))
    if outcome.waiting:
        with waiting.room().one_more():
            return await _wait(slug, event, call_id, outcome, end)
    return outcome


async def _wait(
    slug: str, event: Event, call_id: str, outcome: EventOutcome, end: float
) -> EventOutcome:
    """Ask again at each message and at the pool's interval, until `end` (the loop's time)."""
    loop = asyncio.get_running_loop()
    channel = PoolKeys(slug).offers_channel
    listening = waiting.waiters().listening(channel, call_id)
    asking: asyncio.Future[EventOutcome] | None = None
    try:
        async with listening as news:
            while True:
                pause = min(end - loop.time(), (outcome.retry_ms or 1000) / 1000)
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(news.wait(), max(0.0, pause))
                news.clear()
                left_ms = max(0, int((end - loop.time()) * 1000))
                again = pool.event(slug, event.but(wait_ms=left_ms))
                asking = asyncio.ensure_future(hotpath.arun(again))
                outcome = await asyncio.shield(asking)
                if not outcome.waiting:
                    return outcome
                asking = None
    except asyncio.CancelledError:
        await asyncio.shield(_leave(slug, event, call_id, asking))
        raise


async def _leave(
    slug: str, event: Event, call_id: str, asking: "asyncio.Future[EventOutcome] | None"
) -> None:
    """Leave the queue for a client that left, and return a number that it had just got.

    If the call is running already, the client has requested it again, elsewhere.
    """
    try:
        outcome = await asking if asking is not None else None
        if outcome is None or outcome.waiting:
            outcome = await hotpath.arun(pool.event(slug, event.but(wait_ms=0, paid=None)))
        if outcome.ok and outcome.reason != pool.reasons.REPEAT:
            ended = Event.of("hangup", call_id=call_id, reason="caller left")
            await hotpath.arun(pool.event(slug, ended))
    except hotpath.HotPathError as error:
        logger.info("numbers: a waiting call of %s could not leave: %s", slug, error)
