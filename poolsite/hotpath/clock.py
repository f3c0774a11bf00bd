"""Detection of steps of Redis' clock. Every deadline in Redis uses it (docs/decisions/0004)."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field

TOLERANCE_SECONDS = 1.0  # scripts compensate smaller steps themselves (prelude: now_us)
VAGUE_SECONDS = 0.15  # a reading that is less certain than this is not remembered
PROVEN_SECONDS = 15.0


def pace() -> float:
    """Seconds on a clock that no one sets. It also runs while the machine sleeps, where it can."""
    boottime = getattr(time, "CLOCK_BOOTTIME", None)
    return time.monotonic() if boottime is None else time.clock_gettime(boottime)


@dataclass
class ClockMonitor:
    """One process's memory of how far each master's clock is ahead of the process's own clock.

    While every master is within the tolerance, the memory follows the masters, so slow drift
    between machines never adds up. After a step the memory stays unchanged: every reading reports
    the step until the clock comes back, or until `accept()` is called.

    A process may start while the clock is wrong. So a memory is proven only after a reading at
    least PROVEN_SECONDS after the first one agrees with it. Until then it reports no steps: it
    starts again when the clock moves, or while another process reports a step.
    """

    _trusted: dict[str, float] = field(default_factory=dict)
    _since: float | None = None  # the time of the first remembered reading, by `pace`
    is_proven: bool = False

    def judge(
        self, times: Mapping[str, float], before: float, after: float, *, doubted: bool = False
    ) -> float:
        """Return the largest step in seconds, or 0.0 if this reading shows none.

        times: Redis' time by master, in seconds since 1970, read between the times `before` and
        `after` of `pace`. A new master is compared with the others: a failover to a machine whose
        clock is off is a step as well. doubted: whether another process reports a step.
        """
        middle, uncertainty = (before + after) / 2, (after - before) / 2
        offsets = {node: seconds - middle for node, seconds in times.items()}
        known = self._trusted.values()
        mean = sum(known) / len(known) if known else next(iter(offsets.values()), 0.0)
        steps = [offset - self._trusted.get(node, mean) for node, offset in offsets.items()]
        worst = max(steps, key=abs, default=0.0)
        has_stepped = abs(worst) - uncertainty > TOLERANCE_SECONDS
        if has_stepped and self.is_proven:
            return worst
        if not self.is_proven and (has_stepped or doubted):
            self.accept()
        elif uncertainty <= VAGUE_SECONDS:
            self._trusted = offsets
            self._since = middle if self._since is None else self._since
            self.is_proven = self.is_proven or middle - self._since >= PROVEN_SECONDS
        return 0.0

    def accept(self) -> None:
        """Trust the masters' time from the next reading on."""
        self._trusted.clear()
        self._since, self.is_proven = None, False
