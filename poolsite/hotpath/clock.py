"""Has Redis' clock stepped? Every deadline in Redis is counted by it (docs/decisions/0004)."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field

TOLERANCE_SECONDS = 1.0  # scripts even smaller steps out by themselves (prelude: now_us)
VAGUE_SECONDS = 0.15  # a look that is less certain than this is not remembered


def pace() -> float:
    """Seconds on a clock that nobody sets; it also runs while the machine sleeps, where it can."""
    boottime = getattr(time, "CLOCK_BOOTTIME", None)
    return time.monotonic() if boottime is None else time.clock_gettime(boottime)


@dataclass
class ClockMonitor:
    """One process's memory: how far each master's clock is ahead of its own pace.

    While every master is within the tolerance the memory follows them, so slow drift between
    machines never adds up. After a step it stays where it was: every look tells of the step until
    the clock comes back, or `accept()` is called.
    """

    _trusted: dict[str, float] = field(default_factory=dict)

    def judge(self, times: Mapping[str, float], before: float, after: float) -> float:
        """Return the largest step in seconds; 0.0 = none, as far as this look can tell.

        times: Redis' time by master, in seconds since 1970, read between the paces `before` and
        `after`. A master that is new here is held against the others: a failover to a machine
        whose clock is off is a step as well.
        """
        middle, uncertainty = (before + after) / 2, (after - before) / 2
        offsets = {node: seconds - middle for node, seconds in times.items()}
        known = self._trusted.values()
        mean = sum(known) / len(known) if known else next(iter(offsets.values()), 0.0)
        steps = [offset - self._trusted.get(node, mean) for node, offset in offsets.items()]
        worst = max(steps, key=abs, default=0.0)
        if abs(worst) - uncertainty > TOLERANCE_SECONDS:
            return worst
        if uncertainty <= VAGUE_SECONDS:
            self._trusted = offsets
        return 0.0

    def accept(self) -> None:
        """Take the masters' time as right from the next look on."""
        self._trusted.clear()
