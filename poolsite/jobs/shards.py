"""Helpers for sweeps over aggregates: select a shard's rows."""

from collections.abc import Iterable
from typing import TypeVar

from django.db.models import Model

Row = TypeVar("Row", bound=Model)


def of_shard(rows: Iterable[Row], shard: int, shards: int) -> list[Row]:
    """Return the rows of a shard, selected by their keys."""
    return [row for row in rows if row.pk % shards == shard]
