"""Duplicates: numbers that are stored in two formats are merged, or one format is removed."""

from typing import Any

from django.http import HttpRequest
from ninja import Query, Router, Status
from ninja.params import functions as param
from pydantic import BaseModel, Field

from numbers.api.pool_schemas import OptionalReasonIn
from numbers.models import Number
from numbers.selectors.twins import TwinGroup, groups_of, keepers
from numbers.services import twins as service
from poolsite import access
from poolsite.access import Principal, principal_of_request
from poolsite.api.pages import Page, PageIn, page
from poolsite.api.root import ProblemError

router = Router(tags=["numbers"])
AT_ONCE = 50  # groups that are merged while the client waits
Stored: Any = param.Path(..., max_length=33, description="The number exactly as it is stored.")


class TwinsIn(PageIn):
    """The duplicates that the credential can access."""


class TwinOut(BaseModel):
    """One stored format of a number."""

    stored_as: str
    pool: str
    label: str


class TwinGroupOut(BaseModel):
    """A number that is stored in more than one format."""

    number: str = Field(description="The canonical form.")
    rows: list[TwinOut] = Field(description="The stored formats. The first one is in use.")
    hidden: int = Field(description="Formats in pools that the credential can't access.")


class TwinsMergedOut(BaseModel):
    """The result of merging all duplicates, or the job that carries it out."""

    merged: int
    unchanged: dict[str, str] = Field(description="Numbers that were not merged, with why.")
    job: str | None = Field(description="ID of the job. Null if the merge is complete.")


@router.get("", response={200: Page[TwinGroupOut]}, summary="List duplicates")
def list_twins(request: HttpRequest, asked: Query[TwinsIn]) -> Any:
    """Numbers that are stored in more than one format, oldest first."""
    principal = principal_of_request(request)
    access.require(principal, "numbers.view")
    found: Page[Any] = page(request, asked, keepers(principal), lambda row: row, oldest_first=True)
    shown = [_group_out(group) for group in groups_of(principal, found.data)]
    return Page[TwinGroupOut](data=shown, next=found.next)


@router.post(
    "/merge",
    response={200: TwinsMergedOut, 202: TwinsMergedOut},
    summary="Merge all duplicates",
)
def merge_twins(request: HttpRequest, given: OptionalReasonIn) -> Any:
    """Merge each number into its international format. For more than 50 numbers, a job does it,
    and the answer is 202 with its ID.
    """
    principal = principal_of_request(request)
    access.require(principal, "numbers.operate")
    found = list(keepers(principal)[: AT_ONCE + 1])
    if len(found) > AT_ONCE:
        total = keepers(principal).count()
        job = service.merge_all_start(principal=principal, reason=given.reason, total=total)
        return Status(202, TwinsMergedOut(merged=0, unchanged={}, job=job.public_id))
    done = service.twins_merge_all(actor=principal, keepers=found, reason=given.reason)
    return Status(200, TwinsMergedOut(merged=done.merged, unchanged=done.stayed, job=None))


@router.post(
    "/{number}/merge",
    response={200: TwinOut},
    summary="Merge a duplicate",
)
def merge_twin(request: HttpRequest, given: OptionalReasonIn, number: str = Stored) -> Any:
    """Keep this format. It gets the labels, notes and tags of the others."""
    principal = principal_of_request(request)
    row = _number(principal, number)
    return _out(service.twins_merge(actor=principal, number=row, reason=given.reason))


@router.post(
    "/{number}/remove",
    response={204: None},
    summary="Remove a duplicate",
)
def remove_twin(request: HttpRequest, given: OptionalReasonIn, number: str = Stored) -> Any:
    """Remove this format and keep the others."""
    principal = principal_of_request(request)
    row = _number(principal, number)
    service.twin_remove(actor=principal, number=row, reason=given.reason)
    return Status(204, None)


def _number(principal: Principal, value: str) -> Number:
    """Return the row with exactly this format.

    Raise ProblemError if it is missing, or if it belongs to another account.
    """
    rows = Number.objects.select_related("pool__account", "twin_of").filter(value=value)
    try:
        return access.require_one(rows, principal, "numbers.operate")
    except access.Hidden:
        raise ProblemError("unknown-number", "number not found") from None


def _group_out(group: TwinGroup) -> TwinGroupOut:
    keeper = group.keeper
    return TwinGroupOut(
        number=keeper.canonical or keeper.value,
        rows=[_out(row) for row in group.rows],
        hidden=group.hidden,
    )


def _out(row: Number) -> TwinOut:
    return TwinOut(stored_as=row.value, pool=row.pool.slug, label=row.label)
