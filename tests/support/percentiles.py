"""Percentiles as the reports count them: a value that was measured, never one in between."""

from collections.abc import Iterable


def percentile(values: Iterable[float], share: float) -> float:
    """The smallest value that `share` of all do not exceed (nearest rank); 0 without values."""
    ranked = sorted(values)
    return ranked[max(0, -(-len(ranked) * round(share * 100) // 100) - 1)] if ranked else 0.0
