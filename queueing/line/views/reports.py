"""A desk's report: charts over time, figures by time, queue or agent, CSV."""

from datetime import timedelta
from typing import Any

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_GET

from poolsite import dates
from poolsite.console.days import day_of
from poolsite.console.lists import address
from poolsite.console.pages import principal_of
from queueing.line import definitions
from queueing.line.models import Desk, Queue
from queueing.line.selectors import pause_times, reports
from queueing.line.selectors.outcome_counts import outcomes_of
from queueing.line.selectors.report_span import Span, span_of
from queueing.line.views.common import csv_answer, desk_of, tabs

PRESETS = (
    (1, gettext_lazy("Today")),
    (7, gettext_lazy("7 days")),
    (30, gettext_lazy("30 days")),
    (90, gettext_lazy("90 days")),
)
SERIES = ("arrivals", "served", "abandoned", "wait_p50", "wait_p90", "level", "occupancy")
RANGES = ("range_inside", "range_sooner")
SHARES = ("level", "occupancy", *RANGES)
MEANINGS = ("offered", "served", "abandoned", "short", "level", "occupancy", "adherence")
CSV_HEADS = (
    *("name", "arrivals", "served", "abandoned", "service level", "wait p50 s", "wait p90 s"),
    *("longest wait s", "mean room s", "occupancy", "ratings", "stars", "short abandons"),
    *("abandonment", "served in time"),
    *("ranges told", "inside range", "sooner than range", "later", "gave up past range"),
    "missed offers",
)


@require_GET
def report_page(request: HttpRequest, slug: str) -> HttpResponse:
    """Show a desk's report. The URL holds the parameters."""
    principal = principal_of(request)
    desk = desk_of(principal, slug)
    asked = _asked(request, desk)
    span, by = asked["span"], asked["by"]
    report = reports.DeskReport(desk, span, queue=asked["queue"], now=timezone.now())
    over_time, total = report.rows("time"), report.total()
    context = {
        **tabs(principal, desk),
        **asked,
        "tab": "reports",
        "queues": desk.queues.all(),
        "rows": over_time[::-1] if by == "time" else report.rows(by),
        "total": total,
        "outcomes": _outcomes(desk, total),
        "presets": [_preset(desk, asked, days, words) for days, words in PRESETS],
        "groups": [(by, words, _query(asked, by=by)) for by, words in _group_words()],
        "csv_query": _query(asked, by=by),
        "page": _chart(over_time, span),
        "meanings": definitions.meanings(*MEANINGS, "told_range"),
        "period": _period(span),
        "pauses": pause_times.by_reason(desk, span.since, span.until, now=timezone.now()),
    }
    return render(request, "line/reports.html", context)


@require_GET
def report_csv(request: HttpRequest, slug: str) -> StreamingHttpResponse:
    """Return the report's table as CSV. Times and days are in the desk's zone."""
    desk = desk_of(principal_of(request), slug)
    asked = _asked(request, desk)
    span, by, queue = asked["span"], asked["by"], asked["queue"]
    report = reports.DeskReport(desk, span, queue=queue, now=timezone.now())
    rows, codes = report.rows(by), outcomes_of(desk, report.total().outcomes)
    heads = [*CSV_HEADS, *[f"outcome {code.name}" for code in codes]]
    name = f"{desk.slug}-{by}-{span.first}-{span.last}"
    return csv_answer(
        name,
        heads,
        [[*_csv_row(row), *[row.outcomes.get(code.name, 0) for code in codes]] for row in rows],
    )


def _outcomes(desk: Desk, total: reports.ReportRow) -> list[dict[str, Any]]:
    """Return the outcomes of served visits, and how many have none; [] if none are set up."""
    codes = outcomes_of(desk, total.outcomes)
    rows: list[dict[str, Any]] = [
        {"name": code.name, "chip": code.chip, "n": total.outcomes.get(code.name, 0)}
        for code in codes
    ]
    if rows:
        left = total.served - sum(total.outcomes.values())
        rows.append({"name": _("No outcome"), "chip": "", "n": left})
    return [{**row, "share": row["n"] / total.served if total.served else None} for row in rows]


def _csv_row(row: reports.ReportRow) -> list[Any]:
    return [
        *(row.name, row.arrivals, row.served, row.abandoned, row.level, row.wait_p50),
        *(row.wait_p90, row.wait_longest, row.room_mean, row.occupancy, row.ratings, row.stars),
        *(row.short, row.abandoned_share, row.in_time),
        *(row.ranges.told, row.ranges.inside, row.ranges.sooner, row.ranges.later),
        *(row.ranges.gave_up_past, row.missed),
    ]


def _asked(request: HttpRequest, desk: Desk) -> dict[str, Any]:
    by = request.GET.get("by", "")
    first, last = (day_of(request.GET.get(name, "")) for name in ("from", "until"))
    span = span_of(desk, first, last, timezone.now())
    queue: Queue | None = desk.queues.filter(slug=request.GET.get("queue", "")[:40]).first()
    return {"span": span, "by": by if by in reports.GROUPS else "time", "queue": queue}


def _period(span: Span) -> str:
    days = {"first": dates.day(span.first), "last": dates.day(span.last), "zone": span.zone.key}
    return (
        _("From %(first)s to %(last)s (%(zone)s). A visit counts at the time the visitor joined.")
        % days
    )


def _query(asked: dict[str, Any], **more: str) -> str:
    span, queue = asked["span"], asked["queue"]
    values = {"from": span.first, "until": span.last, "queue": queue.slug if queue else "", **more}
    return address(values)


def _preset(desk: Desk, asked: dict[str, Any], days: int, words: Any) -> dict[str, Any]:
    today = span_of(desk, None, None, timezone.now()).last
    first = today - timedelta(days=days - 1)
    span = span_of(desk, first, today, timezone.now())
    return {
        "words": words,
        "url": _query({**asked, "span": span}, by=asked["by"]),
        "current": (span.first, span.last) == (asked["span"].first, asked["span"].last),
    }


def _group_words() -> list[tuple[str, str]]:
    return [("time", _("By time")), ("queue", _("By queue")), ("agent", _("By agent"))]


def _chart(rows: list[reports.ReportRow], span: Span) -> dict[str, Any]:
    """Return the charts' data: start times of the steps in ms, shares in percent."""
    values: dict[str, list[float | None]] = {name: [] for name in (*SERIES, *RANGES)}
    for row in rows:
        for name in values:
            value = getattr(row, name)
            is_share = name in SHARES
            values[name].append(round(value * 100, 1) if is_share and value is not None else value)
    at = [int(row.key.timestamp() * 1000) for row in rows]
    return {"at": at, "values": values, "step": span.step}
