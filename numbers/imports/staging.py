"""The preview: turns an uploaded file into rows with their results."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from numbers.imports.preview import Classifier, Judged, read_number
from numbers.imports.table import read_rows
from numbers.models import ImportRow, Number, NumberImport, Pool
from numbers.services import owners
from poolsite import access
from poolsite.access import ANONYMOUS, Principal, principal_of_user
from poolsite.jobs import JobError, JobHandle, Progress
from poolsite.number_format import Normalised
from poolsite.table_reader.limits import UnreadableFileError
from poolsite.uploaded_files import file_of

CHUNK = 1_000
QUERY_VALUES = 500  # SQLite limits the number of parameters
_COUNTS = {
    "rows_as_they_are": ImportRow.Kind.AS_IT_IS,
    "rows_cleaned": ImportRow.Kind.CLEANED,
    "rows_suspicious": ImportRow.Kind.SUSPICIOUS,
    "rows_refused": ImportRow.Kind.REFUSED,
}


def preview(job: JobHandle) -> Iterator[Progress]:
    """Stage the rows of `data["import"]`. Continue where an earlier worker was killed."""
    found = NumberImport.objects.select_related("pool", "actor").get(pk=job.data["import"])
    if found.state != NumberImport.State.READING:
        return
    try:
        yield from _stage(job, found)
    except UnreadableFileError as error:
        with job.chunk():
            _end(found, NumberImport.State.FAILED, problem=str(error)[:300])
            found.parts.all().delete()
        raise JobError(str(error)) from error


def _stage(job: JobHandle, found: NumberImport) -> Iterator[Progress]:
    classifier = Classifier(found, _seen_before(found))
    principal = reader_of(job, found)
    done = found.rows
    with file_of(found) as path:
        rows = (row for row in read_rows(path, found.file_name) if row.row > found.next_row)
        while chunk := [read_number(row, found.pool.home_country) for row in islice(rows, CHUNK)]:
            staged = list(classifier.judge(chunk, _owners(found, principal, chunk)))
            kinds = Counter(row.kind for row in staged)
            for name, kind in _COUNTS.items():
                setattr(found, name, getattr(found, name) + kinds[kind])
            done += len(staged)
            found.next_row = staged[-1].row
            with job.chunk(done=done):
                ImportRow.objects.bulk_create(staged, batch_size=CHUNK)  # unaudited: a draft
                found.save(update_fields=["next_row", *_COUNTS])
            yield Progress(done)
    if not done:
        raise UnreadableFileError("The file has no rows.")
    found.twins = classifier.twins()
    with job.chunk(done=done, total=done):
        _end(found, NumberImport.State.PREVIEWED)
        found.parts.all().delete()
    job.result["rows"] = done
    yield Progress(done, done)


def _end(found: NumberImport, state: NumberImport.State, *, problem: str = "") -> None:
    found.state, found.problem, found.next_row = state, problem, 0
    found.save(update_fields=["state", "problem", "next_row", "twins"])


def _seen_before(found: NumberImport) -> dict[str, int]:
    """The numbers that an earlier worker found in this file, with their first rows."""
    if not found.next_row:
        return {}
    rows = found.staged.exclude(value="").exclude(why__startswith="twice:")
    return dict(rows.values_list("value", "row").iterator())


def _owners(
    found: NumberImport, principal: Principal | None, chunk: Sequence[Judged]
) -> Mapping[str, str]:
    """Return why numbers of these rows can't be imported: they are already in a pool."""
    values = [judged.found.value for judged in chunk if isinstance(judged.found, Normalised)]
    return owners_of(found, principal, values)


def owners_of(
    found: NumberImport, principal: Principal | None, values: Sequence[str]
) -> dict[str, str]:
    """Return canonical form → reason's code. A pool that the user may not see is not named.

    If `principal` is None, every pool is named.
    """
    codes = dict.fromkeys(calls_elsewhere(found.pool, values), "in_old_call")
    for value, number in owners.owners_of(values).items():
        codes[value] = _owner_code(found, principal, value, number)
    return codes


def calls_elsewhere(pool: Pool, values: Sequence[str]) -> set[str]:
    """Numbers that were deleted during a call. It is still in progress, so they are not free."""
    return set(owners.calls_of_others(pool, values))


def reader_of(job: JobHandle, found: NumberImport) -> Principal | None:
    """The user for whom reasons are written, or None for the system, which may name every pool."""
    if job.data.get("system"):
        return None
    return ANONYMOUS if found.actor is None else principal_of_user(found.actor)


def _owner_code(
    found: NumberImport, principal: Principal | None, value: str, number: Number
) -> str:
    other = number.value != value
    if number.pool_id == found.pool_id:
        return f"stored_as:{number.value}" if other else "in_this_pool"
    if principal is None or access.decide(principal, "numbers.view", number).allowed:
        slug = number.pool.slug
        return f"stored_as:{number.value} ({slug})" if other else f"in_pool:{slug}"
    return "in_other_pool"
