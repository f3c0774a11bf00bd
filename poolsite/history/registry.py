"""What an app tells the history: its kinds of aggregates, and how their entries are kept."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Aggregate:
    """One thing with a stream: its Redis tag with braces, and its id in SQL."""

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
    """What one drain did.

    `count` entries were committed; `lag` entries are still only in Redis; `gaps` entries were
    found missing. `behind` names why Redis' data is older than SQL's ("" = it is not): then
    nothing was written, and the aggregate must be rebuilt with a new generation.
    """

    count: int = 0
    lag: int = 0
    gaps: int = 0
    behind: str = ""


@dataclass(frozen=True)
class Retained:
    """A table whose rows are deleted when they are older than the history is kept.

    `field` is a DateTimeField, or an integer field in µs; a row without it stays. `keep_days`:
    None = as long as the history.
    """

    model: Any
    field: str = "at_us"
    keep_days: float | None = None


class Source(ABC):
    """One kind of aggregate. Subclass it, and register an instance in `AppConfig.ready()`."""

    kind: str

    @abstractmethod
    def aggregates(self) -> Iterable[Aggregate]:
        """Return every aggregate whose stream is to be drained, in any order."""

    @abstractmethod
    def write(self, aggregate: Aggregate, generation: int, entries: Sequence[StreamEntry]) -> None:
        """Write the entries, in bulk, inside the drain's SQL transaction.

        Called with entries in order of `seq` that this cursor never committed. Must not call
        Redis. For the history rows use `history.services.insert_rows`, which absorbs an exact
        replay and raises HistoryConflictError on other content.
        """

    def behind(self, aggregate: Aggregate, reason: str) -> None:  # noqa: B027  optional
        """Redis is behind SQL (lost its tail, or went back): rebuild the aggregate from SQL.

        Called outside any transaction, again at each drain until the generation is new.
        """

    def retained(self) -> Sequence[Retained]:
        """Return the tables that hold this kind's history, children before parents."""
        return ()


@dataclass
class _Registry:
    sources: dict[str, Source] = field(default_factory=dict)


_REGISTRY = _Registry()


def register(new: Source) -> None:
    """Make a source known to the drain; the same kind registered again replaces the first."""
    _REGISTRY.sources[new.kind] = new


def source(kind: str) -> Source:
    """Return the source of that kind; raises KeyError."""
    return _REGISTRY.sources[kind]


def sources() -> list[Source]:
    """Return every registered source."""
    return list(_REGISTRY.sources.values())
