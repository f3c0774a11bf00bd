"""When each aggregate of a shard is visited next: a heap."""

import heapq


class Agenda:
    """Tags by the second at which they are due, on one clock of the caller.

    Each change takes O(log n). A tag that `pop` removed is back after the next `put`.
    """

    def __init__(self) -> None:
        self._due: dict[str, float] = {}
        self._heap: list[tuple[float, str]] = []

    def __len__(self) -> int:
        return len(self._due)

    def __contains__(self, tag: str) -> bool:
        return tag in self._due

    def put(self, tag: str, due: float) -> None:
        """Have the tag visited at `due`, or earlier if an earlier time was set before."""
        known = self._due.get(tag)
        if known is None or due < known:
            self._due[tag] = due
            heapq.heappush(self._heap, (due, tag))

    def next_due(self) -> float | None:
        """Return when the first tag is due, or None if there are no tags."""
        while self._heap and self._due.get(self._heap[0][1]) != self._heap[0][0]:
            heapq.heappop(self._heap)
        return self._heap[0][0] if self._heap else None

    def pop(self, now: float, limit: int) -> list[tuple[float, str]]:
        """Remove and return up to `limit` tags that are due, the earliest due first."""
        taken: list[tuple[float, str]] = []
        while len(taken) < limit:
            due = self.next_due()
            if due is None or due > now:
                break
            _, tag = heapq.heappop(self._heap)
            del self._due[tag]
            taken.append((due, tag))
        return taken

    def clear(self) -> None:
        self._due.clear()
        self._heap.clear()
