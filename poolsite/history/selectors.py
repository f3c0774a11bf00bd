"""What the pages and the metrics read about the history."""

from dataclasses import dataclass

from django.db.models import F, Sum

from poolsite.history import stream
from poolsite.history.models import GapRecord
from poolsite.history.registry import sources


@dataclass(frozen=True)
class Lag:
    """How far SQL is behind one aggregate's stream; `percent` of the limit is used."""

    kind: str
    tag: str
    object_id: int
    backlog: int
    percent: float
    dropped: int


def lags() -> list[Lag]:
    """Return every aggregate's lag, the largest first (read from Redis)."""
    found = []
    for source in sources():
        aggregates = list(source.aggregates())
        states = stream.states(aggregates)
        for aggregate in aggregates:
            state = states[aggregate.tag]
            found.append(
                Lag(
                    source.kind,
                    aggregate.tag,
                    aggregate.object_id,
                    state.backlog,
                    state.percent,
                    state.dropped,
                )
            )
    return sorted(found, key=lambda lag: (-lag.backlog, lag.tag))


def gaps(kind: str, tag: str, limit: int = 100) -> list[GapRecord]:
    """Return one aggregate's gaps, the latest first, for its timeline."""
    return list(GapRecord.objects.filter(kind=kind, tag=tag).order_by("-pk")[:limit])


def gaps_by_reason() -> dict[str, int]:
    """Return how many entries never reached SQL, by reason."""
    rows = GapRecord.objects.order_by().values_list("reason")
    return dict(rows.annotate(missing=Sum(F("last_seq") - F("first_seq") + 1)))
