"""What happened in a pool: its calls, and the events of a number."""

from typing import Any

from django.http import HttpRequest
from ninja import Query

from numbers.api.common import Slug, check_text, number_of, pool_of, router, value_of
from numbers.api.number_schemas import CallsIn, NumberEventOut, NumberEventsIn, PoolCallOut
from numbers.models import CallRecord, PoolEvent
from numbers.selectors.records import number_events, pool_calls
from poolsite import number_format
from poolsite.access import principal_of_request
from poolsite.api.pages import Page, page
from poolsite.moments import iso, moment_of


@router.get(
    "/{slug}/calls",
    response={200: Page[PoolCallOut]},
    summary="List calls",
)
def list_calls(request: HttpRequest, asked: Query[CallsIn], slug: str = Slug) -> Any:
    """The calls of a pool, latest first. A call appears about a second after it starts."""
    pool = pool_of(principal_of_request(request), slug)
    check_text(asked.number, asked.agent, asked.callee, asked.call_id)
    rows = pool_calls(
        pool,
        number=value_of(asked.number) if asked.number else "",
        callee=number_format.cleaned(asked.callee) if asked.callee else "",
        agent=asked.agent,
        call_id=asked.call_id,
        started_from=asked.started_from,
        started_to=asked.started_to,
        in_progress=asked.in_progress,
    )
    return page(request, asked, rows, _call_out)


@router.get(
    "/{slug}/numbers/{number}/events",
    response={200: Page[NumberEventOut]},
    summary="List a number's events",
)
def list_number_events(
    request: HttpRequest, asked: Query[NumberEventsIn], number: str, slug: str = Slug
) -> Any:
    """Everything that happened to a number in this pool, latest first."""
    pool = pool_of(principal_of_request(request), slug)
    row = number_of(pool, number)
    return page(request, asked, number_events(pool, row.value), _event_out)


def _call_out(row: CallRecord) -> PoolCallOut:
    return PoolCallOut(
        number=row.number,
        call_id=row.call_id,
        direction=row.direction,
        agent=row.agent,
        callee=row.callee,
        switch=row.switch,
        started_at=row.started_at.isoformat(),
        ended_at=iso(row.ended_at),
        ended_how=row.ended_how,
        answered=row.answered,
        talk_seconds=row.talk_seconds,
        cause=row.cause,
    )


def _event_out(row: PoolEvent) -> NumberEventOut:
    names = [name for name in NumberEventOut.model_fields if name != "at"]
    return NumberEventOut(
        at=moment_of(row.at_us).isoformat(), **{name: getattr(row, name) for name in names}
    )
