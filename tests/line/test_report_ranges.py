"""The reports' counts of the given ranges: by hand, and as the wallboard counts."""

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from django.core.cache import cache
from django.utils import timezone

from queueing.line.models import Visit
from queueing.line.range_counts import Ranges
from queueing.line.selectors.promises import promises_of
from queueing.line.selectors.report_span import Span
from queueing.line.selectors.reports import DeskReport
from tests.line.line_world import LineWorld, make_line
from tests.line.past import past_visit

UTC_ZONE = ZoneInfo("UTC")
pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_redis")]


@pytest.fixture
def line() -> LineWorld:
    return make_line()


def told(visit: Visit, low: int, high: int) -> None:
    """Give the visit this range at its join."""
    visit.predicted_low_seconds, visit.predicted_high_seconds = low, high
    visit.save()


def many(line: LineWorld, joined: datetime) -> None:
    """Write each kind of outcome, with ranges of 10 to 60 s; the bounds count as inside."""
    agent = line.agent("li")
    for wait in (9, 10, 35, 60, 61, 90):
        told(past_visit(line.queue, joined, wait=wait, agent=agent), 10, 60)
    for wait in (20, 60, 61, 300):
        told(past_visit(line.queue, joined, wait=wait), 10, 60)
    past_visit(line.queue, joined, wait=35, agent=agent)  # was given no range
    waits = past_visit(line.queue, joined, wait=1)
    waits.ended_at, waits.outcome = None, ""
    told(waits, 10, 60)


def test_each_outcome_is_counted_where_the_visitor_joined(line: LineWorld) -> None:
    many(line, datetime(2026, 3, 5, 12, 30, tzinfo=UTC))
    day = Span(date(2026, 3, 5), date(2026, 3, 5), UTC_ZONE)
    report = DeskReport(line.desk, day, now=datetime(2026, 3, 9, tzinfo=UTC))
    expected = Ranges(inside=3, sooner=1, later=2, gave_up_past=2)
    for row in (report.total(), *report.rows("queue")):
        assert row.ranges == expected
        assert (row.ranges.told, row.range_inside) == (8, 3 / 8)
    hours = [row.ranges for row in report.rows("time") if row.ranges.told]
    assert hours == [expected]
    assert report.rows("time")[0].range_inside is None


def test_reports_and_wallboard_count_alike(line: LineWorld) -> None:
    joined = timezone.now() - timedelta(minutes=20)
    many(line, joined)
    cache.clear()
    board = promises_of(line.queue)
    day = Span(joined.date() - timedelta(days=1), joined.date() + timedelta(days=1), UTC_ZONE)
    found = DeskReport(line.desk, day, now=timezone.now()).total().ranges
    # the wallboard shows at once that a visitor waits past the range, a report after the wait
    assert (board.of - 1, board.inside, board.sooner) == (found.told, found.inside, found.sooner)
