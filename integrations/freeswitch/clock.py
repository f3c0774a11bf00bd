"""FreeSWITCH's clock, as known from the timestamps of its events.

The order of registrations (`seq`) uses FreeSWITCH's own time. So it continues when this daemon
restarts, and an event that happened after a list was read has priority over the list.
"""

import time
from collections.abc import Callable, Mapping

_US = 1_000_000


class SwitchClock:
    """Stores the offset between FreeSWITCH's clock and a local monotonic clock."""

    def __init__(
        self,
        here: Callable[[], float] = time.monotonic,
        wall: Callable[[], float] = time.time,
    ) -> None:
        self._here = here
        self._distance_us = int(wall() * _US) - int(here() * _US)

    def at_us(self, event: Mapping[str, str]) -> int:
        """Return the time of an event by FreeSWITCH's clock; the time now without a timestamp."""
        told = event.get("Event-Date-Timestamp", "")
        if not (told.isascii() and told.isdecimal() and len(told) == 16):
            return self.now_us()
        at_us = int(told)
        self._distance_us = at_us - int(self._here() * _US)
        return at_us

    def now_us(self) -> int:
        """Return FreeSWITCH's time now: the time of its newest event plus the time since then."""
        return int(self._here() * _US) + self._distance_us

    def loop_time(self, at_us: int, seconds: float) -> float:
        """Return the local clock's time `seconds` after FreeSWITCH's time `at_us`."""
        return (at_us - self._distance_us) / _US + seconds
