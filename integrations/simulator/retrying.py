"""Whether a server answers: what a client asks one that is away.

The rule of the pauses is that of the gate's client library.
"""

import time

from integrations.poolsite_client.retrying import LONGEST_SECONDS, pause_seconds, spread

__all__ = ["LONGEST_SECONDS", "Reach", "pause_seconds", "spread"]

AWAY_AFTER = 3


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
