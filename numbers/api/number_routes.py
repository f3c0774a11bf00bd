"""The numbers of a pool: list, add, change, quarantine, free and delete them."""

from typing import Any

from django.http import HttpRequest
from ninja import Query, Status
from ninja.params import functions as param

from numbers import selectors, services
from numbers.api.common import OPERATE, Slug, check_text, number_of, number_out, pool_of, router
from numbers.api.number_schemas import (
    AddedOut,
    NumberChangeIn,
    NumberOut,
    NumbersAddedOut,
    NumbersAddIn,
    NumbersIn,
    RangeAddedOut,
    RangeIn,
)
from numbers.api.pool_schemas import OptionalReasonIn, RequiredReasonIn
from numbers.models import Number, Pool
from numbers.selectors.lists import pool_numbers
from numbers.services.adding_many import Answered, ToAdd, numbers_add_each
from poolsite.access import principal_of_request
from poolsite.api.pages import Page, page

_TYPES: dict[str, dict[str, Any]] = {
    "": {"status": 201, "type": None},
    "malformed": {"status": 422, "type": "malformed"},
    "not-allowed": {"status": 409, "type": "not-allowed"},
}


@router.get(
    "/{slug}/numbers",
    response={200: Page[NumberOut]},
    summary="List numbers",
)
def list_numbers(request: HttpRequest, asked: Query[NumbersIn], slug: str = Slug) -> Any:
    """The numbers of a pool with their current states, newest first."""
    pool = pool_of(principal_of_request(request), slug)
    check_text(asked.q, asked.region, asked.carrier, asked.tag)
    rows = pool_numbers(
        pool,
        q=asked.q,
        region=asked.region,
        carrier=asked.carrier,
        tag=asked.tag,
        quarantined=asked.quarantined,
        import_id=asked.import_id,
    )
    found: Page[Any] = page(request, asked, rows, lambda row: row)
    shown = [number_out(listed) for listed in selectors.with_live(found.data)]
    return Page[NumberOut](data=shown, next=found.next)


@router.post(
    "/{slug}/numbers",
    response={200: NumbersAddedOut},
    summary="Add numbers",
)
def post_numbers(request: HttpRequest, given: NumbersAddIn, slug: str = Slug) -> Any:
    """Add up to 1,000 numbers. Each has its own result: one that can't be added doesn't stop the
    others.
    """
    principal = principal_of_request(request)
    pool = pool_of(principal, slug, OPERATE)
    items = [
        ToAdd(each.number, each.label, each.notes, each.region, tuple(each.tags))
        for each in given.numbers
    ]
    answers = numbers_add_each(actor=principal, pool=pool, items=items, reason=given.reason)
    results = [_added_out(each) for each in answers]
    return NumbersAddedOut(added=sum(not each.kind for each in answers), results=results)


@router.post(
    "/{slug}/number-ranges",
    response={200: RangeAddedOut},
    summary="Add a range of numbers",
)
def post_number_range(request: HttpRequest, given: RangeIn, slug: str = Slug) -> Any:
    """Add every number from the first to the last. Numbers that are in a pool already are left
    out.
    """
    principal = principal_of_request(request)
    pool = pool_of(principal, slug, OPERATE)
    done = services.number_add_range(actor=principal, pool=pool, **given.model_dump())
    return RangeAddedOut(
        added=len(done.added),
        in_this_pool=len(done.here),
        in_other_pools=len(done.elsewhere),
        in_calls=len(done.in_call),
    )


@router.patch(
    "/{slug}/numbers/{number}",
    response={200: NumberOut},
    summary="Change a number",
)
def patch_number(
    request: HttpRequest, change: NumberChangeIn, number: str, slug: str = Slug
) -> Any:
    """Change the label, notes, region, carrier or tags of a number."""
    principal = principal_of_request(request)
    pool = pool_of(principal, slug, OPERATE)
    row = services.number_change(
        actor=principal, number=number_of(pool, number), **change.model_dump()
    )
    return _now(pool, row)


@router.delete(
    "/{slug}/numbers/{number}",
    response={204: None},
    summary="Delete a number",
)
def delete_number(
    request: HttpRequest,
    number: str,
    slug: str = Slug,
    reason: str = param.Query("", max_length=200, description="It is kept in the audit log."),
) -> Any:
    """Remove a number from the pool. A call in progress continues until it ends."""
    principal = principal_of_request(request)
    pool = pool_of(principal, slug, OPERATE)
    services.number_delete(actor=principal, number=number_of(pool, number), reason=reason)
    return Status(204, None)


@router.post(
    "/{slug}/numbers/{number}/quarantine",
    response={200: NumberOut},
    summary="Quarantine a number",
)
def quarantine_number(
    request: HttpRequest, given: RequiredReasonIn, number: str, slug: str = Slug
) -> Any:
    """Stop using a number for new calls. Its call in progress and its registration are kept."""
    principal = principal_of_request(request)
    pool = pool_of(principal, slug, OPERATE)
    row = services.number_quarantine(
        actor=principal, number=number_of(pool, number), reason=given.reason
    )
    return _now(pool, row)


@router.post(
    "/{slug}/numbers/{number}/release",
    response={200: NumberOut},
    summary="Release a number",
)
def release_number(
    request: HttpRequest, given: OptionalReasonIn, number: str, slug: str = Slug
) -> Any:
    """End the quarantine of a number. A duplicate must be merged first."""
    principal = principal_of_request(request)
    pool = pool_of(principal, slug, OPERATE)
    row = services.number_release(
        actor=principal, number=number_of(pool, number), reason=given.reason
    )
    return _now(pool, row)


@router.post(
    "/{slug}/numbers/{number}/hangup",
    response={200: NumberOut},
    summary="End a number's call",
)
def hangup_number(
    request: HttpRequest, given: RequiredReasonIn, number: str, slug: str = Slug
) -> Any:
    """End the number's call now and free the number. The switch is notified."""
    principal = principal_of_request(request)
    pool = pool_of(principal, slug, OPERATE)
    row = number_of(pool, number)
    services.number_force_hangup(actor=principal, number=row, reason=given.reason)
    return _now(pool, row)


def _added_out(answer: Answered) -> AddedOut:
    return AddedOut(number=answer.number, detail=answer.why, **_TYPES[answer.kind])


def _now(pool: Pool, row: Number) -> NumberOut:
    """The number's state after a change."""
    fresh = Number.objects.select_related("pool").get(pool=pool, pk=row.pk)
    return number_out(selectors.with_live([fresh])[0])
