"""A clock that nobody sets, and until when a permit lasts by it."""

import time

# A quartz clock is within 50 µs per second of the true pace; the gate's machine has one, too.
DRIFT = 100e-6

if hasattr(time, "CLOCK_BOOTTIME"):

    def now() -> float:
        """Seconds that also count while the machine is suspended; not moved by the wall clock."""
        return time.clock_gettime(time.CLOCK_BOOTTIME)

else:  # pragma: no cover  not Linux

    def now() -> float:
        """Seconds that the wall clock does not move."""
        return time.monotonic()


def ends_at(asked_at: float, remaining_ms: int) -> float:
    """Until when something lasts that, by the gate's clock, had so much left when it was answered.

    Counted from when the question was sent: the answer was made later, so this is never later
    than the gate's own deadline, whatever the clocks of both say.
    """
    return asked_at + remaining_ms / 1_000 * (1 - DRIFT)
