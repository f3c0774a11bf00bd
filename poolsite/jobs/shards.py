"""What sweeps over aggregates do alike: pick a shard's rows, and go round until all is done."""

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Protocol, TypeVar

from django.db.models import Model, QuerySet

from poolsite import hotpath

logger = logging.getLogger(__name__)
Row = TypeVar("Row", bound=Model)


class Swept(Protocol):
    """What one bounded sweep of an aggregate says. `more`: it has more to do at once."""

    @property
    def more(self) -> bool: ...


S = TypeVar("S", bound=Swept)


def of_shard(rows: Iterable[Row], shard: int, shards: int) -> list[Row]:
    """The rows of a shard, by their keys."""
    return [row for row in rows if row.pk % shards == shard]


def slugs_of_shard(rows: QuerySet[Row], shard: int, shards: int) -> list[str]:
    """The slugs of a shard's rows, in the order of their keys."""
    keys = rows.order_by("pk").values_list("pk", "slug")
    return [slug for key, slug in keys if key % shards == shard]


def sweep_round(
    app: str,
    slugs: Sequence[str],
    sweep: Callable[[str], hotpath.Command[S | None]],
    count: Callable[[S], Mapping[str, int]],
    done: dict[str, int],
) -> list[str]:
    """One bounded sweep of each aggregate; returns the slugs of those that have more to do.

    count: what a sweep has done by name, which is added up in `done` beside what "failed".
    """
    more = []
    results = hotpath.run_batch([sweep(slug) for slug in slugs])
    for slug, swept in zip(slugs, results, strict=True):
        if isinstance(swept, hotpath.HotPathError):
            done["failed"] += 1
            logger.warning("%s: sweep of %s: %s", app, slug, swept)
        elif swept is not None:
            for name, number in count(swept).items():
                done[name] += number
            if swept.more:
                more.append(slug)
    return more
