"""What SQL remembers of calls and events: who had a number, and one number's story."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Q, QuerySet

from numbers.models import CallRecord, PoolEvent
from poolsite import access
from poolsite.access import Principal

HAD_LIMIT = 200
STORY_LIMIT = 100


@dataclass(frozen=True, slots=True)
class Story:
    """A page of a number's events, newest first; `next` continues it, None = that was all."""

    events: list[PoolEvent]
    next: tuple[int, int] | None


def visible_calls(principal: Principal) -> QuerySet[CallRecord]:
    """The call records that this principal may see."""
    return access.visible(
        CallRecord.objects.select_related("pool"),
        principal,
        "numbers.view",
        account_field="pool__account",
        slug_field="pool__slug",
        kind="pool",
    )


def visible_events(principal: Principal) -> QuerySet[PoolEvent]:
    """The events that this principal may see."""
    return access.visible(
        PoolEvent.objects.select_related("aggregate"),
        principal,
        "numbers.view",
        account_field="aggregate__account",
        slug_field="aggregate__slug",
        kind="pool",
    )


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
    """The calls that ran at one moment, newest first, by any of number, callee, agent, call id.

    One query. A call runs from its start up to, not including, its end. Several conditions
    must all hold; ValueError without any.
    """
    wanted = {"number": number, "callee": callee, "agent": agent, "call_id": call_id}
    given = {name: value for name, value in wanted.items() if value}
    if not given:
        raise ValueError("name a number, a callee, an agent or a call")
    return list(
        visible_calls(principal)
        .filter(**given, started_at__lte=at)
        .filter(Q(ended_at=None) | Q(ended_at__gt=at))
        .order_by("-started_at")[:limit]
    )


def number_story(
    principal: Principal,
    number: str,
    *,
    after: tuple[int, int] | None = None,
    before_us: int | None = None,
    limit: int = STORY_LIMIT,
) -> Story:
    """Everything that happened to a number, newest first, a page at a time.

    after: what `next` of the page before held. before_us: start at this moment instead.
    """
    events = visible_events(principal).filter(number=number).order_by("-at_us", "-pk")
    if after is not None:
        at_us, key = after
        events = events.filter(Q(at_us__lt=at_us) | Q(at_us=at_us, pk__lt=key))
    if before_us is not None:
        events = events.filter(at_us__lte=before_us)
    page = list(events[: limit + 1])
    more = len(page) > limit
    page = page[:limit]
    return Story(page, (page[-1].at_us, page[-1].pk) if more else None)


def call_story(principal: Principal, call_id: str, *, limit: int = STORY_LIMIT) -> list[PoolEvent]:
    """Everything that happened under a call id, oldest first."""
    return list(visible_events(principal).filter(call_id=call_id).order_by("at_us", "pk")[:limit])


def recent_calls(
    principal: Principal, *, number: str = "", pool_id: int | None = None, limit: int = 50
) -> list[CallRecord]:
    """The latest calls of a number or a pool, newest first."""
    calls = visible_calls(principal)
    if number:
        calls = calls.filter(number=number)
    if pool_id is not None:
        calls = calls.filter(pool_id=pool_id)
    return list(calls.order_by("-started_at")[:limit])
