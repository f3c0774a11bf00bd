"""A desk's report as data, for the API and the command."""

from dataclasses import asdict
from datetime import datetime
from typing import Any

from queueing.line.models import Desk, Queue
from queueing.line.selectors import pause_times, reports
from queueing.line.selectors.report_span import Span


def report_as_data(
    desk: Desk, span: Span, by: str, *, queue: Queue | None, now: datetime
) -> dict[str, Any]:
    """Return a group's rows with their total, and the pauses, as JSON-ready data."""
    report = reports.DeskReport(desk, span, queue=queue, now=now)
    pauses = pause_times.by_reason(desk, span.since, span.until, now=now)
    return {
        "desk": desk.slug,
        "by": by,
        "step": span.step,
        "first": span.first.isoformat(),
        "last": span.last.isoformat(),
        "zone": span.zone.key,
        "rows": [_row(row) for row in report.rows(by)],
        "total": _row(report.total()),
        "pauses": [asdict(each) for each in pauses],
    }


def _row(row: reports.ReportRow) -> dict[str, Any]:
    ranges = {**asdict(row.ranges), "told": row.ranges.told}
    more = {"level": row.level, "abandonment": row.abandoned_share, "ranges": ranges}
    return {**asdict(row), **more}
