"""FreeSWITCH's clock, as far as its events tell it.

A registration's order (`seq`) is FreeSWITCH's own time, so that it goes on over restarts of this
daemon, and an event that happened after a list was read counts more than the list.
"""

import time
from collections.abc import Callable, Mapping

_US = 1_000_000


class SwitchClock:
    """Keeps the distance between FreeSWITCH's clock and a clock here that nobody sets."""

    def __init__(
        self,
        here: Callable[[], float] = time.monotonic,
        wall: Callable[[], float] = time.time,
    ) -> None:
        self._here = here
        self._distance_us = int(wall() * _US) - int(here() * _US)

    def at_us(self, event: Mapping[str, str]) -> int:
        """When an event happened, by FreeSWITCH's clock; now, where it does not say."""
        told = event.get("Event-Date-Timestamp", "")
        if not (told.isascii() and told.isdecimal() and len(told) == 16):
            return self.now_us()
        at_us = int(told)
        self._distance_us = at_us - int(self._here() * _US)
        return at_us

    def now_us(self) -> int:
        """FreeSWITCH's time now: as of its newest event, plus what has passed since."""
        return int(self._here() * _US) + self._distance_us

    def loop_time(self, at_us: int, seconds: float) -> float:
        """When, by the clock here, so many seconds after that moment have passed."""
        return (at_us - self._distance_us) / _US + seconds
