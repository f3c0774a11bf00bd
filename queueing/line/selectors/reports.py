"""A desk's report for a time span: by hour or day, by queue, by agent. Figures from SQL.

A visit belongs to the step in which it joined. `queueing.line.definitions` defines the counts.
Percentiles are nearest-rank, computed by the database. Steps and days are in the desk's zone.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from itertools import pairwise
from typing import Any

from django.db.models import (
    Avg,
    Case,
    Count,
    DateTimeField,
    Expression,
    F,
    Q,
    Value,
    When,
    Window,
)
from django.db.models.functions import RowNumber

from poolsite.sql_functions import Elapsed
from queueing.line import definitions
from queueing.line.models import Desk, Queue, Visit
from queueing.line.range_counts import NO_RANGES, Ranges, range_counts
from queueing.line.selectors.occupancy import Use, use_by_agent, use_by_step
from queueing.line.selectors.outcome_counts import missed_by_agent, outcome_counts
from queueing.line.selectors.report_span import Span

GROUPS = ("time", "queue", "agent")
PERCENTILES = (0.5, 0.9)


@dataclass(frozen=True, slots=True)
class ReportRow:
    """A line of a report. Times in seconds; shares 0 to 1; None if there is no data.

    `in_time` is None for an agent, because visitors are offered to queues. `missed` is for agents
    only. `outcomes`: served visits by the outcome's name. Other fields: see `definitions`.
    """

    key: Any
    name: str
    arrivals: int = 0
    served: int = 0
    abandoned: int = 0
    short: int = 0
    in_time: int | None = 0
    wait_p50: float | None = None
    wait_p90: float | None = None
    wait_longest: float | None = None
    room_mean: float | None = None
    occupancy: float | None = None
    ratings: int = 0
    stars: float | None = None
    ranges: Ranges = NO_RANGES

    @property
    def range_inside(self) -> float | None:
        """The share of ranges that held."""
        return self.ranges.share(self.ranges.inside)

    @property
    def range_sooner(self) -> float | None:
        return self.ranges.share(self.ranges.sooner)

    missed: int | None = None
    outcomes: Mapping[str, int] = field(default_factory=dict)

    @property
    def level(self) -> float | None:
        if self.in_time is None:
            return None
        return definitions.service_level(self.in_time, self.served, self.abandoned)

    @property
    def abandoned_share(self) -> float | None:
        return definitions.abandonment(self.served, self.abandoned)


class DeskReport:
    """A desk's figures for a span, of one queue or all. Data that its tables share is read once."""

    def __init__(
        self, desk: Desk, span: Span, *, queue: Queue | None = None, now: datetime
    ) -> None:
        self.desk, self.span, self.now = desk, span, now
        self._queues = [queue] if queue else list(desk.queues.all())
        self._agents = list((queue or desk).agents.all())
        visits = Visit.objects.filter(queue=queue) if queue else Visit.objects.filter(desk=desk)
        # Uses an index on (desk, joined_at) or (queue, joined_at).
        self._visits = visits.filter(joined_at__gte=span.since, joined_at__lt=span.until)

    def rows(self, by: str) -> list[ReportRow]:
        """Return a row for every "time" step that has begun, every "queue", or every "agent".

        Raise ValueError for another group.
        """
        rows: Iterator[tuple[Any, str, Use]]
        key: Expression | F
        match by:
            case "time":
                rows, key = self._steps(), self._step_of_visit()
            case "queue":
                rows, key = self._each_queue(), F("queue_id")
            case "agent":
                rows, key = self._each_agent(), F("agent_id")
            case _:
                raise ValueError(f"no such group: {by}")
        figures, waits = self._figures(key), self._percentiles(key)
        ranges = range_counts(self._visits, key)
        if by == "agent":
            figures = {agent: {**row, "in_time": None} for agent, row in figures.items()}
        found = [
            replace(
                _row(row_key, name, figures.get(row_key, {}), waits.get(row_key, {}), use),
                ranges=ranges.get(row_key, NO_RANGES),
            )
            for row_key, name, use in rows
        ]
        return self._with_outcomes(found, key, of_agents=by == "agent")

    def _with_outcomes(
        self, rows: list[ReportRow], key: Expression | F, *, of_agents: bool = False
    ) -> list[ReportRow]:
        outcomes = outcome_counts(self._visits, key)
        missed: Mapping[Any, int] = {}
        if of_agents:
            missed = missed_by_agent(self._agents, self.span.since, self.span.until)
        return [
            replace(
                row,
                outcomes=outcomes.get(row.key, {}),
                missed=missed.get(row.key, 0) if of_agents else None,
            )
            for row in rows
        ]

    def total(self) -> ReportRow:
        """Return the whole span in one row."""
        key = self.desk.pk
        figures, waits = self._figures(F("desk_id")), self._percentiles(F("desk_id"))
        ranges = range_counts(self._visits, F("desk_id")).get(key, NO_RANGES)
        row = _row(key, "", figures.get(key, {}), waits.get(key, {}), _sum(self._used.values()))
        return self._with_outcomes([replace(row, ranges=ranges)], F("desk_id"))[0]

    @cached_property
    def _used(self) -> dict[int, Use]:
        return use_by_agent(self._agents, self.span.since, self.span.until, now=self.now)

    @cached_property
    def _begins(self) -> list[datetime]:
        """the start times of the steps. Empty in the very first moment of a day."""
        return self.span.steps(self.now)

    def _steps(self) -> Iterator[tuple[datetime, str, Use]]:
        bounds = [*self._begins, min(self.span.until, self.now)]
        uses = use_by_step(self._agents, bounds, now=self.now)
        shown = "%Y-%m-%d %H:%M" if self.span.step == "hour" else "%Y-%m-%d"
        for begin, use in zip(self._begins, uses, strict=True):
            local = begin.astimezone(self.span.zone)
            yield local, local.strftime(shown), use

    def _each_agent(self) -> Iterator[tuple[int, str, Use]]:
        for agent in sorted(self._agents, key=lambda each: each.name):
            yield agent.pk, agent.name, self._used[agent.pk]

    def _each_queue(self) -> Iterator[tuple[int, str, Use]]:
        for queue in self._queues:
            serving = queue.agents.values_list("pk", flat=True)
            yield queue.pk, queue.name, _sum(self._used[pk] for pk in serving if pk in self._used)

    def _step_of_visit(self) -> Expression:
        """Return the start of the visit's step. By comparison: SQLite cannot truncate by zone."""
        begins = self._begins or [self.span.since]
        before = [When(joined_at__lt=end, then=Value(begin)) for begin, end in pairwise(begins)]
        return Case(*before, default=Value(begins[-1]), output_field=DateTimeField())

    def _figures(self, key: Expression | F) -> dict[Any, dict[str, Any]]:
        rows = (
            self._visits.annotate(key=key)
            .values("key")
            .order_by()
            .annotate(
                arrivals=Count("pk"),
                **definitions.counts(self._queues),
                room_mean=Avg(Elapsed("matched_at", "ended_at")),
                ratings=Count("rating__stars"),
                stars=Avg("rating__stars"),
            )
        )
        return {row["key"]: dict(row) for row in rows}

    def _percentiles(self, key: Expression | F) -> dict[Any, dict[float, float]]:
        """Return for each key the waits of served visits at the ranks: {0.5: s, 0.9: s, 1.0: s}."""
        ranked = (
            self._visits.filter(matched_at__isnull=False)
            .annotate(key=key, wait=Elapsed("joined_at", "matched_at"))
            .annotate(
                rank=Window(RowNumber(), partition_by=[F("key")], order_by=[F("wait"), F("pk")]),
                of=Window(Count("pk"), partition_by=[F("key")]),
            )
            .order_by()
        )
        wanted = Q(rank=F("of"))
        for share in PERCENTILES:  # rank = ceil(of * share), in integers
            whole = round(share * 100)
            ranked = ranked.annotate(**{f"over_{whole}": F("rank") * 100 - F("of") * whole})
            wanted |= Q(**{f"over_{whole}__gte": 0, f"over_{whole}__lt": 100})
        found: dict[Any, dict[float, float]] = {}
        for row_key, rank, of, wait in ranked.filter(wanted).values_list(
            "key", "rank", "of", "wait"
        ):
            mine = found.setdefault(row_key, {})
            for share in (*PERCENTILES, 1.0):
                if rank == -(-of * round(share * 100) // 100):
                    mine[share] = wait.total_seconds()
        return found


def _sum(uses: Iterable[Use]) -> Use:
    whole = list(uses)
    return Use(sum(use.used for use in whole), sum(use.open for use in whole))


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
        short=figures.get("short", 0),
        in_time=figures.get("in_time", 0),
        wait_p50=waits.get(0.5),
        wait_p90=waits.get(0.9),
        wait_longest=waits.get(1.0),
        room_mean=mean.total_seconds() if mean is not None else None,
        occupancy=use.share if use is not None else None,
        ratings=figures.get("ratings", 0),
        stars=round(float(stars), 2) if stars is not None else None,
    )
