"""What happened at a desk in a time: by hour or day, by queue, by agent. Figures from SQL.

A visit belongs to the step in which it joined. Served: an agent took it; abandoned: it ended
before. Percentiles are nearest-rank, computed by the database. Steps and days are those of the
desk's zone.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from functools import reduce
from operator import or_
from typing import Any
from zoneinfo import ZoneInfo

from django.db.models import (
    Avg,
    Count,
    DurationField,
    Expression,
    ExpressionWrapper,
    F,
    Q,
    QuerySet,
    Window,
)
from django.db.models.expressions import CombinedExpression
from django.db.models.functions import RowNumber, Trunc

from queueing.line.models import Agent, Desk, Queue, Visit
from queueing.line.selectors.occupancy import Use, use_by_agent, use_by_step
from queueing.line.services.common import zone_of

LONGEST_DAYS = 93
HOURS_UNTIL_DAYS = 3  # a longer time is shown by day
GROUPS = ("time", "queue", "agent")
PERCENTILES = (0.5, 0.9)


@dataclass(frozen=True, slots=True)
class Span:
    """From the first day to the last, both whole, in the desk's zone."""

    first: date
    last: date
    zone: ZoneInfo

    @property
    def since(self) -> datetime:
        return datetime.combine(self.first, datetime.min.time(), self.zone).astimezone(UTC)

    @property
    def until(self) -> datetime:
        """The first moment after it."""
        after = self.last + timedelta(days=1)
        return datetime.combine(after, datetime.min.time(), self.zone).astimezone(UTC)

    @property
    def step(self) -> str:
        """hour or day."""
        return "hour" if (self.last - self.first).days < HOURS_UNTIL_DAYS else "day"

    def steps(self, now: datetime) -> list[datetime]:
        """The begins of all steps that have begun, oldest first."""
        begins: list[datetime] = []
        at, end = self.since, min(self.until, now)
        while at < end:
            begins.append(at)
            if self.step == "hour":
                at += timedelta(hours=1)
            else:
                local = at.astimezone(self.zone).date() + timedelta(days=1)
                at = datetime.combine(local, datetime.min.time(), self.zone).astimezone(UTC)
        return begins


@dataclass(frozen=True, slots=True)
class ReportRow:
    """One line of a report. Seconds; shares 0 to 1; None = nothing to tell.

    level: of those served, the share within the queue's own time. occupancy: of the time that the
    agents' rooms could be in use (online, not paused, times capacity), the share in use.
    """

    key: Any
    name: str
    arrivals: int = 0
    served: int = 0
    abandoned: int = 0
    in_time: int = 0
    wait_p50: float | None = None
    wait_p90: float | None = None
    wait_longest: float | None = None
    room_mean: float | None = None
    occupancy: float | None = None
    ratings: int = 0
    stars: float | None = None

    @property
    def level(self) -> float | None:
        return self.in_time / self.served if self.served else None

    @property
    def abandoned_share(self) -> float | None:
        over = self.served + self.abandoned
        return self.abandoned / over if over else None


def span_of(desk: Desk, first: date | None, last: date | None, now: datetime) -> Span:
    """The wanted days, today without any; at most 93, never in the future."""
    zone = ZoneInfo(zone_of(desk))
    today = now.astimezone(zone).date()
    last = min(last or today, today)
    first = min(first or last, last)
    return Span(max(first, last - timedelta(days=LONGEST_DAYS - 1)), last, zone)


def report(
    desk: Desk, span: Span, by: str, *, queue: Queue | None = None, now: datetime
) -> list[ReportRow]:
    """The rows of a report: every step that has begun, every queue, or every agent of the desk."""
    if by not in GROUPS:
        raise ValueError(f"no such group: {by}")
    key: Any = {"queue": F("queue_id"), "agent": F("agent_id")}.get(by)
    if key is None:
        key = Trunc("joined_at", span.step, tzinfo=span.zone)  # aware, equal to the step's begin
    visits = _visits(desk, span, queue)
    figures = _figures(desk, visits, key)
    waits = _percentiles(visits, key)
    return [
        _row(row_key, name, figures.get(row_key, {}), waits.get(row_key, {}), use)
        for row_key, name, use in _keys(desk, span, by, queue, now)
    ]


def total(desk: Desk, span: Span, *, queue: Queue | None = None, now: datetime) -> ReportRow:
    """The whole time in one row."""
    visits = _visits(desk, span, queue)
    figures = _figures(desk, visits, F("desk_id"))
    waits = _percentiles(visits, F("desk_id"))
    used = use_by_agent(_agents(desk, queue), span.since, span.until, now=now).values()
    whole = Use(sum(use.used for use in used), sum(use.open for use in used))
    return _row(desk.pk, "", figures.get(desk.pk, {}), waits.get(desk.pk, {}), whole)


def _visits(desk: Desk, span: Span, queue: Queue | None) -> "QuerySet[Visit]":
    """Through an index on (desk, joined_at) or (queue, joined_at)."""
    rows = Visit.objects.filter(queue=queue) if queue else Visit.objects.filter(desk=desk)
    return rows.filter(joined_at__gte=span.since, joined_at__lt=span.until)


def _figures(
    desk: Desk, visits: "QuerySet[Visit]", key: Expression | F
) -> dict[Any, dict[str, Any]]:
    served = Q(matched_at__isnull=False)
    in_time = [
        Q(
            queue=each,
            matched_at__lte=F("joined_at") + timedelta(seconds=each.answer_within_seconds),
        )
        for each in desk.queues.all()
    ]
    rows = (
        visits.annotate(key=key)
        .values("key")
        .order_by()
        .annotate(
            arrivals=Count("pk"),
            served=Count("pk", filter=served),
            abandoned=Count("pk", filter=Q(matched_at=None, ended_at__isnull=False)),
            in_time=Count("pk", filter=reduce(or_, in_time, Q(pk__in=()))),
            room_mean=Avg(_lasts("matched_at", "ended_at")),
            ratings=Count("rating__stars"),
            stars=Avg("rating__stars"),
        )
    )
    return {row["key"]: dict(row) for row in rows}


def _lasts(begin: str, end: str) -> "ExpressionWrapper[CombinedExpression]":
    return ExpressionWrapper(F(end) - F(begin), output_field=DurationField())


def _percentiles(visits: "QuerySet[Visit]", key: Expression | F) -> dict[Any, dict[float, float]]:
    """For each key the waits of those served at the wanted ranks: {0.5: s, 0.9: s, 1.0: s}."""
    ranked = (
        visits.filter(matched_at__isnull=False)
        .annotate(key=key, wait=_lasts("joined_at", "matched_at"))
        .annotate(
            rank=Window(RowNumber(), partition_by=[F("key")], order_by=[F("wait"), F("pk")]),
            of=Window(Count("pk"), partition_by=[F("key")]),
        )
        .order_by()
    )
    wanted = Q(rank=F("of"))
    for share in PERCENTILES:  # rank = ceil(of * share), in whole numbers
        whole = round(share * 100)
        ranked = ranked.annotate(**{f"over_{whole}": F("rank") * 100 - F("of") * whole})
        wanted |= Q(**{f"over_{whole}__gte": 0, f"over_{whole}__lt": 100})
    found: dict[Any, dict[float, float]] = {}
    for row in ranked.filter(wanted).values_list("key", "rank", "of", "wait"):
        row_key, rank, of, wait = row
        mine = found.setdefault(row_key, {})
        for share in (*PERCENTILES, 1.0):
            if rank == -(-of * round(share * 100) // 100):
                mine[share] = wait.total_seconds()
    return found


def _keys(
    desk: Desk, span: Span, by: str, queue: Queue | None, now: datetime
) -> Iterable[tuple[Any, str, Use | None]]:
    """Every row that the report shows: key, name, and how far its agents were in use."""
    if by == "time":
        steps = span.steps(now)
        uses = use_by_step(_agents(desk, queue), [*steps, min(span.until, now)], now=now)
        shown = "%Y-%m-%d %H:%M" if span.step == "hour" else "%Y-%m-%d"
        for begin, use in zip(steps, uses, strict=True):
            local = begin.astimezone(span.zone)
            yield local, local.strftime(shown), use
        return
    agents = _agents(desk, queue)
    used = use_by_agent(agents, span.since, span.until, now=now)
    if by == "agent":
        for agent in sorted(agents, key=lambda each: each.name):
            yield agent.pk, agent.name, used[agent.pk]
        return
    for each in [queue] if queue else desk.queues.all():
        serving = each.agents.values_list("pk", flat=True)
        mine = [used[pk] for pk in serving if pk in used]
        yield each.pk, each.name, Use(sum(u.used for u in mine), sum(u.open for u in mine))


def _agents(desk: Desk, queue: Queue | None) -> Sequence[Agent]:
    return list(queue.agents.all() if queue else desk.agents.all())


def _row(
    key: Any, name: str, figures: Mapping[str, Any], waits: Mapping[float, float], use: Use | None
) -> ReportRow:
    mean, stars = figures.get("room_mean"), figures.get("stars")
    return ReportRow(
        key,
        name,
        arrivals=figures.get("arrivals", 0),
        served=figures.get("served", 0),
        abandoned=figures.get("abandoned", 0),
        in_time=figures.get("in_time", 0),
        wait_p50=waits.get(0.5),
        wait_p90=waits.get(0.9),
        wait_longest=waits.get(1.0),
        room_mean=mean.total_seconds() if mean is not None else None,
        occupancy=use.share if use is not None else None,
        ratings=figures.get("ratings", 0),
        stars=round(float(stars), 2) if stars is not None else None,
    )
