"""The interface of the history scripts: reading a stream and trimming it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from poolsite import hotpath
from poolsite.history.registry import Aggregate, StreamEntry

SCRIPTS = hotpath.load_folder("history", Path(__file__).parent / "lua")
STATE_FIELDS = ("generation", "seq", "drained", "dropped", "log_limit")


@dataclass(frozen=True)
class State:
    """An aggregate's counters in Redis; `generation` is None if Redis has no such aggregate."""

    generation: int | None
    seq: int = 0
    drained: int = 0
    dropped: int = 0
    log_limit: int = 0

    @property
    def backlog(self) -> int:
        """The number of entries that SQL has not committed."""
        return max(self.seq - self.drained, 0)

    @property
    def percent(self) -> float:
        """How full the stream is: at 100 the next entry drops the oldest."""
        return self.backlog * 100 / self.log_limit if self.log_limit else 0.0


@dataclass(frozen=True)
class StreamPage:
    """The counters and the next entries, read at one moment. `whole`: there are no later ones."""

    state: State
    entries: Sequence[StreamEntry]
    whole: bool


@dataclass(frozen=True)
class Trimmed:
    """The new `drained`; `refused` states why nothing was done, "" if it was done."""

    drained: int = 0
    removed: int = 0
    refused: str = ""


def read(tag: str, *, first: int, count: int) -> hotpath.Command[StreamPage]:
    """Read the counters and up to `count` entries, starting with sequence number `first`."""
    script = SCRIPTS["read"]

    def page(reply: list[str]) -> StreamPage:
        entries = list(_entries(reply[6:]))
        return StreamPage(_state(reply[:5]), entries, whole=len(entries) < count)

    return hotpath.Command(script, script.keys_of(tag), (first, count), page)


def trim(tag: str, *, generation: int, committed: int, tail: int) -> hotpath.Command[Trimmed]:
    """Set `drained` and trim, but leave `tail` committed entries. Idempotent."""
    script = SCRIPTS["trim"]

    def trimmed(reply: list[str]) -> Trimmed:
        if reply[0] != "1":
            return Trimmed(refused=reply[1])
        return Trimmed(drained=int(reply[1]), removed=int(reply[2]))

    arguments = (generation, committed, tail)
    # Harmless if run twice: with the same arguments the second run changes nothing.
    operation = f"trim:{generation}:{committed}"
    return hotpath.Command(script, script.keys_of(tag), arguments, trimmed, operation)


def states(aggregates: Sequence[Aggregate]) -> dict[str, State]:
    """Return the counters of many aggregates by tag, in few round trips."""
    tags = [aggregate.tag for aggregate in aggregates]
    rows = hotpath.read_fields(hotpath.default(), tags, STATE_FIELDS)
    return {tag: _state(values) for tag, values in zip(tags, rows, strict=True)}


def _state(values: Sequence[str | None]) -> State:
    if not values[0]:
        return State(None)
    return State(int(values[0]), *(int(value or 0) for value in values[1:]))


def _entries(words: Sequence[str]) -> Iterator[StreamEntry]:
    at = 0
    while at < len(words):
        seq, strings = int(words[at]), int(words[at + 1])
        flat = words[at + 2 : at + 2 + strings]
        fields = dict(zip(flat[::2], flat[1::2], strict=True))
        yield StreamEntry(seq, int(fields.pop("at", "0")), fields)
        at += 2 + strings
