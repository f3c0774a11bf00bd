"""A beat that schedules only the drain of the histories, so that other sweeps cost nothing."""

from poolsite.jobs.beat import SweepScheduler

ONLY = "history.drain"


class Scheduler(SweepScheduler):
    """The scheduler to pass to `celery beat -S`."""

    def setup_schedule(self) -> None:
        """Leave only the drain's entry in the schedule."""
        super().setup_schedule()
        for name in [name for name in self._due if name != ONLY]:
            del self._due[name]
