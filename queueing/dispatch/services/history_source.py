"""The groups' kind of history: which streams there are, and what becomes of their entries."""

from collections.abc import Iterable, Sequence

from poolsite.history import Aggregate, Entry, Retained, Source
from queueing.dispatch.models import DispatchEvent, Group, MinuteSample


class GroupSource(Source):
    """Registered in AppConfig.ready()."""

    kind = "dispatch.group"

    def aggregates(self) -> Iterable[Aggregate]:
        return [
            Aggregate("{disp." + slug + "}", key)
            for key, slug in Group.objects.order_by("pk").values_list("pk", "slug")
        ]

    def write(self, aggregate: Aggregate, generation: int, entries: Sequence[Entry]) -> None:
        from queueing.dispatch.services.records import write_entries

        write_entries(aggregate.object_id, generation, entries)

    def behind(self, aggregate: Aggregate, reason: str) -> None:
        from queueing.dispatch.services.healing import heal_group

        heal_group(aggregate.object_id, reason)

    def retained(self) -> Sequence[Retained]:
        return (Retained(DispatchEvent), Retained(MinuteSample, "minute"))
