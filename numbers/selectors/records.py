"""Queries about calls and events: who had a number, and the story of one number."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Q, QuerySet

from numbers.models import CallRecord, Pool, PoolEvent
from numbers.selectors.pools import in_visible_pools
from numbers.selectors.spellings import every_spelling
from poolsite.access import Principal
from poolsite.paging import keyset_page

HAD_LIMIT = 200
STORY_LIMIT = 100


@dataclass(frozen=True, slots=True)
class Story:
    """A page of a number's events, newest first. `next` continues it; None on the last page."""

    events: list[PoolEvent]
    next: tuple[int, int] | None


def visible_calls(principal: Principal) -> QuerySet[CallRecord]:
    """The call records that this principal may see."""
    return in_visible_pools(CallRecord.objects.select_related("pool"), principal)


def visible_events(principal: Principal) -> QuerySet[PoolEvent]:
    """The events that this principal may see."""
    return in_visible_pools(PoolEvent.objects.select_related("aggregate"), principal, "aggregate")


def who_had(
    principal: Principal,
    *,
    at: datetime,
    number: str = "",
    callee: str = "",
    agent: str = "",
    call_id: str = "",
    limit: int = HAD_LIMIT,
) -> list[CallRecord]:
    """Return the calls at one moment by number, callee, agent or call ID, newest first.

    A number is found in every format. A call lasts from its start up to, but not including, its
    end. All given conditions must hold. Raise ValueError if none is given.
    """
    calls = _calls_of(principal, number=number, callee=callee, agent=agent, call_id=call_id)
    return list(
        calls.filter(started_at__lte=at)
        .filter(Q(ended_at=None) | Q(ended_at__gt=at))
        .order_by("-started_at")[:limit]
    )


def calls_around(
    principal: Principal,
    *,
    at: datetime,
    number: str = "",
    callee: str = "",
    agent: str = "",
    call_id: str = "",
) -> tuple[CallRecord | None, CallRecord | None]:
    """Return the latest call that ended before a moment, and the first that began after it."""
    calls = _calls_of(principal, number=number, callee=callee, agent=agent, call_id=call_id)
    before = calls.filter(started_at__lte=at, ended_at__lte=at).order_by("-started_at").first()
    after = calls.filter(started_at__gt=at).order_by("started_at").first()
    return before, after


def _calls_of(principal: Principal, *, number: str, **wanted: str) -> QuerySet[CallRecord]:
    """The calls for which all given conditions hold. Raise ValueError if none is given."""
    given: dict[str, object] = {name: value for name, value in wanted.items() if value}
    if number:
        given["number__in"] = every_spelling(number)
    if not given:
        raise ValueError("name a number, a callee, an agent or a call")
    return visible_calls(principal).filter(**given)


def number_story(
    principal: Principal,
    number: str,
    *,
    after: tuple[int, int] | None = None,
    before_us: int | None = None,
    limit: int = STORY_LIMIT,
) -> Story:
    """Return everything that happened to a number, newest first, one page at a time.

    `after`: the `next` of the previous page. `before_us`: start at this moment instead.
    """
    events = visible_events(principal).filter(number__in=every_spelling(number))
    events = events.order_by("-at_us", "-pk")
    if after is not None:
        at_us, key = after
        events = events.filter(Q(at_us__lt=at_us) | Q(at_us=at_us, pk__lt=key))
    if before_us is not None:
        events = events.filter(at_us__lte=before_us)
    page, last = keyset_page(events, limit)
    return Story(page, (last.at_us, last.pk) if last is not None else None)


def recent_calls(
    principal: Principal, *, number: str = "", pool_id: int | None = None, limit: int = 50
) -> list[CallRecord]:
    """The latest calls of a number or a pool, newest first."""
    calls = visible_calls(principal)
    if number:
        calls = calls.filter(number__in=every_spelling(number))
    if pool_id is not None:
        calls = calls.filter(pool_id=pool_id)
    return list(calls.order_by("-started_at")[:limit])


def pool_calls(
    pool: Pool,
    *,
    number: str = "",
    callee: str = "",
    agent: str = "",
    call_id: str = "",
    started_from: datetime | None = None,
    started_to: datetime | None = None,
    in_progress: bool | None = None,
) -> QuerySet[CallRecord]:
    """The calls of a pool for which all given conditions hold, unordered.

    The call started in [started_from, started_to).
    """
    given: dict[str, object] = {
        "number__in": every_spelling(number) if number else "",
        "callee": callee,
        "agent": agent,
        "call_id": call_id,
        "started_at__gte": started_from,
        "started_at__lt": started_to,
    }
    named = {name: value for name, value in given.items() if value}
    calls = CallRecord.objects.select_related("pool").filter(pool=pool, **named)
    if in_progress is not None:
        calls = calls.filter(ended_at__isnull=in_progress)
    return calls


def number_events(pool: Pool, number: str) -> QuerySet[PoolEvent]:
    """The events of a number in one pool, unordered."""
    return PoolEvent.objects.filter(aggregate=pool, number__in=every_spelling(number))
