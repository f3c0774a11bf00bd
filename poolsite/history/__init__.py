"""Each aggregate's stream of changes → SQL, exactly once, trimmed only after the commit.

Importable before Django's apps are loaded, so that an app registers its source in
`AppConfig.ready()`; what touches SQL is loaded at the first use.
"""

from poolsite.history.registry import (
    Aggregate,
    Drained,
    Entry,
    Retained,
    Source,
    register,
    source,
    sources,
)

__all__ = [
    "Aggregate",
    "Drained",
    "Entry",
    "Retained",
    "Source",
    "drain",
    "register",
    "source",
    "sources",
]


def drain(kind: str, aggregate: Aggregate) -> Drained:
    """Move one aggregate's new history entries into SQL; see `draining.drain_aggregate`."""
    from poolsite.history.draining import drain_aggregate

    return drain_aggregate(source(kind), aggregate)
