"""Erlang B: the share of calls that a pool of a given size refuses."""

from collections.abc import Sequence


def blocking(offered_erlangs: float, lines: int) -> float:
    """Return the probability, 0 to 1, that a call finds all `lines` busy.

    Uses the recursion on the inverse, which neither overflows nor loses digits. O(lines).
    """
    if offered_erlangs < 0 or lines < 0:
        raise ValueError("offered load and lines are not negative")
    if offered_erlangs == 0:
        return 0.0 if lines else 1.0
    inverse = 1.0
    for line in range(1, lines + 1):
        inverse = 1.0 + inverse * line / offered_erlangs
        if inverse > 1e300:
            return 0.0
    return 1.0 / inverse


def lines_needed(offered_erlangs: float, target_blocking: float) -> int:
    """Return the fewest lines with a blocking under `target_blocking` (0 to 1, open). O(result)."""
    if not 0 < target_blocking < 1:
        raise ValueError("the target lies between 0 and 1")
    if offered_erlangs < 0:
        raise ValueError("offered load is not negative")
    if offered_erlangs == 0:
        return 1
    inverse = 1.0
    lines = 0
    while 1.0 / inverse >= target_blocking:
        lines += 1
        inverse = 1.0 + inverse * lines / offered_erlangs
    return lines


def curve(offered_erlangs: float, lines: Sequence[int]) -> list[tuple[int, float]]:
    """Return (lines, blocking) for each of `lines`, in ascending order. O(the last)."""
    if offered_erlangs == 0:
        return [(count, blocking(0, count)) for count in lines]
    points: list[tuple[int, float]] = []
    inverse = 1.0  # it can only grow to infinity, whose inverse 0 is the right answer
    reached = 0
    for count in lines:
        for line in range(reached + 1, count + 1):
            inverse = 1.0 + inverse * line / offered_erlangs
        reached = count
        points.append((count, 1.0 / inverse))
    return points
