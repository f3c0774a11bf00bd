"""The desks' kind of history: which streams there are, and what becomes of their entries."""

from collections.abc import Iterable, Sequence

from poolsite.history import Aggregate, Entry, Retained, Source
from queueing.line.models import AgentShift, Desk, DeskSample, LineEvent, Visit


class DeskSource(Source):
    """Registered in AppConfig.ready()."""

    kind = "line.desk"

    def aggregates(self) -> Iterable[Aggregate]:
        return [
            Aggregate("{line." + slug + "}", key)
            for key, slug in Desk.objects.order_by("pk").values_list("pk", "slug")
        ]

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
