"""Counts of a single process while Redis is not available."""

import time
from threading import Lock

from poolsite.limits.buckets import SECOND_US, LimitedClient, Taken

MOST_BUCKETS = 20_000


class Alone:
    """The buckets of this process only, in memory, by the script's rule. Thread-safe."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._full_at: dict[str, int] = {}

    def take(self, client: LimitedClient, wanted: int) -> Taken:
        """Take up to `wanted` permits from every bucket of the client, or none from any."""
        now = time.monotonic_ns() // 1_000
        names = [f"{client.tag}:{limit.name}" for limit in client.limits]
        with self._lock:
            self._forget_full_ones(now)
            full_at = [max(now, self._full_at.get(name, 0)) for name in names]
            given = wanted
            for limit, full in zip(client.limits, full_at, strict=True):
                room = now + limit.cost_us(limit.burst) - full
                given = min(given, max(0, room * limit.permits // limit.period_us))
            wait = 0
            for name, limit, full in zip(names, client.limits, full_at, strict=True):
                after = full + limit.cost_us(given)
                if given:
                    self._full_at[name] = after
                if given < wanted:
                    wait = max(wait, after + limit.cost_us(1) - now - limit.cost_us(limit.burst))
        return Taken(given, max(0, wait))

    def clear(self) -> None:
        """Forget everything: Redis counts again."""
        with self._lock:
            self._full_at.clear()

    def _forget_full_ones(self, now: int) -> None:
        if len(self._full_at) >= MOST_BUCKETS:
            self._full_at = {name: at for name, at in self._full_at.items() if at > now}
        if len(self._full_at) >= MOST_BUCKETS:  # too many clients at once to tell them apart
            self._full_at.clear()


def seconds(taken: Taken) -> float:
    """Return how long to wait for the next permit; 0 if one was given."""
    return 0.0 if taken.permits else max(taken.wait_us, 1) / SECOND_US
