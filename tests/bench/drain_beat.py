"""A beat that ticks the drain of the histories alone, so that other sweeps cost nothing."""

from poolsite.jobs.beat import SweepScheduler

ONLY = "history.drain"


class Scheduler(SweepScheduler):
    """Give it to `celery beat -S`."""

    def setup_schedule(self) -> None:
        """Keep one entry of the schedule."""
        super().setup_schedule()
        self.schedule = {ONLY: self.schedule[ONLY]}
        self._due = {ONLY: self._due[ONLY]}
