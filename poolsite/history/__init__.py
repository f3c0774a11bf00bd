"""Each aggregate's stream of changes → SQL, exactly once, trimmed only after the commit.

Importable before Django's apps are loaded, so that an app registers its source in
`AppConfig.ready()`; what touches SQL is loaded at the first use.
"""

from contextlib import suppress

from poolsite.history.registry import (
    Aggregate,
    Drained,
    Retained,
    Source,
    StreamEntry,
    register,
    source,
)

__all__ = [
    "Aggregate",
    "Drained",
    "Retained",
    "Source",
    "StreamEntry",
    "catch_up",
    "drain",
    "register",
    "source",
]


def drain(kind: str, aggregate: Aggregate) -> Drained:
    """Move one aggregate's new history entries into SQL; see `draining.drain_aggregate`."""
    from poolsite.history.draining import drain_aggregate

    return drain_aggregate(source(kind), aggregate)


def catch_up(kind: str, aggregate: Aggregate) -> None:
    """Drain before SQL is read, so that it says what live views have shown already.

    Never raises for Redis: what cannot be read now, the worker drains later.
    """
    from redis.exceptions import RedisError

    from poolsite.hotpath import HotPathError

    with suppress(HotPathError, RedisError, OSError):
        drain(kind, aggregate)
