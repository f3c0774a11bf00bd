"""The pool's routes behind Django, and the hot lane's in the same OpenAPI document."""

from datetime import UTC, datetime, timedelta
from typing import Any, cast

from django.http import HttpRequest, HttpResponse
from ninja import Path, Query, Router

from numbers import selectors
from numbers.api.examples import EXAMPLES
from numbers.api.health_routes import health_router
from numbers.api.switches import router as switches_router
from numbers.canonical import home_of
from numbers.models import CallRecord, Pool
from numbers.pool import AddedByScript
from numbers.schemas import (
    Answer,
    Counts,
    Event,
    EventItemAnswer,
    EventProblem,
    HadOut,
    LiveList,
    LiveListAnswer,
    NumberOut,
    PoolOut,
    WhoHadIn,
)
from numbers.selectors import ListedNumber, PoolNow
from poolsite import access, number_format
from poolsite.access import Principal, principal_of_request
from poolsite.api import examples
from poolsite.api.root import ProblemError, api

router = Router(tags=["numbers"])
Slug: Any = Path(..., pattern=r"^[a-z0-9-]{1,40}$", description="The pool's slug.")  # type: ignore[type-arg]
FUTURE = timedelta(minutes=1)


def register() -> None:
    """Called once, by poolsite.urls."""
    examples.declare(EXAMPLES)
    api.add_router("/pools", router)
    api.add_router("/pools", health_router)
    api.add_router("/pools", switches_router)
    api.add_router("/numbers", numbers_router)


numbers_router = Router(tags=["numbers"])


@router.get("", response={200: list[PoolOut]}, summary="List pools")
def list_pools(request: HttpRequest) -> Any:
    """The pools that the credential can access."""
    principal = principal_of_request(request)
    access.require(principal, "numbers.view")
    return [_pool_out(pool) for pool in selectors.pool_list(principal)]


@router.get("/{slug}", response={200: PoolOut}, summary="Get a pool")
def get_pool(request: HttpRequest, slug: str = Slug) -> Any:
    """The pool with its settings and current figures."""
    return _pool_out(selectors.pool_now(_pool(principal_of_request(request), slug)))


@router.get("/{slug}/numbers/{number}", response={200: NumberOut}, summary="Get a number")
def get_number(request: HttpRequest, number: str, slug: str = Slug) -> Any:
    """The number as stored in SQL, and its current state."""
    pool = _pool(principal_of_request(request), slug)
    row = selectors.number_of_pool(pool, _value(number))
    if row is None:
        raise ProblemError("unknown-number", "the number is not in this pool")
    return _number_out(selectors.with_live([row])[0])


@numbers_router.get("/who-had", response={200: list[HadOut]}, summary="Look up a call")
def who_had(
    request: HttpRequest,
    asked: Query[WhoHadIn],
) -> Any:
    """The calls in progress at a given time, by number, callee, agent or call ID."""
    access.require(principal_of_request(request), "numbers.view")
    unknown = sorted(set(request.GET) - set(WhoHadIn.model_fields))
    if unknown:
        raise ProblemError("malformed", f"{unknown[0][:40]}: unknown parameter")
    number, callee, agent, call_id = asked.number, asked.callee, asked.agent, asked.call_id
    _check_text(number, callee, agent, call_id)
    if not any((number, callee, agent, call_id)):
        raise ProblemError("malformed", "give a number, a callee, an agent or a call_id")
    if asked.at > datetime.now(UTC) + FUTURE:
        raise ProblemError("malformed", "at: is in the future")
    found = number_format.normalise(callee) if callee else None
    rows = selectors.who_had(
        principal_of_request(request),
        at=asked.at,
        number=_value(number) if number else "",
        callee=found.value if isinstance(found, number_format.Normalised) else callee,
        agent=agent,
        call_id=call_id,
    )
    return [_had_out(row) for row in rows]


_REFUSED: dict[int, Any] = {422: EventProblem}  # the schema of all errors


@router.post(
    "/{slug}/events",
    response={200: Answer | list[EventItemAnswer], **_REFUSED},
    summary="Send events",
    operation_id="post_events",
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
    operation_id="post_live_list",
)
def post_live_list(request: HttpRequest, live: LiveList, slug: str = Slug) -> HttpResponse:
    """Send all current calls of a switch: renews their leases and finds ghosts on both sides."""
    return _hot_only()


def _hot_only() -> HttpResponse:
    """Only when this process does not serve ASGI: the routes above then lead nowhere."""
    raise ProblemError("unavailable", "events are served over ASGI only")


def _pool(principal: Principal, slug: str) -> Pool:
    try:
        return selectors.pool_get(principal, slug)
    except access.Hidden:
        raise ProblemError("unknown-pool", "pool not found") from None


def _value(text: str) -> str:
    try:
        return number_format.parse(text)
    except number_format.NotANumberError as error:
        raise ProblemError("malformed", f"number: {error}") from None


def _check_text(*texts: str) -> None:
    for text in texts:
        if not text.isprintable():
            raise ProblemError("malformed", "control characters are not allowed")


def _pool_out(now: PoolNow) -> PoolOut:
    pool, live = now.pool, now.live
    counts = None
    if live is not None:
        counts = Counts(
            idle_up=live.idle_up,
            idle_down=live.idle_down,
            busy_up=live.busy_up,
            busy_down=live.busy_down,
            quarantined=live.quarantined,
            resting=live.resting,
            pickable=live.pickable,
            offered=live.offered,
            carried=live.carried,
            carried_in=live.carried_in,
            blocked=live.blocked,
            waiting=live.waiting,
        )
    return PoolOut(
        slug=pool.slug,
        name=pool.name,
        account=pool.account.slug if pool.account is not None else None,
        status=now.status,
        status_reason=now.status_reason,
        numbers=live.numbers if live is not None else pool.numbers.count(),
        counts=counts,
        lease_seconds=pool.lease_seconds,
        suspect_seconds=pool.suspect_seconds,
        switch_interval_seconds=pool.switch_interval_seconds,
        cooldown_seconds=pool.cooldown_seconds,
        daily_cap=pool.daily_cap,
        sticky_seconds=pool.sticky_seconds,
        near=pool.near,
        home_country=home_of(pool.home_country),
        number_spelling=pool.number_spelling,
        charged=pool.charged,
        added_by_script=cast("AddedByScript", pool.added_by_script),
        as_of=live.as_of_us if live is not None else 0,
    )


def _number_out(listed: ListedNumber) -> NumberOut:
    row, live = listed.number, listed.live
    as_of = listed.as_of_us
    call = live.call if live is not None else None
    why_not = live.why_not(as_of) if live is not None else "not in Redis"
    return NumberOut(
        number=row.canonical or row.value,
        stored_as=row.value,
        pool=row.pool.slug,
        label=row.label,
        tags=sorted(row.tags.values_list("tag", flat=True)),
        region=row.region,
        carrier=row.carrier,
        state=live.name if live is not None else "nodata",
        pickable=live is not None and not why_not,
        why_not=why_not,
        pickable_from=live.since_us if live is not None and not live.busy else None,
        call_id=call.call_id if call is not None else "",
        agent=call.agent if call is not None else "",
        callee=call.callee if call is not None else "",
        switch=call.switch if call is not None else "",
        direction=call.direction if call is not None else "",
        since=live.since_us if live is not None and live.busy else None,
        lease_until=(
            live.lease_until_ms * 1000
            if live is not None and live.busy and live.lease_until_ms is not None
            else None
        ),
        as_of=as_of,
    )


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
        ended_at=row.ended_at.isoformat() if row.ended_at is not None else None,
        ended_how=row.ended_how,
    )
