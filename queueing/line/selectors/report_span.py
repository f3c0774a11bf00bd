"""The days of a report in the desk's time zone, and the steps in which they are shown."""

from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

from queueing.line.models import Desk
from queueing.line.services.common import zone_of

LONGEST_DAYS = 93
EARLIEST = date(2000, 1, 1)  # nothing is older, and days can be subtracted from it safely
HOURS_UNTIL_DAYS = 3  # a longer span is shown by day


@dataclass(frozen=True, slots=True)
class Span:
    """The days from first to last, both complete, in the desk's zone."""

    first: date
    last: date
    zone: ZoneInfo

    @property
    def since(self) -> datetime:
        return datetime.combine(self.first, datetime.min.time(), self.zone).astimezone(UTC)

    @property
    def until(self) -> datetime:
        """The first moment after the span."""
        after = self.last + timedelta(days=1)
        return datetime.combine(after, datetime.min.time(), self.zone).astimezone(UTC)

    @property
    def step(self) -> str:
        """The length of a step: "hour" or "day"."""
        return "hour" if (self.last - self.first).days < HOURS_UNTIL_DAYS else "day"

    def steps(self, now: datetime) -> list[datetime]:
        """Return the start times of all steps that have begun, oldest first."""
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


def span_of(desk: Desk, first: date | None, last: date | None, now: datetime) -> Span:
    """Return the span of these days, or of today.

    It has up to 93 days, and none in the future or before 2000.
    """
    zone = ZoneInfo(zone_of(desk))
    today = now.astimezone(zone).date()
    last = max(min(last or today, today), EARLIEST)
    first = min(first or last, last)
    return Span(max(first, last - timedelta(days=LONGEST_DAYS - 1)), last, zone)
