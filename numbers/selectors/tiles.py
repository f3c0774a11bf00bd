"""The numbers on the tiles, with the values by which tiles can be grouped."""

from dataclasses import dataclass
from typing import Any

from django.db.models import OuterRef, Subquery

from numbers.models import CallRecord, Number, Pool
from numbers.selectors.tile_layout import TILES_PER_PAGE, layout_id


@dataclass(frozen=True, slots=True)
class TilePage:
    """One page of a pool's tiles. `region` and `switch` hold an index into their names.

    `layout` is the ID that the live topic sends. If the topic sends another ID, request the page
    again. A number's switch is that of its latest call.
    """

    layout: str
    pages: int
    total: int
    numbers: list[str]
    regions: list[str]
    region: list[int]
    switches: list[str]
    switch: list[int]

    def as_json(self) -> dict[str, Any]:
        """The page as the browser expects it."""
        return {name: getattr(self, name) for name in self.__slots__}


def tile_page(pool: Pool, page: int) -> TilePage:
    """Return a page of up to 10 000 numbers in their order. Two queries."""
    numbers = Number.objects.filter(pool=pool)
    total = numbers.count()
    first = page * TILES_PER_PAGE
    latest = CallRecord.objects.filter(number=OuterRef("value")).order_by("-started_at")
    rows = list(
        numbers.order_by("value")
        .annotate(switch=Subquery(latest.values("switch")[:1]))
        .values_list("value", "region", "switch")[first : first + TILES_PER_PAGE]
    )
    regions = _Names()
    switches = _Names()
    region = [regions.index_of(row[1]) for row in rows]
    switch = [switches.index_of(row[2] or "") for row in rows]
    values = [row[0] for row in rows]
    return TilePage(
        layout=layout_id(values),
        pages=max(1, -(-total // TILES_PER_PAGE)),
        total=total,
        numbers=values,
        regions=list(regions.known),
        region=region,
        switches=list(switches.known),
        switch=switch,
    )


class _Names:
    """Distinct names in the order of their first occurrence."""

    def __init__(self) -> None:
        self.known: dict[str, int] = {}

    def index_of(self, name: str) -> int:
        return self.known.setdefault(name, len(self.known))
