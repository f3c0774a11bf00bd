"""Celery beat's schedule: the registered sweeps, kept in memory only.

Any number of beats may run. Each asks for every sweep at least twice a minute; which of them sends
it is decided by the period's mark in Redis, so a daily sweep also runs when beats restart often.
Due times are on the monotonic clock: Celery's own scheduler falls silent for an hour when the
wall clock is set back by one.
"""

import time
from collections.abc import Sequence
from typing import Any

import structlog
from celery.beat import Scheduler
from kombu.exceptions import OperationalError
from redis.exceptions import RedisError

from poolsite import hotpath
from poolsite.jobs import sweeping, tasks
from poolsite.jobs.registry import sweeps

LOG = structlog.get_logger(__name__)
SLOWEST_TICK_SECONDS = 30
HEARD_EVERY_SECONDS = 1.0
LONGEST_SLEEP_SECONDS = 1.0


class SweepScheduler(Scheduler):
    """Sends the sweeps that are due to their queues; also tells Redis that a beat is alive."""

    def setup_schedule(self) -> None:
        """Fill the schedule; called once, after the task modules are imported."""
        self._due = dict.fromkeys(sweeps(), time.monotonic())
        self._heard_at = 0.0

    def tick(self, *_arguments: Any, **_options: Any) -> float:
        """Send every sweep that is due and that no other beat sent; returns the seconds until the
        next is due.
        """
        now = time.monotonic()
        if now - self._heard_at >= HEARD_EVERY_SECONDS:
            self._heard_at = now
            self._tell()
        names = [name for name, due in self._due.items() if due <= now]
        for name in names:
            due = self._due[name]
            every = min(sweeps()[name].every_seconds, SLOWEST_TICK_SECONDS)
            # After a pause the missed ticks are not made up for: one is enough.
            self._due[name] = due + every if due + every > now else now + every
        if names:
            self._send(names)
        wait = min(self._due.values(), default=now + LONGEST_SLEEP_SECONDS) - time.monotonic()
        return max(min(wait, LONGEST_SLEEP_SECONDS), 0.0)

    def _send(self, names: Sequence[str]) -> None:
        try:
            marks = sweeping.win_ticks(names)
        except (RedisError, hotpath.HotPathError) as error:
            LOG.warning("beat.not_sent", sweeps=names, error=str(error))
            return
        for message in tasks.messages(marks):
            try:
                self._send_won(message, [marks[name] for name in message])
            except (RedisError, hotpath.HotPathError, OperationalError) as error:
                LOG.warning("beat.not_sent", sweeps=message, error=str(error))

    def _send_won(self, names: Sequence[str], marks: Sequence[str]) -> None:
        try:
            tasks.send(names)
        except Exception:
            sweeping.lose_ticks(marks)
            raise

    def _tell(self) -> None:
        try:
            sweeping.say_beat()
        except (RedisError, hotpath.HotPathError) as error:
            LOG.warning("beat.not_heard", error=str(error))
