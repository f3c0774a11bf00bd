"""Each aggregate's stream of changes → SQL, exactly once, trimmed only after the commit.

This module can be imported before Django's apps are loaded, so that an app registers its source in
`AppConfig.ready()`. What uses SQL is imported at the first use.
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
    """Drain before SQL is read, so that SQL has what live views have already shown.

    Errors of Redis are not raised: the worker drains later what can't be read now.
    """
    from redis.exceptions import RedisError

    from poolsite.hotpath import HotPathError

    with suppress(HotPathError, RedisError, OSError):
        drain(kind, aggregate)
