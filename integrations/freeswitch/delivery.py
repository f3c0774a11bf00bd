"""Delivers the waiting reports to the platform, in order, even after a long outage."""

import asyncio
import logging
from typing import Any

from .outbox import Outbox
from .pool import EVENTS_PER_REQUEST, Pool, Rejected, Unreachable
from .reports import QueuedEvent
from .retrying import LONGEST_SECONDS, pause_seconds, spread

logger = logging.getLogger(__name__)

EXPIRES_LIMIT_SECONDS = 365 * 86_400  # the pool accepts ten years

# The pool's answers to an event that no longer matters. They are not errors.
_EXPECTED = frozenset({"unknown-call", "no such call", "stale incarnation"})


class Delivery:
    """Sends one request at a time: a platform that comes back gets one batch, not a storm."""

    def __init__(self, pool: Pool, outbox: Outbox) -> None:
        self._pool = pool
        self._outbox = outbox
        self._speaker: dict[str, str] = {}
        self._known = asyncio.Event()

    def speak_as(self, switch: str, incarnation: str) -> None:
        """Name the switch and its present run in every report from now on.

        Reports that still wait from an earlier run are sent under the new run. Hang-ups of its
        calls do no harm, and its registrations are still correct.
        """
        self._speaker = {"switch": switch, "incarnation": incarnation}
        self._known.set()

    async def run(self) -> None:
        """Send reports until cancelled."""
        await self._known.wait()
        failures = 0
        while True:
            reports = await self._outbox.first(EVENTS_PER_REQUEST)
            named = 0.0
            try:
                complete = await self._send(reports)
            except Unreachable as error:
                complete, named = False, error.retry_after
                if not failures:
                    logger.warning("the platform is away: %s", error)
            if complete:
                failures = 0
                continue
            await asyncio.sleep(max(spread(named), pause_seconds(failures, LONGEST_SECONDS)))
            failures += 1

    async def _send(self, reports: list[QueuedEvent]) -> bool:
        """Send once.

        Return whether every report was answered. Raise Unreachable without an answer.
        """
        now = asyncio.get_running_loop().time()
        try:
            answers = await self._pool.send([self._event(report, now) for report in reports])
        except Rejected as error:
            logger.error("the platform refused the reports: %s", error)
            if error.about_us:
                return False  # an operator can fix the token: nothing is dropped
            if len(reports) == 1:
                self._outbox.done(reports)
                return True
            # One report makes the whole batch fail: find it.
            return all([await self._send([report]) for report in reports])
        closed = [report for report, got in zip(reports, answers, strict=True) if not got.is_open]
        for report, answer in zip(reports, answers, strict=True):
            if answer.status >= 400 and not answer.is_open and answer.reason not in _EXPECTED:
                level = logging.INFO if answer.status in (404, 409) else logging.WARNING
                logger.log(level, "%s: %d %s", report.event, answer.status, answer.reason)
        self._outbox.done(closed)
        return len(closed) == len(reports)

    def _event(self, report: QueuedEvent, now: float) -> dict[str, Any]:
        """Return the event to send now. A registration expires in the time that remains of it."""
        event = {**report.event, **self._speaker}
        if report.until is not None:
            event["expires"] = min(max(0, round(report.until - now)), EXPIRES_LIMIT_SECONDS)
        return event
