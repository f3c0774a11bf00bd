"""Whether a server responds, and what a client may still send to one that does not.

The pauses are those of the client library.
"""

import time

from integrations.poolsite_client.retrying import LONGEST_SECONDS, pause_seconds, spread

__all__ = ["LONGEST_SECONDS", "Reach", "pause_seconds", "spread"]

AWAY_AFTER = 3


class Reach:
    """Whether a server responds, in one client's experience.

    While it does not, the client sends nothing new, and repeats necessary requests once per pause.
    """

    def __init__(self) -> None:
        self.failures = 0
        self._until = 0.0

    def answered(self) -> None:
        """Note that an answer arrived, whatever its content."""
        self.failures = 0

    def failed(self) -> None:
        """Note that there was no answer, or one that leaves the outcome open."""
        self.failures += 1
        self._until = time.monotonic() + pause_seconds(self.failures)

    @property
    def away(self) -> bool:
        """Whether the server failed to answer three times in a row and the pause is not over."""
        return self.failures >= AWAY_AFTER and time.monotonic() < self._until

    def pause_seconds(self) -> float:
        """Return how long to wait before a necessary request is repeated."""
        return max(pause_seconds(self.failures), self._until - time.monotonic())
