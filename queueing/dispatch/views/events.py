"""A group's event log, filtered, as a page and as CSV."""

from collections.abc import Iterator, Sequence
from typing import Any

from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_GET

from poolsite.console.days import day_of, span
from poolsite.console.lists import address
from poolsite.console.pages import principal_of
from poolsite.csv_text import csv_file
from poolsite.moments import moment_of, us_of
from poolsite.paging import keyset_page
from queueing.dispatch import dispatcher as commands
from queueing.dispatch import selectors
from queueing.dispatch.models import DispatchEvent, Group
from queueing.dispatch.selectors import GROUPS

PAGE_ROWS = 100
CSV_ROWS = 100_000
HEAD = ("at", "event", "peer", "instance", "other end", "count", "reason", "data")


@require_GET
def event_list(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the log, newest first. The filters and the place are in the URL."""
    group = GROUPS.get(principal_of(request), slug)
    given = _filters(request)
    rows = _filtered(group, given)
    before = selectors.place_of(request.GET.get("before", ""))
    if before is not None:
        rows = selectors.older_than(rows, before)
    shown, last = keyset_page(rows, PAGE_ROWS)
    lines = selectors.story_lines(shown)
    labels = selectors.event_words()
    context: dict[str, Any] = {
        "group": group,
        "rows": lines,
        "has_count": any(line.count is not None for line in lines),
        "has_reason": any(line.reason for line in lines),
        "events": [(event, labels.get(event, event)) for event in commands.EVENTS],
        "filtered": any(given.values()),
        **given,
        "most_day": timezone.localdate(),
        "query": address(given),
        "before": selectors.place_told(last) if last else "",
    }
    return render(request, "dispatch/events.html", context)


@require_GET
def event_csv(request: HttpRequest, slug: str) -> StreamingHttpResponse:
    """Return the filtered log as CSV, newest first, at most CSV_ROWS rows."""
    group = GROUPS.get(principal_of(request), slug)
    rows = _filtered(group, _filters(request))[:CSV_ROWS]
    return csv_file(f"{group.slug}-events.csv", HEAD, _cells(rows), mark="")


def _filters(request: HttpRequest) -> dict[str, str]:
    given = {
        name: request.GET.get(name, "").strip()[:42] for name in ("event", "who", "day", "until")
    }
    if given["event"] not in commands.EVENTS:
        given["event"] = ""
    for name in ("day", "until"):
        if day_of(given[name]) is None:
            given[name] = ""
    return given


def _filtered(group: Group, given: dict[str, str]) -> "QuerySet[DispatchEvent]":
    since, until = span(given["day"], given["until"])
    return selectors.story_of(
        group,
        event=given["event"],
        who=given["who"],
        since_us=None if since is None else us_of(since),
        until_us=None if until is None else us_of(until),
    )


def _cells(rows: "QuerySet[DispatchEvent]") -> Iterator[Sequence[Any]]:
    for row in rows.iterator(chunk_size=1_000):
        at = moment_of(row.at_us).isoformat()
        yield at, row.event, row.peer, row.name, row.other, row.count, row.reason, row.data
