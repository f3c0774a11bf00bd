"""What the drain writes to SQL. Everything here runs inside the caller's transaction."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django.db import IntegrityError, models, transaction
from django.utils import timezone

from poolsite import sql_bulk
from poolsite.history.models import Cursor, GapRecord, HistoryEntry
from poolsite.history.registry import StreamEntry
from poolsite.history.stream import State


class HistoryConflictError(Exception):
    """A history row exists with the same (aggregate, generation, seq) and other content."""

    def __init__(self, model: str, seq: int, field: str) -> None:
        super().__init__(f"{model} seq {seq}: {field} differs from what SQL holds")
        self.seq = seq


def insert_rows(
    model: type[HistoryEntry],
    aggregate_id: int,
    generation: int,
    entries: Iterable[tuple[StreamEntry, Mapping[str, Any]]],
) -> int:
    """Insert the rows of entries, each with the app's own fields; return how many were new.

    An existing row with the same content is skipped. For other content HistoryConflictError is
    raised, and the caller's transaction must end without a commit. This is safe because the drain
    holds the aggregate's cursor: no one inserts between the check and the write.
    """
    base = {"aggregate_id": aggregate_id, "generation": generation}
    rows = [{**base, "seq": one.seq, "at_us": one.at_us, **values} for one, values in entries]
    if not rows:
        return 0
    seqs = [row["seq"] for row in rows]
    manager: Any = model._default_manager  # the subclass adds `aggregate`
    found = manager.filter(**base, seq__range=(min(seqs), max(seqs)))
    stored = {values["seq"]: values for values in found.values()}
    fresh = []
    for row in rows:
        if row["seq"] in stored:
            _compare(model, row, stored[row["seq"]])
        else:
            fresh.append(row)
    sql_bulk.insert(model, fresh)
    return len(fresh)


def _compare(model: type[HistoryEntry], row: Mapping[str, Any], stored: Mapping[str, Any]) -> None:
    for field in model._meta.concrete_fields:
        if field.primary_key or _set_at_insert(field):
            continue
        given = row[field.attname] if field.attname in row else field.get_default()
        if field.to_python(given) != stored[field.attname]:
            raise HistoryConflictError(model._meta.label, row["seq"], field.name)


def _set_at_insert(field: "models.Field[Any, Any]") -> bool:
    return bool(getattr(field, "auto_now", False) or getattr(field, "auto_now_add", False))


# -- the cursor -------------------------------------------------------------------------------


def move_cursor(cursor: Cursor, state: State, seq: int, digest: str) -> bool:
    """Move the cursor if it is unchanged since it was read. Return False if another drain moved it.

    Call this first in a transaction: the row stays locked until the commit, so of two drains the
    second waits, and then finds another `seq`.
    """
    rows = Cursor.objects.filter(pk=cursor.pk, generation=cursor.generation, seq=cursor.seq)
    return bool(
        rows.update(
            seq=seq,
            digest=digest,
            seen_seq=max(state.seq, seq),
            dropped=state.dropped,
            moved_at=timezone.now(),
        )
    )


def begin_generation(kind: str, tag: str, state: State, old: Cursor | None) -> Cursor | None:
    """Move the cursor to a new generation of the data. Return None if another drain was first.

    A new generation begins at its `drained`. Entries of the old one that SQL never got are recorded
    as lost with Redis: those up to the last one that was seen, so there may be more.
    """
    fresh = {"generation": state.generation or 0, "seq": state.drained, "seen_seq": state.drained}
    if old is None:
        try:
            with transaction.atomic():
                return Cursor.objects.create(kind=kind, tag=tag, **fresh)
        except IntegrityError:
            return None
    with transaction.atomic():
        rows = Cursor.objects.filter(pk=old.pk, generation=old.generation, seq=old.seq)
        if not rows.update(**fresh, digest="", dropped=0, moved_at=timezone.now()):
            return None
        GapRecord.objects.create(
            kind=kind,
            tag=tag,
            generation=old.generation,
            first_seq=old.seq + 1,
            last_seq=max(old.seen_seq, old.seq),
            reason=GapRecord.Reason.LOST_WITH_REDIS,
        )
    return Cursor.objects.get(pk=old.pk)


def record_gaps(cursor: Cursor, state: State, missing: Sequence[tuple[int, int]]) -> None:
    """Record what is missing; the script's counter shows how much of it was dropped."""
    dropped = max(state.dropped - cursor.dropped, 0)
    rows = []
    for first, last in missing:
        explained = last - first + 1 <= dropped
        dropped -= last - first + 1 if explained else 0
        rows.append(
            GapRecord(
                kind=cursor.kind,
                tag=cursor.tag,
                generation=cursor.generation,
                first_seq=first,
                last_seq=last,
                reason=GapRecord.Reason.DROPPED if explained else GapRecord.Reason.UNEXPLAINED,
            )
        )
    GapRecord.objects.bulk_create(rows)
