"""The import and its undo, in chunks: SQL first, then Redis. Each step can be repeated.

A chunk's SQL rows and the import's progress are committed together, under the job's fence.
`pending` has the numbers that were committed and may not have reached Redis. The worker that
continues sends them again, which changes nothing if they had arrived.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime

from django.utils import timezone

from numbers import pool as commands
from numbers import regions
from numbers.canonical import canonical
from numbers.errors import NumbersError
from numbers.imports.staging import (
    CHUNK,
    QUERY_VALUES,
    calls_elsewhere,
    owners_of,
    reader_of,
)
from numbers.models import ImportRow, Number, NumberImport, NumberTag
from numbers.reason_words import sentence_of
from numbers.services.adding import load_numbers
from numbers.services.common import lock_living
from numbers.services.removing import remove_numbers
from poolsite import access
from poolsite.access import Principal
from poolsite.jobs import JobError, JobHandle, Progress

State = NumberImport.State


def run_import(job: JobHandle) -> Iterator[Progress]:
    """Import the rows of the preview. A number that was added elsewhere meanwhile is refused."""
    found = _load(job, State.IMPORTING)
    if found is None:
        return
    total = found.staged.filter(kind__in=ImportRow.TAKEN).count() + _taken_late(found)
    done = found.imported + _taken_late(found)
    _send(found)
    while rows := _next_rows(found):
        with job.chunk(done=done + len(rows), total=total):
            _take(found, rows, reader_of(job, found))
        done += len(rows)
        _send(found)
        yield Progress(done, total)
    with job.chunk(done=done, total=total):
        found.state, found.finished_at, found.pending = State.DONE, timezone.now(), []
        found.save(update_fields=["state", "finished_at", "pending"])
        access.audit(
            actor=found.actor or found.actor_name or "numbers",
            action="numbers.import_done",
            thing=found,
            after={"pool": found.pool.slug, "imported": found.imported},
            job=job.public_id,
        )
    job.result["imported"] = found.imported
    yield Progress(done, total)


def run_undo(job: JobHandle) -> Iterator[Progress]:
    """Delete the import's numbers from its pool. A number in a call stays until its call ends.

    Numbers that have since been moved to another pool stay there.
    """
    found = _load(job, State.UNDOING)
    if found is None:
        return
    numbers = Number.objects.filter(import_id=found.pk, pool_id=found.pool_id)
    total = numbers.count() + found.removed
    _send(found)
    while values := list(numbers.order_by("value").values_list("value", flat=True)[:CHUNK]):
        with job.chunk(done=found.removed + len(values), total=total):
            for part in _parts(values):
                mine = numbers.filter(value__in=part)
                NumberTag.objects.filter(number__in=mine).delete()  # unaudited: the undo is
                mine.delete()
            found.removed += len(values)
            found.pending = values
            found.save(update_fields=["removed", "pending"])
        _send(found)
        yield Progress(found.removed, total)
    with job.chunk(done=found.removed, total=total):
        found.state, found.finished_at, found.pending = State.UNDONE, timezone.now(), []
        found.save(update_fields=["state", "finished_at", "pending"])
        access.audit(
            actor=job.actor or "numbers",
            action="numbers.import_undone",
            thing=found,
            after={"pool": found.pool.slug, "removed": found.removed},
            job=job.public_id,
        )
    job.result["removed"] = found.removed
    yield Progress(found.removed, total)


def _load(job: JobHandle, state: State) -> NumberImport | None:
    found = NumberImport.objects.select_related("pool", "actor").get(pk=job.data["import"])
    return found if found.state == state else None


def _taken_late(found: NumberImport) -> int:
    """Rows that the preview accepted and the import had to refuse."""
    return found.rows_to_import - found.staged.filter(kind__in=ImportRow.TAKEN).count()


def _next_rows(found: NumberImport) -> list[ImportRow]:
    rows = found.staged.filter(kind__in=ImportRow.TAKEN).filter(row__gt=found.next_row)
    return list(rows.order_by("row")[:CHUNK])


def _take(found: NumberImport, rows: Sequence[ImportRow], reader: Principal | None) -> None:
    """Write one chunk in the caller's transaction. Refuse the rows of numbers that are taken."""
    try:
        lock_living(found.pool)
    except NumbersError as error:
        raise JobError(error.detail) from error
    now = timezone.now()
    home = found.pool.home_country
    for row in rows:  # a row that an older release previewed may be in another format
        row.value = canonical(row.value, home)
    values = [row.value for row in rows]
    busy = calls_elsewhere(found.pool, values)
    Number.objects.bulk_create(  # unaudited: the import is, as a whole
        [_number(found, row, now) for row in rows if row.value not in busy],
        batch_size=QUERY_VALUES,
        ignore_conflicts=True,
    )
    made: set[str] = set()
    for part in _parts(values):
        ours = Number.objects.filter(value__in=part, import_id=found.pk, pool_id=found.pool_id)
        made.update(ours.values_list("value", flat=True))
    late = [row for row in rows if row.value not in made]
    if late:
        _refuse(found, late, reader)
    found.imported += len(made)
    found.next_row = rows[-1].row
    found.pending = sorted(made)
    found.save(update_fields=["imported", "next_row", "pending"])


def _refuse(found: NumberImport, late: Sequence[ImportRow], reader: Principal | None) -> None:
    owners = owners_of(found, reader, [row.value for row in late])
    for row in late:
        row.kind, row.why = ImportRow.Kind.REFUSED, owners.get(row.value, "in_other_pool")
    ImportRow.objects.bulk_update(  # unaudited: the import is, as a whole
        late, ["kind", "why"], batch_size=QUERY_VALUES
    )


def _number(found: NumberImport, row: ImportRow, now: datetime) -> Number:
    known = regions.labels(row.value)
    return Number(
        pool_id=found.pool_id,
        value=row.value,
        canonical=row.value,
        label=row.label,
        region=row.region or known.region,
        carrier=known.carrier,
        import_id=found.pk,
        created_at=now,
    )


def _send(found: NumberImport) -> None:
    """Update Redis from SQL for the pending numbers. Safe to repeat."""
    if not found.pending:
        return
    here: list[Number] = []
    for part in _parts(found.pending):
        here += Number.objects.filter(pool_id=found.pool_id, value__in=part)
    there = {number.value for number in here}
    gone = [value for value in found.pending if value not in there]
    try:
        load_numbers(found.pool, here)
        remove_numbers(found.pool, gone)
    except commands.PoolRefusedError as error:
        raise JobError(sentence_of(error.reason)) from error


def _parts(values: Sequence[str]) -> Iterator[Sequence[str]]:
    for start in range(0, len(values), QUERY_VALUES):
        yield values[start : start + QUERY_VALUES]
