"""The groups' kind of history: which streams there are, and what becomes of their entries."""

from collections.abc import Sequence

from poolsite.aggregates.sources import AggregateSource
from poolsite.history import Aggregate, Entry, Retained
from queueing.dispatch.models import DispatchEvent, Group, MinuteSample


class GroupSource(AggregateSource):
    """Registered in AppConfig.ready()."""

    kind = "dispatch.group"
    model = Group
    prefix = "disp."

    def write(self, aggregate: Aggregate, generation: int, entries: Sequence[Entry]) -> None:
        from queueing.dispatch.services.records import write_entries

        write_entries(aggregate.object_id, generation, entries)

    def behind(self, aggregate: Aggregate, reason: str) -> None:
        from queueing.dispatch.services.healing import heal_group

        heal_group(aggregate.object_id, reason)

    def retained(self) -> Sequence[Retained]:
        return (Retained(DispatchEvent), Retained(MinuteSample, "minute"))
