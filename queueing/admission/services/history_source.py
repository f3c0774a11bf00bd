"""The gates' kind of history: which streams there are, and what becomes of their entries."""

from collections.abc import Iterable, Sequence

from poolsite.history import Aggregate, Entry, Retained, Source
from queueing.admission.models import Gate, GateEvent, MinuteSample
from queueing.admission.services.common import KIND


class GateSource(Source):
    """Registered in AppConfig.ready()."""

    kind = KIND

    def aggregates(self) -> Iterable[Aggregate]:
        return [
            Aggregate("{gate." + slug + "}", key)
            for key, slug in Gate.objects.order_by("pk").values_list("pk", "slug")
        ]

    def write(self, aggregate: Aggregate, generation: int, entries: Sequence[Entry]) -> None:
        from queueing.admission.services.records import write_entries

        write_entries(aggregate.object_id, generation, entries)

    def behind(self, aggregate: Aggregate, reason: str) -> None:
        from queueing.admission.services.healing import heal_gate

        heal_gate(aggregate.object_id, reason)

    def retained(self) -> Sequence[Retained]:
        return (Retained(GateEvent), Retained(MinuteSample, "minute"))
