"""Celery beat's schedule: the registered sweeps, held only in memory.

Any number of beats may run. Each requests every sweep at least twice a minute. The period's mark in
Redis decides which beat sends it, so a daily sweep also runs if beats restart often. Due times use
the monotonic clock: Celery's own scheduler sends nothing for an hour when the wall clock is set
back by one.
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
    """Sends due sweeps to their queues, and records in Redis that a beat is running."""

    def setup_schedule(self) -> None:
        """Fill the schedule. Celery calls this once, after the task modules are imported."""
        self._due = dict.fromkeys(sweeps(), time.monotonic())
        self._heard_at = 0.0

    def tick(self, *_arguments: Any, **_options: Any) -> float:
        """Send every due sweep that no other beat has sent.

        Return the seconds until the next is due.
        """
        now = time.monotonic()
        if now - self._heard_at >= HEARD_EVERY_SECONDS:
            self._heard_at = now
            self._tell()
        names = [name for name, due in self._due.items() if due <= now]
        for name in names:
            due = self._due[name]
            every = min(sweeps()[name].every_seconds, SLOWEST_TICK_SECONDS)
            # Missed ticks are not repeated after a pause: one is enough.
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
