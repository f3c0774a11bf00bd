"""The agents that a queue needs on a day, for external planning tools."""

from dataclasses import asdict
from datetime import date
from typing import Any, Literal

from django.http import HttpRequest
from django.utils import timezone
from ninja import Router, Schema
from ninja.params import functions as param

from poolsite.api.root import ProblemError
from queueing.line.api.credentials import AtDesk, desk_of_request
from queueing.line.api.desks import Slug
from queueing.line.erlang import Service
from queueing.line.selectors import forecast

forecasts = Router(tags=["line"])
VIEW = AtDesk("line.view")
QUEUE: Any = param.Query(
    "", max_length=40, description="The queue's slug. Default: the desk's first queue."
)
AGENTS: Any = param.Query(
    None,
    ge=0,
    le=forecast.MOST_AGENTS,
    description="Also forecast the results with this many agents.",
)
PAUSED: Any = param.Query(
    None, ge=0, le=forecast.MOST_PAUSED, description="Share of paused time. Default: as measured."
)


class ServiceOut(Schema):
    """Long-run values; shares are 0 to 1. mean_wait: seconds, null if the line grows endlessly."""

    level: float
    gave_up: float
    mean_wait: float | None
    occupancy: float


class HalfHourOut(Schema):
    """`low`, `high`: the range for eight of ten such days. `agents_a`: null if patience is unknown.

    `agents`: by Erlang A, otherwise by Erlang C; `agents_busy`: for `high` visitors. `asked`: with
    the requested number of agents.
    """

    begin: str
    visitors: float
    low: int
    high: int
    erlangs: float
    agents: int
    agents_c: int
    agents_a: int | None
    agents_busy: int
    planned: ServiceOut
    asked: ServiceOut | None


class DaySumOut(Schema):
    """The day's totals. Shares are weighted by visitors; null without visitors or `agents`."""

    visitors: float
    agent_hours: float
    most_agents: int
    planned_level: float | None
    asked_level: float | None
    asked_gave_up: float | None


class ForecastOut(Schema):
    """`lack`: why there are no rows (closed, days, rooms); empty if there are rows.

    `days`: the days whose visitors were counted; `kind`: what they have in common with `day`.
    `room_seconds` (with wrap-up) and `patience_seconds` are null if there are too few visitors.
    """

    desk: str
    queue: str
    day: str
    zone: str
    lack: Literal["", "closed", "days", "rooms"]
    target: float
    within: int
    days: list[str]
    kind: Literal["weekday", "workday", "weekend"]
    room_seconds: float | None
    patience_seconds: float | None
    capacity: float
    paused: float
    paused_measured: float
    agents: int | None
    rows: list[HalfHourOut]
    total: DaySumOut


@forecasts.get(
    "/{slug}/forecast",
    auth=VIEW,
    response={200: ForecastOut},
    summary="Forecast the agents needed",
)
def get_forecast(
    request: HttpRequest,
    slug: str = Slug,
    day: date | None = None,
    queue: str = QUEUE,
    agents: int | None = AGENTS,
    paused: float | None = PAUSED,
) -> Any:
    """Forecast a `day`, from today up to 14 days ahead, by half hours. Default: tomorrow."""
    desk = desk_of_request(request)
    rows = desk.queues.all()
    only = rows.filter(slug=queue).first() if queue else rows.first()
    if only is None:
        raise ProblemError("unknown-queue")
    try:
        found = forecast.forecast(only, day, agents=agents, paused=paused, now=timezone.now())
    except ValueError as error:
        raise ProblemError("malformed", str(error)) from error
    return {
        "desk": desk.slug,
        "queue": only.slug,
        "day": found.day.isoformat(),
        "zone": found.zone.key,
        "lack": found.lack,
        "target": found.target,
        "within": found.within,
        "days": [each.isoformat() for each in found.demand.days],
        "kind": found.demand.kind,
        "room_seconds": found.pace.room_seconds,
        "patience_seconds": found.pace.patience_seconds,
        "capacity": found.pace.capacity,
        "paused": found.paused,
        "paused_measured": found.pace.paused,
        "agents": found.asked_agents,
        "rows": [_row(row) for row in found.rows],
        "total": asdict(found.summary()),
    }


def _row(row: forecast.Staffing) -> dict[str, Any]:
    return {
        "begin": row.step.begin.isoformat(),
        "visitors": row.step.expected,
        "low": row.step.low,
        "high": row.step.high,
        "erlangs": row.erlangs,
        "agents": row.agents,
        "agents_c": row.agents_c,
        "agents_a": row.agents_a,
        "agents_busy": row.agents_busy,
        "planned": _service(row.planned),
        "asked": _service(row.asked) if row.asked is not None else None,
    }


def _service(told: Service) -> dict[str, Any]:
    endless = told.mean_wait == float("inf")
    return {
        "level": told.level,
        "gave_up": told.gave_up,
        "mean_wait": None if endless else told.mean_wait,
        "occupancy": told.occupancy,
    }
