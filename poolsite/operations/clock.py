"""Watches Redis' clock, which all decisions go by, against this machine's own pace.

Each worker process remembers where Redis' clock stood on its monotonic clock. A step of more
than a second (by hand, by a failover to another machine) pauses the sweeps of money, leases and
permits everywhere and opens an incident, until the clock is back or an operator confirms it.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from django.utils.translation import gettext_noop

from poolsite import hotpath
from poolsite.jobs import sweeping
from poolsite.operations import incidents

STEP_SECONDS = 1.0  # smaller steps back are evened out by the scripts themselves
SLOW_SECONDS = 0.3  # a look that took longer proves nothing
CONFIRMED_KEY = "clock:confirmed"
INCIDENT = "clock.step"


def pace() -> float:
    """Seconds on a clock that nobody sets; it also runs while the machine sleeps, where it can."""
    boottime = getattr(time, "CLOCK_BOOTTIME", None)
    return time.monotonic() if boottime is None else time.clock_gettime(boottime)


def redis_clocks() -> dict[str, float]:
    """Return the time of every master, in seconds since the epoch."""
    client = hotpath.client()
    if hasattr(client, "get_primaries"):
        answers: dict[str, Any] = client.time(target_nodes="primaries")
    else:
        answers = {"redis": client.time()}
    return {str(node): seconds + micros / 1e6 for node, (seconds, micros) in answers.items()}


@dataclass
class ClockMonitor:
    """One process's memory: for each master, Redis' clock minus our own pace."""

    read: Callable[[], dict[str, float]] = redis_clocks
    pace: Callable[[], float] = pace
    trusted: dict[str, float] = field(default_factory=dict)
    confirmed: str | None = None  # the last confirmation heeded; None = none was looked for yet
    stepped: bool = False

    def check(self) -> float:
        """Look once; returns the largest step in seconds (0 = none, or nothing to compare)."""
        began = self.pace()
        clocks = self.read()
        ended = self.pace()
        if ended - began > SLOW_SECONDS:
            return 0.0
        self._heed_confirmation()
        offsets = {node: clock - (began + ended) / 2 for node, clock in clocks.items()}
        steps = [
            offset - self.trusted[node] for node, offset in offsets.items() if node in self.trusted
        ]
        worst = max(steps, key=abs, default=0.0)
        if abs(worst) > STEP_SECONDS:
            self._raise(worst)
            return worst
        self.trusted |= offsets  # follows the slow drift between two machines
        if self.stepped:
            self.stepped = False
            settle()
        return 0.0

    def _heed_confirmation(self) -> None:
        """After an operator has confirmed the new time, it is the one to trust."""
        confirmed = str(hotpath.client().get(CONFIRMED_KEY) or "")
        if self.confirmed is not None and confirmed != self.confirmed:
            self.trusted.clear()
            self.stepped = False
        self.confirmed = confirmed

    def _raise(self, step: float) -> None:
        sweeping.pause("clock step")  # each time: an emptied Redis forgets it
        if self.stepped:
            return
        self.stepped = True
        incidents.open(
            type=INCIDENT,
            object="redis",
            severity="critical",
            title=gettext_noop("Redis' clock jumped by %(seconds)s s"),
            detail=gettext_noop("Sweeps of money, leases and permits stand still."),
            remedy=gettext_noop("Set the clock right, or confirm the new time on this page."),
            url="/system/",
            params={"seconds": f"{step:+.1f}"},
        )


def settle() -> None:
    """Let the sweeps run and close the incident: the clocks agree again."""
    sweeping.resume()
    incidents.close(type=INCIDENT, object="redis")


MONITOR = ClockMonitor()
