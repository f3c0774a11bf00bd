"""Celery beat's schedule, built from the registered sweeps and kept in memory only.

Any number of beats may run. Each ticks every sweep at least twice a minute; which tick counts
is decided by the period's mark in Redis, so a daily sweep also runs when beats restart often.
Due times are on the monotonic clock: Celery's own scheduler falls silent for an hour when the
wall clock is set back by one.
"""

import time
from datetime import timedelta
from typing import Any

import structlog
from celery.beat import ScheduleEntry, Scheduler
from redis.exceptions import RedisError

from poolsite import hotpath
from poolsite.jobs import sweeping
from poolsite.jobs.registry import Sweep, sweeps
from poolsite.jobs.sweeping import LEAST_EXPIRY_SECONDS

LOG = structlog.get_logger(__name__)
SLOWEST_TICK_SECONDS = 30
HEARD_EVERY_SECONDS = 1.0
LONGEST_SLEEP_SECONDS = 1.0


class SweepScheduler(Scheduler):  # type: ignore[misc]  # Celery ships no types
    """One entry per sweep; also tells Redis that a beat is alive."""

    def setup_schedule(self) -> None:
        """Fill the schedule; called once, after the task modules are imported."""
        self.schedule.update({sweep.name: self._entry_of(sweep) for sweep in sweeps().values()})
        self._due = dict.fromkeys(self.schedule, time.monotonic())
        self._heard_at = 0.0

    def _entry_of(self, sweep: Sweep) -> ScheduleEntry:
        every = min(sweep.every_seconds, SLOWEST_TICK_SECONDS)
        return self.Entry(
            name=sweep.name,
            task="jobs.tick",
            schedule=timedelta(seconds=every),
            args=(sweep.name,),
            options={"expires": max(every, LEAST_EXPIRY_SECONDS)},
            app=self.app,
        )

    def tick(self, *_arguments: Any, **_options: Any) -> float:
        """Send every tick that is due; returns the seconds until the next."""
        now = time.monotonic()
        if now - self._heard_at >= HEARD_EVERY_SECONDS:
            self._heard_at = now
            self._tell()
        for name, due in self._due.items():
            if due <= now:
                entry = self.schedule[name]
                every = entry.schedule.run_every.total_seconds()
                # After a pause the missed ticks are not made up for: one is enough.
                self._due[name] = due + every if due + every > now else now + every
                self.apply_entry(entry, producer=self.producer)
        wait = min(self._due.values(), default=now + LONGEST_SLEEP_SECONDS) - time.monotonic()
        return max(min(wait, LONGEST_SLEEP_SECONDS), 0.0)

    def _tell(self) -> None:
        try:
            sweeping.say_beat()
        except (RedisError, hotpath.HotPathError) as error:
            LOG.warning("beat.not_heard", error=str(error))
