"""The agents that a queue needs on a day: charts, a table by the half hour, CSV."""

from datetime import date, datetime, timedelta
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET

from poolsite import dates
from poolsite.console.days import day_of
from poolsite.console.pages import principal_of
from queueing.line.models import Desk, Queue
from queueing.line.selectors import forecast
from queueing.line.selectors.demand import HALF_HOUR
from queueing.line.views.common import csv_answer, desk_of, tabs

DAYS_NAMED = 8
CSV_HEADS = (
    *("queue", "from", "until", "visitors", "visitors low", "visitors high", "erlangs"),
    *("agents", "agents erlang c", "agents erlang a", "agents busy day", "service level"),
    *("abandonment", "mean wait s", "occupancy", "asked agents", "asked service level"),
    *("asked abandonment", "asked occupancy"),
)


@require_GET
def forecast_page(request: HttpRequest, slug: str) -> HttpResponse:
    """Show a queue's forecast. The URL holds the parameters."""
    principal = principal_of(request)
    desk = desk_of(principal, slug)
    queues = list(desk.queues.all())
    context: dict[str, Any] = {**tabs(principal, desk), "tab": "forecast", "queues": queues}
    if queues:
        found = _forecast(request, desk, queues)
        context |= {
            "forecast": found,
            "queue": found.queue,
            "days": _days(found, timezone.now()),
            "summary": found.summary(),
            "rows": [(_times(found, row), row) for row in found.rows],
            "basis": _basis(found),
            "lack": _lack(found),
            "known_days": list(zip(found.demand.days, found.demand.visitors, strict=False)),
            "page": _charts(found),
            "csv_query": _query(found),
            "paused_percent": round(found.paused * 100),
            "measured_percent": round(found.pace.paused * 100),
        }
    return render(request, "line/forecast.html", context)


@require_GET
def forecast_csv(request: HttpRequest, slug: str) -> StreamingHttpResponse | HttpResponse:
    """Return the table as CSV, with times in the queue's zone. Without a queue, it has no rows."""
    desk = desk_of(principal_of(request), slug)
    queues = list(desk.queues.all())
    if not queues:
        return csv_answer(f"{desk.slug}-forecast", CSV_HEADS, [])
    found = _forecast(request, desk, queues)
    name = found.queue.name
    rows = [[name, *_times(found, row), *_csv_row(found, row)] for row in found.rows]
    return csv_answer(f"{found.queue.slug}-forecast-{found.day}", CSV_HEADS, rows)


def _forecast(request: HttpRequest, desk: Desk, queues: list[Queue]) -> forecast.Forecast:
    """Return the forecast of the URL's parameters. Invalid parameters are ignored."""
    given = request.GET
    slug = given.get("queue", "")[:40]
    queue = next((each for each in queues if each.slug == slug), queues[0])
    now = timezone.now()
    day, today = day_of(given.get("day", "")), forecast.first_day(queue, now)
    if day is not None and not 0 <= (day - today).days <= forecast.AHEAD:
        day = None
    agents = _whole(given.get("agents", ""), forecast.MOST_AGENTS)
    paused = _whole(given.get("pauses", ""), round(forecast.MOST_PAUSED * 100))
    share = None if paused is None else paused / 100
    return forecast.forecast(queue, day, agents=agents, paused=share, now=now)


def _whole(text: str, most: int) -> int | None:
    """Return a whole number from 0 to `most`, or None for anything else."""
    if not (text.isascii() and text.isdecimal() and len(text) < 6):
        return None
    return int(text) if int(text) <= most else None


def _days(found: forecast.Forecast, now: datetime) -> list[tuple[date, str, bool]]:
    """Return the days to choose from with their labels, and whether each is shown."""
    today = forecast.first_day(found.queue, now)
    days = (today + timedelta(days=ahead) for ahead in range(forecast.AHEAD + 1))
    return [(day, dates.weekday(day), day == found.day) for day in days]


def _times(found: forecast.Forecast, row: forecast.Staffing) -> tuple[str, str]:
    begin = row.step.begin.astimezone(found.zone)
    end = (row.step.begin + HALF_HOUR).astimezone(found.zone)
    return date_format(begin, "TIME_FORMAT"), date_format(end, "TIME_FORMAT")


def _csv_row(found: forecast.Forecast, row: forecast.Staffing) -> list[Any]:
    step, planned, asked = row.step, row.planned, row.asked
    told = [asked.level, asked.gave_up, asked.occupancy] if asked is not None else [None] * 3
    return [
        *(step.expected, step.low, step.high, row.erlangs),
        *(row.agents, row.agents_c, row.agents_a, row.agents_busy),
        *(planned.level, planned.gave_up, planned.mean_wait, planned.occupancy),
        *(found.asked_agents, *told),
    ]


def _query(found: forecast.Forecast) -> str:
    values = {
        "queue": found.queue.slug,
        "day": found.day,
        "agents": "" if found.asked_agents is None else found.asked_agents,
        "pauses": round(found.paused * 100),
    }
    return "?" + urlencode({name: value for name, value in values.items() if value != ""})


def _basis(found: forecast.Forecast) -> str:
    """Return the text that names the days on which the forecast is based."""
    count = len(found.demand.days)
    days = ", ".join(dates.day(day) for day in found.demand.days[-DAYS_NAMED:])
    if count > DAYS_NAMED:
        days = f"…, {days}"
    match found.demand.kind:
        case "weekday":
            words = _("Based on the same weekday in the last eight weeks: %(n)s days (%(days)s).")
        case "workday":
            words = _("Based on Monday to Friday in the last four weeks: %(n)s days (%(days)s).")
        case _:
            words = _("Based on weekends in the last four weeks: %(n)s days (%(days)s).")
    return words % {"n": count, "days": days}


def _lack(found: forecast.Forecast) -> tuple[str, str] | None:
    """Return why there is no forecast, as a title and a text, or None."""
    match found.lack:
        case "closed":
            return _("Closed on this day"), _("Set by the queue's hours or a holiday.")
        case "days":
            return _("Not enough days yet"), _lack_of_days(found)
        case "rooms":
            return _("Not enough visitors yet"), _(
                "A forecast needs 30 visitors served in the last four weeks. There were %(n)s."
            ) % {"n": found.pace.served}
    return None


def _lack_of_days(found: forecast.Forecast) -> str:
    """Return what a forecast needs, what there is, and when there will be enough."""
    weekend = found.demand.kind == "weekend"
    needs = (
        _("A forecast for a weekend day needs three weekend days with visitors.")
        if weekend
        else _("A forecast for a workday needs three workdays with visitors.")
    )
    has = _("So far there are %(n)s.") % {"n": len(found.demand.days)}
    if found.demand.first is None:
        return f"{needs} {has}"
    since = _("The first forecast is available on %(day)s if visitors come until then.") % {
        "day": dates.day(found.demand.first)
    }
    return f"{needs} {has} {since}"


def _charts(found: forecast.Forecast) -> dict[str, Any]:
    """Return the charts' data: start times in ms, shares in percent."""
    rows = found.rows

    def percent(share: float | None) -> float | None:
        return None if share is None else round(share * 100, 1)

    return {
        "at": [int(row.step.begin.timestamp() * 1000) for row in rows],
        "asked": found.asked_agents,
        "values": {
            "expected": [round(row.step.expected, 1) for row in rows],
            "high": [row.step.high for row in rows],
            "low": [row.step.low for row in rows],
            "agents": [row.agents for row in rows],
            "busy": [row.agents_busy for row in rows],
            "level": [percent(row.planned.level) for row in rows],
            "occupancy": [percent(row.planned.occupancy) for row in rows],
            "asked_level": [percent(row.asked.level) if row.asked else None for row in rows],
        },
    }
