"""The pool's routes behind Django, and those of the hot lane in the same OpenAPI document."""

from datetime import UTC, datetime, timedelta
from typing import Any

from django.http import HttpRequest, HttpResponse
from ninja import Query, Router

from numbers import selectors
from numbers.api import (  # noqa: F401  their routes join the router
    bulk,
    examples_manage,
    health_routes,
    health_rule_routes,
    history,
    import_routes,
    number_routes,
    pools,
    switches,
    twins,
)
from numbers.api.common import (
    Slug,
    check_text,
    number_of,
    number_out,
    pool_of,
    pool_out,
    router,
    value_of,
)
from numbers.api.examples import EXAMPLES
from numbers.api.number_schemas import NumberOut
from numbers.api.pool_schemas import PoolOut
from numbers.models import CallRecord
from numbers.pool import Event
from numbers.schemas import (
    Answer,
    EventItemAnswer,
    EventProblem,
    HadOut,
    LiveList,
    LiveListAnswer,
    WhoHadIn,
)
from poolsite import access, number_format
from poolsite.access import principal_of_request
from poolsite.api import examples
from poolsite.api.pages import check_known
from poolsite.api.root import ProblemError, api
from poolsite.moments import iso

FUTURE = timedelta(minutes=1)


def register() -> None:
    """Register the routes. Called once, by poolsite.urls."""
    examples.declare(EXAMPLES)
    examples.declare(examples_manage.EXAMPLES)
    api.add_router("/pools", router)
    api.add_router("/numbers/twins", twins.router)
    api.add_router("/numbers", numbers_router)


numbers_router = Router(tags=["numbers"])


@router.get("", response={200: list[PoolOut]}, summary="List pools", tags=["pools"])
def list_pools(request: HttpRequest) -> Any:
    """The pools that the credential can access."""
    principal = principal_of_request(request)
    access.require(principal, "numbers.view")
    return [pool_out(pool) for pool in selectors.pool_list(principal)]


@router.get("/{slug}", response={200: PoolOut}, summary="Get a pool", tags=["pools"])
def get_pool(request: HttpRequest, slug: str = Slug) -> Any:
    """The pool with its settings and current figures."""
    return pool_out(selectors.pool_now(pool_of(principal_of_request(request), slug)))


@router.get("/{slug}/numbers/{number}", response={200: NumberOut}, summary="Get a number")
def get_number(request: HttpRequest, number: str, slug: str = Slug) -> Any:
    """The number as stored in SQL, and its current state."""
    pool = pool_of(principal_of_request(request), slug)
    return number_out(selectors.with_live([number_of(pool, number)])[0])


@numbers_router.get("/who-had", response={200: list[HadOut]}, summary="Look up a call")
def who_had(
    request: HttpRequest,
    asked: Query[WhoHadIn],
) -> Any:
    """The calls in progress at a given time, by number, callee, agent or call ID."""
    access.require(principal_of_request(request), "numbers.view")
    check_known(request, asked)
    number, callee, agent, call_id = asked.number, asked.callee, asked.agent, asked.call_id
    check_text(number, callee, agent, call_id)
    if not any((number, callee, agent, call_id)):
        raise ProblemError("malformed", "give a number, a callee, an agent or a call_id")
    if asked.at > datetime.now(UTC) + FUTURE:
        raise ProblemError("malformed", "at: is in the future")
    rows = selectors.who_had(
        principal_of_request(request),
        at=asked.at,
        number=value_of(number) if number else "",
        callee=number_format.cleaned(callee) if callee else "",
        agent=agent,
        call_id=call_id,
    )
    return [_had_out(row) for row in rows]


_REFUSED: dict[int, Any] = {422: EventProblem}  # the schema of all errors


@router.post(
    "/{slug}/events",
    response={200: Answer | list[EventItemAnswer], **_REFUSED},
    summary="Send events",
    openapi_extra={
        "requestBody": {
            "required": True,
            "content": {
                "application/json": {
                    "schema": {
                        "anyOf": [
                            {"$ref": "#/components/schemas/Event"},
                            {
                                "type": "array",
                                "items": {"$ref": "#/components/schemas/Event"},
                                "minItems": 1,
                                "maxItems": 1000,
                            },
                        ]
                    }
                }
            },
        }
    },
)
def post_events(request: HttpRequest, event: Event, slug: str = Slug) -> HttpResponse:
    """Send one event, or an array of up to 1,000. They are processed and answered in order.

    A single event that is not allowed answers 409, an unknown pool or number 404. In a batch,
    each item has its own `status`.
    """
    return _hot_only()


@router.post(
    "/{slug}/live",
    response={200: LiveListAnswer, **_REFUSED},
    summary="Send a live list",
)
def post_live_list(request: HttpRequest, live: LiveList, slug: str = Slug) -> HttpResponse:
    """Send all current calls of a switch: renews their leases and finds ghosts on both sides."""
    return _hot_only()


def _hot_only() -> HttpResponse:
    """Raise ProblemError: this process does not serve ASGI, so the hot lane does not exist."""
    raise ProblemError("unavailable", "events are served over ASGI only")


def _had_out(row: CallRecord) -> HadOut:
    return HadOut(
        number=row.number,
        pool=row.pool.slug,
        call_id=row.call_id,
        direction=row.direction,
        agent=row.agent,
        callee=row.callee,
        switch=row.switch,
        started_at=row.started_at.isoformat(),
        ended_at=iso(row.ended_at),
        ended_how=row.ended_how,
    )
