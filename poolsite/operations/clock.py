"""Watches Redis' clock, on which all decisions are based, against this machine's own clock.

Each process that judges the platform's health remembers the time of Redis' clock relative to its
own monotonic clock. A step of more than a second (by hand, or by a failover to another machine)
pauses the sweeps of money, leases and permits everywhere, until the clock is back or an operator
confirms the new time. The platform's health reports it (operations.checks).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from poolsite import hotpath
from poolsite.hotpath.clock import pace
from poolsite.jobs import sweeping

CONFIRMED_KEY = sweeping.CLOCK_CONFIRMED_KEY
INCIDENT = ("clock.step", "redis")  # the incident's type and object


def redis_clocks() -> Mapping[str, float]:
    """Return the time of every master, in seconds since the epoch. Raise Unavailable."""
    return hotpath.default().times()


@dataclass
class ClockMonitor:
    """Compares every master's clock with this process' clock. A step pauses the sweeps."""

    read: Callable[[], Mapping[str, float]] = redis_clocks
    pace: Callable[[], float] = pace
    memory: hotpath.ClockMonitor = field(default_factory=hotpath.ClockMonitor)
    confirmed: str | None = None  # the last confirmation applied; None: none was read yet
    stepped: bool = False

    def check(self) -> float:
        """Check once. Return the largest step in seconds, 0 if none or nothing to compare."""
        began = self.pace()
        clocks = self.read()
        ended = self.pace()
        self._heed_confirmation()
        doubted = not self.memory.is_proven and bool(sweeping.paused_reason())
        step = self.memory.judge(clocks, began, ended, doubted=doubted)
        if step:
            self._raise(step)
        elif self.stepped:
            self.stepped = False
            sweeping.resume()
        return step

    def _heed_confirmation(self) -> None:
        """Trust the new time once an operator has confirmed it."""
        confirmed = str(hotpath.client().get(CONFIRMED_KEY) or "")
        if self.confirmed is not None and confirmed != self.confirmed:
            self.memory.accept()
            self.stepped = False
        self.confirmed = confirmed

    def _raise(self, step: float) -> None:
        # Written each time, because an emptied Redis loses it.
        sweeping.pause(f"clock step of {step:+.1f} s")
        self.stepped = True


MONITOR = ClockMonitor()
