"""What the drain writes to SQL. Everything here runs inside the caller's transaction."""

from collections.abc import Sequence
from typing import Any

from django.db import models

from poolsite.history.models import HistoryEntry

INSERT_BATCH = 500


class HistoryConflictError(Exception):
    """A history row exists with the same (aggregate, generation, seq) and other content."""

    def __init__(self, model: str, seq: int, field: str) -> None:
        super().__init__(f"{model} seq {seq}: {field} differs from what SQL holds")
        self.seq = seq


def insert_rows(rows: Sequence[HistoryEntry]) -> int:
    """Insert history rows of one aggregate and one generation; returns how many were new.

    A row that is there already with the same content is absorbed; with other content
    HistoryConflictError is raised, and the caller's transaction must end without a commit.
    Safe because the drain holds the aggregate's cursor: nobody inserts between look and write.
    """
    if not rows:
        return 0
    model = type(rows[0])
    stored = _stored(model, rows)
    fresh = []
    for row in rows:
        if row.seq in stored:
            _compare(model, row, stored[row.seq])
        else:
            fresh.append(row)
    model._default_manager.bulk_create(fresh, batch_size=INSERT_BATCH)
    return len(fresh)


def _stored(model: type[HistoryEntry], rows: Sequence[HistoryEntry]) -> dict[int, dict[str, Any]]:
    seqs = [row.seq for row in rows]
    found = model._default_manager.filter(
        aggregate_id=getattr(rows[0], "aggregate_id"),  # noqa: B009  declared by the subclass
        generation=rows[0].generation,
        seq__range=(min(seqs), max(seqs)),
    )
    return {values["seq"]: values for values in found.values()}


def _compare(model: type[HistoryEntry], row: HistoryEntry, stored: dict[str, Any]) -> None:
    for field in model._meta.concrete_fields:
        if field.primary_key or _set_at_insert(field):
            continue
        if field.to_python(getattr(row, field.attname)) != stored[field.attname]:
            raise HistoryConflictError(model._meta.label, row.seq, field.name)


def _set_at_insert(field: models.Field[Any, Any]) -> bool:
    return bool(getattr(field, "auto_now", False) or getattr(field, "auto_now_add", False))
