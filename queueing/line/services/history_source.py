"""The desks' kind of history: which streams there are, and what becomes of their entries."""

from collections.abc import Sequence

from poolsite.aggregates.sources import AggregateSource
from poolsite.history import Aggregate, Entry, Retained
from queueing.line.models import AgentShift, Desk, DeskSample, LineEvent, Visit


class DeskSource(AggregateSource):
    """Registered in AppConfig.ready()."""

    kind = "line.desk"
    model = Desk
    prefix = "line."

    def write(self, aggregate: Aggregate, generation: int, entries: Sequence[Entry]) -> None:
        from queueing.line.services.records import write_entries

        write_entries(aggregate.object_id, generation, entries)

    def behind(self, aggregate: Aggregate, reason: str) -> None:
        from queueing.line.services.healing import heal_desk

        heal_desk(aggregate.object_id, reason)

    def retained(self) -> Sequence[Retained]:
        return (
            Retained(LineEvent),
            Retained(Visit, "joined_at"),
            Retained(DeskSample, "minute"),
            Retained(AgentShift, "began_at"),
        )
