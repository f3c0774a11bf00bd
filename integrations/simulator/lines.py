"""The lines of a simulated switch: which of them are up, and the events that report this."""

import random
import time
from collections.abc import Iterator
from typing import Any

from integrations.simulator.client import EVENTS_PER_REQUEST
from integrations.simulator.config import SwitchConfig

COMES_BACK = 0.6  # how likely a line comes up while another could go down


class Lines:
    """The lines of one switch. Their events don't include the switch and its incarnation."""

    def __init__(self, switch: SwitchConfig, chance: random.Random) -> None:
        self._switch, self._chance = switch, chance
        self._down: set[str] = set()
        self._sequence = int(time.time())

    def registrations(self, expires_seconds: int) -> Iterator[list[dict[str, Any]]]:
        """Yield a registration of each line that is up, in batches for one request each."""
        self._sequence += 1
        lines = [line for line in self._switch.lines if line not in self._down]
        for start in range(0, len(lines), EVENTS_PER_REQUEST):
            batch = lines[start : start + EVENTS_PER_REQUEST]
            yield [self._registration(line, expires_seconds) for line in batch]

    def flap(self, expires_seconds: int, *, resting: bool) -> dict[str, Any] | None:
        """Take one line down or bring one back, and return its event.

        At rest, no line goes down.
        """
        self._sequence += 1
        if self._down and (resting or self._chance.random() < COMES_BACK):
            return self._registration(self._down.pop(), expires_seconds)
        if resting or not self._switch.lines:
            return None
        line = self._chance.choice(self._switch.lines)
        self._down.add(line)
        return {"event": "unreg", "number": line}

    def _registration(self, line: str, expires_seconds: int) -> dict[str, Any]:
        return {
            "event": "reg",
            "number": line,
            "contact": f"sip:{line.lstrip('+')}@{self._switch.name}",
            "expires": expires_seconds,
            "seq": self._sequence,
        }
