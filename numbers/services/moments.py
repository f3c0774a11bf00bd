"""Moments in µs since 1970, as scripts tell them, and as Django keeps them."""

from datetime import UTC, datetime


def at(us: int) -> datetime:
    """A moment in µs as Django keeps it."""
    return datetime.fromtimestamp(us // 1_000_000, UTC).replace(microsecond=us % 1_000_000)
