"""Whether a queue is open now: weekly hours and closures, in the desk's zone."""

from collections.abc import Sequence
from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from django.utils import timezone

from queueing.line.models import Queue
from queueing.line.services.common import zone_of

Span = tuple[time, time]
WEEK_DAYS = 7


def is_open(queue: Queue, now: datetime | None = None) -> bool:
    """Whether visitors may join by the queue's own switch and its hours."""
    if not queue.is_open:
        return False
    local = (now or timezone.now()).astimezone(ZoneInfo(zone_of(queue.desk)))
    spans = spans_of(queue, local.date())
    return spans is None or any(_within(local.time(), span) for span in spans)


def spans_of(queue: Queue, day: date) -> list[Span] | None:
    """The spans of one day in order; [] = closed all day, None = open all day."""
    closure = queue.closures.filter(day=day).first()
    if closure is not None:
        return read_spans(closure.hours)
    if not queue.hours:
        return None
    return read_spans(queue.hours.get(str(day.weekday()), []))


def next_opening(queue: Queue, now: datetime | None = None) -> datetime | None:
    """When a closed queue opens next, within two weeks; None when nothing tells."""
    zone = ZoneInfo(zone_of(queue.desk))
    local = (now or timezone.now()).astimezone(zone)
    if not queue.is_open:
        return None
    for ahead in range(2 * WEEK_DAYS + 1):
        day = local.date() + timedelta(days=ahead)
        for begin, _ in spans_of(queue, day) or ():
            opens = datetime.combine(day, begin, zone)
            if opens > local:
                return opens
    return None


def read_spans(value: Sequence[Sequence[str]]) -> list[Span]:
    """Read [["09:00", "18:00"], …]; ValueError for anything else, or an end not after its begin."""
    spans = []
    for begin, end in value:
        first, last = time.fromisoformat(begin), _end(end)
        if last <= first:
            raise ValueError(f"{begin}-{end} ends before it begins")
        spans.append((first, last))
    return sorted(spans)


def _end(text: str) -> time:
    return time.max if text == "24:00" else time.fromisoformat(text)


def _within(now: time, span: Span) -> bool:
    return span[0] <= now < span[1] or (span[1] == time.max and now >= span[0])
