"""How a client asks again: a bounded number of times, after pauses that grow and differ.

Clients that all ask again in the same moment keep an overloaded server down for ever.
"""

import random
import time

FIRST_SECONDS = 0.2
LONGEST_SECONDS = 10.0
AWAY_AFTER = 3


def pause_seconds(attempt: int, longest_seconds: float = LONGEST_SECONDS) -> float:
    """The pause after the attempt of this number, counted from 0: doubled each time, up to the
    longest, of which a random half is left out.
    """
    grown = min(FIRST_SECONDS * 2.0 ** min(attempt, 16), longest_seconds)
    return grown * random.uniform(0.5, 1.0)  # noqa: S311


class Reach:
    """Whether a server answers, as one client has found: who knows that it does not asks it with
    nothing new, and again what it must once in a pause.
    """

    def __init__(self) -> None:
        self.failures = 0
        self._until = 0.0

    def answered(self) -> None:
        """An answer came, whatever it said."""
        self.failures = 0

    def failed(self) -> None:
        """No answer, or one that leaves the outcome open."""
        self.failures += 1
        self._until = time.monotonic() + pause_seconds(self.failures)

    @property
    def away(self) -> bool:
        """It did not answer three times running, and the pause is not over."""
        return self.failures >= AWAY_AFTER and time.monotonic() < self._until

    def pause_seconds(self) -> float:
        """How long to wait before what must be asked is asked again."""
        return max(pause_seconds(self.failures), self._until - time.monotonic())
