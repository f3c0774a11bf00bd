"""The demand expected in a queue on a day, from its own past: visitors per half hour, and pace.

Days of the same weekday are compared; if there are too few, all working days or all weekend days.
Days on which the queue had other hours, and days without visitors, are ignored.
"""

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from django.db.models import Avg, Count, F, Q, QuerySet, Sum

from poolsite.sql_functions import Elapsed
from queueing.line.definitions import SERVED
from queueing.line.models import Agent, AgentShift, Queue, Visit
from queueing.line.services.hours import WEEK_DAYS, spans_of, usual_days

HALF_HOUR = timedelta(minutes=30)
SAME_WEEKDAY = timedelta(weeks=8)
SAME_KIND = timedelta(weeks=4)
PACE_OF = timedelta(weeks=4)  # for rooms, patience and pauses
ENOUGH_DAYS = 3
ENOUGH_SERVED = 30
ENOUGH_LEFT = 10
Z_80 = 1.2816  # eight of ten days are inside
_LEFT = Q(matched_at=None, outcome__in=(Visit.Outcome.LEFT, Visit.Outcome.LOST))
_OVER = Q(ended_at__isnull=False) | SERVED
Slot = tuple[int, int]  # hour, and 0 or 1 for its half


@dataclass(frozen=True, slots=True)
class HalfHour:
    """A half hour. `expected`: the mean number of visitors; 80 % of days are from low to high."""

    begin: datetime
    expected: float
    low: int
    high: int


@dataclass(frozen=True, slots=True)
class Demand:
    """`days`: the days used, oldest first; `kind`: weekday, workday or weekend.

    There are no steps if there are too few days or `is_closed`. visitors: those of each day, if
    there are too few days. first: the date on which there will be enough days, if visitors come on
    each day until then.
    """

    days: tuple[date, ...]
    kind: str
    steps: tuple[HalfHour, ...]
    is_closed: bool = False
    visitors: tuple[int, ...] = ()
    first: date | None = None


@dataclass(frozen=True, slots=True)
class DemandPace:
    """The pace of a queue's last four weeks. A value is None if there is too little data.

    room_seconds: the mean, with the queue's wrap-up. patience_seconds: mean time until a visitor
    gives up, from visitors who did and visitors who were served first (the estimator of the
    exponential law for censored data: total waiting time ÷ visitors who left). capacity: the mean
    number of simultaneous rooms of its agents. paused: the share of shifts spent in pauses.
    """

    room_seconds: float | None
    served: int
    patience_seconds: float | None
    left: int
    capacity: float
    paused: float


def demand_of(queue: Queue, day: date, *, zone: ZoneInfo, now: datetime) -> Demand:
    """Return the expected visitors of a day. Only days before today are used."""
    today = now.astimezone(zone).date()
    spans = spans_of(queue, day)
    if spans == []:
        return Demand((), "weekday", (), is_closed=True)
    kind, counts = _past(queue, day, today, zone)
    if len(counts) < ENOUGH_DAYS:
        visitors = tuple(each.total() for each in counts.values())
        first = _first_told(queue, kind, today, ENOUGH_DAYS - len(counts))
        return Demand(tuple(counts), kind, (), visitors=visitors, first=first)
    means = _means(counts)
    spread = _spread(counts, means)
    steps = []
    for begin in _steps_of(day, zone):
        local = begin.astimezone(zone)
        if spans is None or any(_overlaps(local.time(), span) for span in spans):
            steps.append(_step(begin, means[_slot(local)], spread, len(counts)))
    return Demand(tuple(counts), kind, _trimmed(steps))


def pace_of(queue: Queue, *, now: datetime) -> DemandPace:
    """Return how long rooms last and how long visitors wait before they give up."""
    since = now - PACE_OF
    told = Visit.objects.filter(_OVER, queue=queue, joined_at__gte=since, joined_at__lt=now)
    found = told.aggregate(
        room=Avg(Elapsed("matched_at", "ended_at"), filter=SERVED),
        served=Count("pk", filter=SERVED & Q(ended_at__isnull=False)),
        left=Count("pk", filter=_LEFT),
        waited=Sum(Elapsed("joined_at", "matched_at")),
        in_vain=Sum(Elapsed("joined_at", "ended_at"), filter=Q(matched_at=None)),
    )
    served, left = found["served"], found["left"]
    room = None
    if served >= ENOUGH_SERVED and found["room"] is not None:
        room = max(1.0, found["room"].total_seconds() + queue.wrap_up_seconds)
    waited = sum(each.total_seconds() for each in (found["waited"], found["in_vain"]) if each)
    patience = max(1.0, waited / left) if left >= ENOUGH_LEFT else None
    agents = Agent.objects.filter(queues=queue, archived_at=None)
    capacity = agents.aggregate(mean=Avg("capacity"))["mean"] or 1.0
    return DemandPace(room, served, patience, left, float(capacity), _paused(agents, since))


def _paused(agents: "QuerySet[Agent]", since: datetime) -> float:
    """Return the share of the agents' shifts spent in pauses; 0 without shifts."""
    shifts = AgentShift.objects.filter(
        agent__in=agents, began_at__gte=since, ended_at__gt=F("began_at")
    ).aggregate(paused=Sum("paused_seconds"), whole=Sum(Elapsed("began_at", "ended_at")))
    whole = shifts["whole"].total_seconds() if shifts["whole"] else 0.0
    return min(0.9, shifts["paused"] / whole) if whole else 0.0


def _past(
    queue: Queue, day: date, today: date, zone: ZoneInfo
) -> tuple[str, dict[date, Counter[Slot]]]:
    """Return the kind of days used, and the visitors of each by half hour."""
    is_usual = usual_days(queue)

    def counted(days: Iterator[date]) -> dict[date, Counter[Slot]]:
        by_day = {each: _arrivals(queue, each, zone) for each in days if is_usual(each)}
        return {each: by_day[each] for each in sorted(by_day) if by_day[each]}

    same = counted(each for each in _days(today, SAME_WEEKDAY) if each.weekday() == day.weekday())
    if len(same) >= ENOUGH_DAYS:
        return "weekday", same
    is_weekend = _is_weekend(day)
    alike = (each for each in _days(today, SAME_KIND) if _is_weekend(each) == is_weekend)
    return "weekend" if is_weekend else "workday", counted(alike)


def _first_told(queue: Queue, kind: str, today: date, missing: int) -> date | None:
    """Return the day after the next `missing` days of the kind, counted from today."""
    is_usual = usual_days(queue)
    ahead = (today + timedelta(days=days) for days in range(SAME_KIND.days))
    alike = (each for each in ahead if _is_weekend(each) == (kind == "weekend"))
    days = [each for each in alike if is_usual(each)][:missing]
    return days[-1] + timedelta(days=1) if len(days) == missing else None


def _is_weekend(day: date) -> bool:
    return day.weekday() >= WEEK_DAYS - 2


def _days(today: date, back: timedelta) -> Iterator[date]:
    return (today - timedelta(days=ago) for ago in range(1, back.days + 1))


def _arrivals(queue: Queue, day: date, zone: ZoneInfo) -> Counter[Slot]:
    """Return a day's visitors by the half hour of joining. Uses the index (queue, joined_at)."""
    begin, end = _begin_of(day, zone), _begin_of(day + timedelta(days=1), zone)
    joined = Visit.objects.filter(queue=queue, joined_at__gte=begin, joined_at__lt=end)
    rows = joined.order_by().values_list("joined_at", flat=True)
    return Counter(_slot(at.astimezone(zone)) for at in rows.iterator(chunk_size=2_000))


def _begin_of(day: date, zone: ZoneInfo) -> datetime:
    return datetime.combine(day, time.min, zone).astimezone(UTC)


def _steps_of(day: date, zone: ZoneInfo) -> Iterator[datetime]:
    at, end = _begin_of(day, zone), _begin_of(day + timedelta(days=1), zone)
    while at < end:
        yield at
        at += HALF_HOUR


def _slot(local: datetime) -> Slot:
    return local.hour, local.minute // 30


def _overlaps(begin: time, span: tuple[time, time]) -> bool:
    minutes = begin.hour * 60 + begin.minute
    first, last = (at.hour * 60 + at.minute + at.second / 60 for at in span)
    return minutes < last and minutes + 30 > first


def _means(counts: dict[date, Counter[Slot]]) -> Counter[Slot]:
    whole: Counter[Slot] = Counter()
    for each in counts.values():
        whole.update(each)
    return Counter({slot: count / len(counts) for slot, count in whole.items()})


def _spread(counts: dict[date, Counter[Slot]], means: Counter[Slot]) -> float:
    """Return how much more days vary than by chance (Poisson): variance ÷ mean, 1 or more."""
    squares = sum(
        (day[slot] - mean) ** 2 for day in counts.values() for slot, mean in means.items()
    )
    return max(1.0, squares / ((len(counts) - 1) * sum(means.values())))


def _step(begin: datetime, mean: float, spread: float, days: int) -> HalfHour:
    """Return a half hour whose range is that of one more such day.

    The range covers the day's own chance and that of the mean. It is rounded inwards: a normal
    law's range reaches half a visitor beyond its last whole one.
    """
    beside = Z_80 * math.sqrt(mean * spread * (1 + 1 / days))
    return HalfHour(begin, mean, max(0, math.ceil(mean - beside)), math.floor(mean + beside))


def _trimmed(steps: Sequence[HalfHour]) -> tuple[HalfHour, ...]:
    """Leave out the half hours before the first visitor and after the last."""
    busy = [place for place, step in enumerate(steps) if step.expected]
    return tuple(steps[busy[0] : busy[-1] + 1]) if busy else ()
