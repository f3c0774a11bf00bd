"""Has Redis' clock stepped? Every deadline in Redis is counted by it (docs/decisions/0004)."""

import time
from collections.abc import Callable
from dataclasses import dataclass

from poolsite.hotpath.routing import Node
from poolsite.hotpath.runner import HotPath

TOLERANCE_SECONDS = 1.0  # scripts even smaller steps out by themselves (prelude: now_us)


@dataclass(frozen=True, slots=True)
class ClockReading:
    """How far one master's clock is from where this process' monotonic clock expects it."""

    node: Node
    step_seconds: float  # positive: Redis is ahead of the expectation
    uncertainty_seconds: float  # half the time the question took

    @property
    def stepped(self) -> bool:
        return abs(self.step_seconds) - self.uncertainty_seconds > TOLERANCE_SECONDS


class ClockMonitor:
    """Compares Redis TIME with time.monotonic, from one check to the next.

    While every master is within the tolerance the expectation follows them, so slow drift
    between machines never adds up. After a step it stays where it was: the readings tell of the
    step until the clock comes back, or `accept()` is called.
    """

    def __init__(self, hotpath: HotPath, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._hotpath = hotpath
        self._monotonic = monotonic
        self._offset: float | None = None  # Redis' clock minus ours

    def check(self) -> list[ClockReading]:
        """Ask every master; the first check only sets the expectation. Raises Unavailable."""
        before = self._monotonic()
        times = self._hotpath.times()
        after = self._monotonic()
        middle, uncertainty = (before + after) / 2, (after - before) / 2
        offsets = {node: seconds - middle for node, seconds in times.items()}
        if self._offset is None:
            self._offset = sorted(offsets.values())[len(offsets) // 2]
        readings = [
            ClockReading(node, offset - self._offset, uncertainty)
            for node, offset in offsets.items()
        ]
        if not any(reading.stepped for reading in readings):
            self._offset = sum(offsets.values()) / len(offsets)
        return readings

    def accept(self) -> None:
        """Take the masters' time as right from the next check on (an operator has confirmed)."""
        self._offset = None
