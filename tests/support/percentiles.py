"""Percentiles as the reports compute them: always a measured value, never an interpolated one."""

from collections.abc import Iterable


def percentile(values: Iterable[float], share: float) -> float:
    """Return the smallest value that at least `share` of all do not exceed (nearest rank).

    Return 0 without values.
    """
    ranked = sorted(values)
    return ranked[max(0, -(-len(ranked) * round(share * 100) // 100) - 1)] if ranked else 0.0
