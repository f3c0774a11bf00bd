"""A clock that is never set, and the end of a permit by this clock."""

import time

# A quartz clock deviates by less than 50 µs per second. So does the clock of the gate's machine.
DRIFT = 100e-6

if hasattr(time, "CLOCK_BOOTTIME"):

    def now() -> float:
        """Return seconds of a clock that runs during suspend and that the wall clock can't move."""
        return time.clock_gettime(time.CLOCK_BOOTTIME)

else:  # pragma: no cover  not Linux

    def now() -> float:
        """Return seconds of a clock that the wall clock can't move."""
        return time.monotonic()


def ends_at(asked_at: float, remaining_ms: int) -> float:
    """Return when a permit ends that had `remaining_ms` left when the gate answered.

    The time is counted from when the request was sent. The gate answered later, so the result is
    never later than the gate's own deadline, whatever the two clocks show.
    """
    return asked_at + remaining_ms / 1_000 * (1 - DRIFT)
