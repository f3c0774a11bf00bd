"""The gates' kind of history: which streams there are, and what becomes of their entries."""

from collections.abc import Sequence

from poolsite.aggregates.sources import AggregateSource
from poolsite.history import Aggregate, Entry, Retained
from queueing.admission.models import Gate, GateEvent, MinuteSample
from queueing.admission.services.common import KIND


class GateSource(AggregateSource):
    """Registered in AppConfig.ready()."""

    kind = KIND
    model = Gate
    prefix = "gate."

    def write(self, aggregate: Aggregate, generation: int, entries: Sequence[Entry]) -> None:
        from queueing.admission.services.records import write_entries

        write_entries(aggregate.object_id, generation, entries)

    def behind(self, aggregate: Aggregate, reason: str) -> None:
        from queueing.admission.services.healing import heal_gate

        heal_gate(aggregate.object_id, reason)

    def retained(self) -> Sequence[Retained]:
        return (Retained(GateEvent), Retained(MinuteSample, "minute"))
