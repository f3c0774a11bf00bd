"""An aggregate as a source of the history: which streams there are."""

from collections.abc import Iterable
from typing import Any, ClassVar

from poolsite.history import Aggregate, Source


class AggregateSource(Source):
    """Base of a kind's source: subclass it with `kind`, `model` and `prefix`, and say how entries
    are written. The Redis tag of a slug is `{<prefix><slug>}`.
    """

    model: ClassVar[Any]
    prefix: ClassVar[str]

    def aggregates(self) -> Iterable[Aggregate]:
        rows = self.model.objects.order_by("pk").values_list("pk", "slug")
        return [Aggregate("{" + self.prefix + slug + "}", key) for key, slug in rows]
