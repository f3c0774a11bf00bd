"""Recently computed answers of a process, shared by pages and topics that need the same answer."""

import time
from collections.abc import Callable
from typing import Generic, TypeVar

K = TypeVar("K")
T = TypeVar("T")


class TtlCache(Generic[K, T]):
    """Answers by key, computed again once they are older than `seconds`.

    most: with more keys than this, all answers are dropped before the next one is stored.
    """

    def __init__(self, seconds: float, *, most: int = 5_000) -> None:
        self._seconds = seconds
        self._most = most
        self._known: dict[K, tuple[float, T]] = {}

    def get(self, key: K, work_out: Callable[[], T]) -> T:
        """Return the answer for a key."""
        known = self._known.get(key)
        now = time.monotonic()
        if known is not None and now - known[0] < self._seconds:
            return known[1]
        answer = work_out()
        if len(self._known) > self._most:
            self._known.clear()
        self._known[key] = (now, answer)
        return answer

    def clear(self) -> None:
        """Drop all answers."""
        self._known.clear()
