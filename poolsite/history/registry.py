"""What an app registers for the history: its kinds of aggregates and how entries are stored."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Aggregate:
    """One object with a stream: its Redis tag with braces, and its ID in SQL."""

    tag: str
    object_id: int


@dataclass(frozen=True)
class StreamEntry:
    """One change: its gapless number, Redis' time in µs, and the app's own fields."""

    seq: int
    at_us: int
    fields: Mapping[str, str]


@dataclass(frozen=True)
class Drained:
    """The result of one drain.

    `count` entries were committed; `lag` entries are still only in Redis; `gaps` entries were found
    missing. `behind` states why Redis' data is older than SQL's, "" if it is not. If it is older,
    nothing was written, and the aggregate must be rebuilt with a new generation.
    """

    count: int = 0
    lag: int = 0
    gaps: int = 0
    behind: str = ""


@dataclass(frozen=True)
class Retained:
    """A table whose rows are deleted when they are older than the history's retention.

    `field` is a DateTimeField, or an integer field in µs; a row without a value stays. `keep_days`:
    None for the history's own retention.
    """

    model: Any
    field: str = "at_us"
    keep_days: float | None = None


class Source(ABC):
    """One kind of aggregate. Subclass it, and register an instance in `AppConfig.ready()`."""

    kind: str

    @abstractmethod
    def aggregates(self, shard: int = 0, shards: int = 1) -> Iterable[Aggregate]:
        """Return the shard's aggregates whose streams must be drained, in any order.

        Every aggregate belongs to one of the shards.
        """

    @abstractmethod
    def write(self, aggregate: Aggregate, generation: int, entries: Sequence[StreamEntry]) -> None:
        """Write the entries, in bulk, inside the drain's SQL transaction.

        Called with entries in order of `seq` that this cursor never committed. Must not call Redis.
        For the history rows use `history.services.insert_rows`, which skips an exact replay and
        raises HistoryConflictError for other content.
        """

    def behind(self, aggregate: Aggregate, reason: str) -> None:  # noqa: B027  optional
        """Rebuild the aggregate from SQL: Redis is behind it (lost its tail, or went back).

        Called outside any transaction, and again at each drain until the generation is new.
        """

    def retained(self) -> Sequence[Retained]:
        """Return the tables that contain this kind's history, children before parents."""
        return ()


@dataclass
class _Registry:
    sources: dict[str, Source] = field(default_factory=dict)


_REGISTRY = _Registry()


def register(new: Source) -> None:
    """Register a source for the drain; it replaces an earlier one of the same kind."""
    _REGISTRY.sources[new.kind] = new


def source(kind: str) -> Source:
    """Return the source of that kind. Raise KeyError."""
    return _REGISTRY.sources[kind]


def sources() -> list[Source]:
    """Return every registered source."""
    return list(_REGISTRY.sources.values())
