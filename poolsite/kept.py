"""What a process has worked out lately: pages and topics that ask for the same share the answer."""

import time
from collections.abc import Callable
from typing import Generic, TypeVar

K = TypeVar("K")
T = TypeVar("T")


class TtlCache(Generic[K, T]):
    """Answers by key, worked out again once they are older than `seconds`.

    most: so many keys; one more, and all are forgotten.
    """

    def __init__(self, seconds: float, *, most: int = 5_000) -> None:
        self._seconds = seconds
        self._most = most
        self._known: dict[K, tuple[float, T]] = {}

    def get(self, key: K, work_out: Callable[[], T]) -> T:
        """The answer for a key."""
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
        """Forget all."""
        self._known.clear()
