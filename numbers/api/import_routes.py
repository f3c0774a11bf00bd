"""Imports: a CSV text is uploaded and read, then its preview is confirmed or discarded."""

from typing import Any

from django.http import HttpRequest
from ninja import Query, Status
from ninja.params import functions as param

from numbers.api.common import OPERATE, Slug, pool_of, router
from numbers.api.import_schemas import (
    ImportIn,
    ImportOut,
    ImportRowOut,
    ImportRowsIn,
    ImportsIn,
    ProgressOut,
)
from numbers.api.pool_schemas import OptionalReasonIn
from numbers.models import ImportRow, NumberImport
from numbers.selectors.imports import imports_in_state, pool_imports
from numbers.services import imports as service
from poolsite.access import Principal, principal_of_request
from poolsite.api.pages import Page, page
from poolsite.api.paths import id_of
from poolsite.api.root import ProblemError
from poolsite.moments import iso

TAGS = ["pools"]
Import: Any = param.Path(..., description="The import's ID.")
KINDS: dict[str, ImportRow.Kind] = {
    "unchanged": ImportRow.Kind.AS_IT_IS,
    "cleaned": ImportRow.Kind.CLEANED,
    "suspicious": ImportRow.Kind.SUSPICIOUS,
    "refused": ImportRow.Kind.REFUSED,
}
_WORDS: dict[str, Any] = {kind.value: word for word, kind in KINDS.items()}


@router.get(
    "/{slug}/imports",
    response={200: Page[ImportOut]},
    summary="List imports",
    tags=TAGS,
)
def list_imports(request: HttpRequest, asked: Query[ImportsIn], slug: str = Slug) -> Any:
    """The imports into a pool, latest first."""
    rows = pool_imports(pool_of(principal_of_request(request), slug))
    return page(request, asked, imports_in_state(rows, asked.state or ""), import_out)


@router.post(
    "/{slug}/imports",
    response={201: ImportOut},
    summary="Upload an import",
    tags=TAGS,
)
def post_import(request: HttpRequest, given: ImportIn, slug: str = Slug) -> Any:
    """Upload a CSV file. It is read in the background, and no number is added before `confirm`.

    The import is `previewed` when all rows were read.
    """
    principal = principal_of_request(request)
    made = service.import_upload(
        actor=principal,
        pool=pool_of(principal, slug, OPERATE),
        file_name=given.file_name,
        data=[given.csv.encode()],
    )
    return Status(201, import_out(made))


@router.get(
    "/{slug}/imports/{import_id}",
    response={200: ImportOut},
    summary="Get an import",
    tags=TAGS,
)
def get_import(request: HttpRequest, import_id: int = Import, slug: str = Slug) -> Any:
    """An import with its preview and its progress."""
    return import_out(_import(principal_of_request(request), slug, import_id))


@router.get(
    "/{slug}/imports/{import_id}/rows",
    response={200: Page[ImportRowOut]},
    summary="List an import's rows",
    tags=TAGS,
)
def list_import_rows(
    request: HttpRequest, asked: Query[ImportRowsIn], import_id: int = Import, slug: str = Slug
) -> Any:
    """The rows of the file with their results, in the order of the file."""
    rows = _import(principal_of_request(request), slug, import_id).staged.all()
    if asked.kind is not None:
        rows = rows.filter(kind=KINDS[asked.kind])
    return page(request, asked, rows, _row_out, oldest_first=True)


@router.post(
    "/{slug}/imports/{import_id}/confirm",
    response={200: ImportOut},
    summary="Confirm an import",
    tags=TAGS,
)
def confirm_import(
    request: HttpRequest, given: OptionalReasonIn, import_id: int = Import, slug: str = Slug
) -> Any:
    """Add the numbers of a preview to the pool, in the background. A repeated request changes
    nothing.
    """
    principal = principal_of_request(request)
    found = _import(principal, slug, import_id)
    return import_out(
        service.import_confirm(actor=principal, number_import=found, reason=given.reason)
    )


@router.post(
    "/{slug}/imports/{import_id}/undo",
    response={200: ImportOut},
    summary="Undo an import",
    tags=TAGS,
)
def undo_import(
    request: HttpRequest, given: OptionalReasonIn, import_id: int = Import, slug: str = Slug
) -> Any:
    """Delete all numbers that the import added, in the background."""
    principal = principal_of_request(request)
    found = _import(principal, slug, import_id)
    return import_out(
        service.import_undo(actor=principal, number_import=found, reason=given.reason)
    )


@router.post(
    "/{slug}/imports/{import_id}/discard",
    response={200: ImportOut},
    summary="Discard an import",
    tags=TAGS,
)
def discard_import(
    request: HttpRequest, given: OptionalReasonIn, import_id: int = Import, slug: str = Slug
) -> Any:
    """Cancel an import whose numbers were not added. Its rows are deleted."""
    principal = principal_of_request(request)
    found = _import(principal, slug, import_id)
    return import_out(
        service.import_discard(actor=principal, number_import=found, reason=given.reason)
    )


def _import(principal: Principal, slug: str, key: int) -> NumberImport:
    """Return an import into a pool. Raise ProblemError if the user may not see it."""
    pool = pool_of(principal, slug)
    found = pool_imports(pool).filter(pk=id_of(key)).first()
    if found is None:
        raise ProblemError("unknown-import", "import not found")
    return found


def import_out(found: NumberImport) -> ImportOut:
    """An import as the API returns it."""
    state: Any = found.shown_state.value
    return ImportOut(
        id=found.pk,
        name=found.public_id,
        pool=found.pool.slug,
        file_name=found.file_name,
        by=found.actor_name,
        state=state,
        problem=found.problem_said,
        unchanged=found.rows_as_they_are,
        cleaned=found.rows_cleaned,
        suspicious=found.rows_suspicious,
        refused=found.rows_refused,
        to_import=found.rows_to_import,
        imported=found.imported,
        removed=found.removed,
        can_confirm=found.can_confirm,
        can_undo=found.can_undo,
        can_discard=found.can_discard,
        progress=_progress(found),
        created_at=found.created_at.isoformat(),
        finished_at=iso(found.finished_at),
    )


def _progress(found: NumberImport) -> ProgressOut | None:
    job = found.job
    if job is None or job.ended:
        return None
    return ProgressOut(done=job.done, total=job.total, seconds_left=job.seconds_left)


def _row_out(row: ImportRow) -> ImportRowOut:
    return ImportRowOut(
        row=row.row,
        kind=_WORDS[row.kind],
        text=row.raw,
        number=row.value if row.kind in ImportRow.TAKEN else "",
        label=row.label,
        region=row.region,
        reason=row.reason,
        remedy=row.remedy,
    )
