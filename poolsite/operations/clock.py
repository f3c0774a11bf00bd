"""Watches Redis' clock, which all decisions go by, against this machine's own pace.

Each process that judges the platform's health remembers where Redis' clock was on its own
monotonic clock. A step of more than a second (by hand, by a failover to another machine) pauses
the sweeps of money, leases and permits everywhere, until the clock is back or an operator confirms
it. The platform's health says so (operations.checks).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from poolsite import hotpath
from poolsite.hotpath.clock import pace
from poolsite.jobs import sweeping

CONFIRMED_KEY = sweeping.CLOCK_CONFIRMED_KEY
INCIDENT = ("clock.step", "redis")  # its type and object


def redis_clocks() -> Mapping[str, float]:
    """Return the time of every master, in seconds since the epoch; raises Unavailable."""
    return hotpath.default().times()


@dataclass
class ClockMonitor:
    """Looks at every master's clock; a step pauses what ends money, leases and permits."""

    read: Callable[[], Mapping[str, float]] = redis_clocks
    pace: Callable[[], float] = pace
    memory: hotpath.ClockMonitor = field(default_factory=hotpath.ClockMonitor)
    confirmed: str | None = None  # the last confirmation heeded; None = none was looked for yet
    stepped: bool = False

    def check(self) -> float:
        """Look once; returns the largest step in seconds (0 = none, or nothing to compare)."""
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
        """After an operator has confirmed the new time, it is the one to trust."""
        confirmed = str(hotpath.client().get(CONFIRMED_KEY) or "")
        if self.confirmed is not None and confirmed != self.confirmed:
            self.memory.accept()
            self.stepped = False
        self.confirmed = confirmed

    def _raise(self, step: float) -> None:
        # Each time: an emptied Redis forgets it.
        sweeping.pause(f"clock step of {step:+.1f} s")
        self.stepped = True


MONITOR = ClockMonitor()
