"""A beat that ticks the drain of the histories alone, so that other sweeps cost nothing."""

from poolsite.jobs.beat import SweepScheduler

ONLY = "history.drain"


class Scheduler(SweepScheduler):
    """Give it to `celery beat -S`."""

    def setup_schedule(self) -> None:
        """Let one entry alone be due."""
        super().setup_schedule()
        for name in [name for name in self._due if name != ONLY]:
            del self._due[name]
