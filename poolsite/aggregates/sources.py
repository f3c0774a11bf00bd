"""An aggregate as a source of the history: its streams, and where their entries are written."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from django.db.models import F
from django.db.models.functions import Mod

from poolsite import hotpath
from poolsite.history import Aggregate, Retained, Source, StreamEntry
from poolsite.history.healing import heal


class AggregateKeys(Protocol):
    """The names of one aggregate's keys in Redis."""

    @property
    def tag(self) -> str: ...


@dataclass(frozen=True, kw_only=True)
class AggregateSource(Source):
    """The history of one kind.

    keys: the names of keys in Redis by slug.
    write_entries: writes a page of an aggregate's entries; gets its ID and generation.
    show, check, rebuild: as `history.healing.heal` takes them.
    tables: returns the tables whose rows are deleted after the retention time, children before
        parents.
    """

    kind: str
    model: Any
    keys: Callable[[str], AggregateKeys]
    write_entries: Callable[[int, int, Sequence[StreamEntry]], None]
    show: Callable[[str], hotpath.Command[Any]]
    check: Callable[[Any, Any], bool]
    rebuild: Callable[[Any, str, int], bool]
    tables: Callable[[], Sequence[Retained]]

    def aggregates(self, shard: int = 0, shards: int = 1) -> Iterable[Aggregate]:
        mine = self.model.objects.annotate(shard=Mod(F("pk"), shards)).filter(shard=shard)
        rows = mine.order_by("pk").values_list("pk", "slug")
        return [Aggregate(self.keys(slug).tag, key) for key, slug in rows]

    def write(self, aggregate: Aggregate, generation: int, entries: Sequence[StreamEntry]) -> None:
        self.write_entries(aggregate.object_id, generation, entries)

    def behind(self, aggregate: Aggregate, reason: str) -> None:
        """Rebuild the aggregate, unless another worker has done it since."""
        row = self.model.objects.select_related("account").filter(pk=aggregate.object_id).first()
        heal(self.kind, row, reason, show=self.show, check=self.check, rebuild=self.rebuild)

    def retained(self) -> Sequence[Retained]:
        return self.tables()
