"""Whether a queue is open now: weekly hours and closures, in the queue's time zone.

Hours are written as local times and compared as moments. On the night when clocks go back, a local
time that occurs twice means the first one. When clocks go forward, a skipped local time means the
moment of the change. So each span opens once and closes once, whatever the clocks do.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo

from django.db.models import Q
from django.utils import timezone

from queueing.line.models import Queue
from queueing.line.services.common import zone_of

Span = tuple[time, time]
Week = Mapping[str, Sequence[Sequence[str]]]  # weekday 0-6 → [[from, until]]
WEEK_DAYS = 7
MIDNIGHT = "24:00"


def queue_zone(queue: Queue) -> str:
    """Return the time zone of a queue's hours: the queue's own, or the desk's."""
    return queue.zone or zone_of(queue.desk)


def is_open(queue: Queue, now: datetime | None = None) -> bool:
    """Whether the queue's switch and its hours allow visitors to join."""
    if not queue.is_open:
        return False
    now = (now or timezone.now()).astimezone(UTC)
    zone = ZoneInfo(queue_zone(queue))
    day = now.astimezone(zone).date()
    spans = spans_of(queue, day)
    return spans is None or any(begin <= now < end for begin, end in _moments(spans, day, zone))


def spans_of(queue: Queue, day: date) -> list[Span] | None:
    """Return the spans of a day in order; [] if closed all day, None if open all day."""
    same_day = Q(yearly=True, day__month=day.month, day__day=day.day)
    closures = sorted(queue.closures.filter(Q(day=day) | same_day), key=lambda each: each.yearly)
    if closures:  # an entry for this year comes before a yearly one
        return read_spans(closures[0].hours)
    if not queue.hours:
        return None
    return read_spans(queue.hours.get(str(day.weekday()), []))


def usual_days(queue: Queue) -> Callable[[date], bool]:
    """Return a function that tells whether a day has its weekday's usual hours (no closure)."""
    rows = list(queue.closures.values_list("day", "yearly"))
    days = {day for day, _ in rows}
    yearly = {(day.month, day.day) for day, is_yearly in rows if is_yearly}
    return lambda day: day not in days and (day.month, day.day) not in yearly


def next_opening(queue: Queue, now: datetime | None = None) -> datetime | None:
    """Return when a closed queue next opens, in its zone.

    Return None if that is not within two weeks, or if the queue is switched off.
    """
    zone = ZoneInfo(queue_zone(queue))
    now = (now or timezone.now()).astimezone(UTC)
    if not queue.is_open:
        return None
    for ahead in range(2 * WEEK_DAYS + 1):
        day = now.astimezone(zone).date() + timedelta(days=ahead)
        spans = spans_of(queue, day)
        whole = [(time.min, time.max)] if spans is None else spans
        for begin, _ in _moments(whole, day, zone):
            if begin > now:
                return begin.astimezone(zone)
    return None


def _moments(spans: Iterable[Span], day: date, zone: ZoneInfo) -> list[tuple[datetime, datetime]]:
    return [(moment_at(day, begin, zone), _end_moment(day, end, zone)) for begin, end in spans]


def _end_moment(day: date, end: time, zone: ZoneInfo) -> datetime:
    if end == time.max:
        return moment_at(day + timedelta(days=1), time.min, zone)
    return moment_at(day, end, zone)


@lru_cache(maxsize=4_096)
def moment_at(day: date, at: time, zone: ZoneInfo) -> datetime:
    """Return the moment (UTC) at which the zone's clocks first show this time or a later one."""
    wall = datetime.combine(day, at)
    before = wall.replace(tzinfo=zone, fold=0).astimezone(UTC)
    after = wall.replace(tzinfo=zone, fold=1).astimezone(UTC)
    if before <= after:  # the usual case, or a time that occurs twice: the first
        return before
    low, high = after, before  # a skipped time: the change lies between the two
    offset = high.astimezone(zone).utcoffset()
    while high - low > timedelta(seconds=1):
        middle = low + (high - low) / 2
        if middle.astimezone(zone).utcoffset() == offset:
            high = middle
        else:
            low = middle
    return high.replace(microsecond=0)


def read_spans(value: Sequence[Sequence[str]]) -> list[Span]:
    """Read [["09:00", "18:00"], …].

    Raise ValueError if malformed, or if a span ends before it begins.
    """
    spans = []
    for begin, end in value:
        first, last = time.fromisoformat(begin), _end(end)
        if last <= first:
            raise ValueError(f"{begin}-{end} ends before it begins")
        spans.append((first, last))
    return sorted(spans)


def _end(text: str) -> time:
    return time.max if text == MIDNIGHT else time.fromisoformat(text)


# -- over midnight -------------------------------------------------------------------------------


def split_at_midnight(week: Week) -> dict[str, list[list[str]]]:
    """Return hours in their stored form: spans that run into the next day are cut at midnight."""
    days: dict[str, list[list[str]]] = {str(day): [] for day in range(WEEK_DAYS)}
    for day, spans in week.items():
        for begin, end in spans:
            if end > begin:
                days[day].append([begin, end])
                continue
            days[day].append([begin, MIDNIGHT])
            if end != "00:00":
                days[str((int(day) + 1) % WEEK_DAYS)].append(["00:00", end])
    return {day: sorted(spans) for day, spans in days.items() if spans}


def join_at_midnight(week: Week) -> dict[str, list[list[str]]]:
    """Undo `split_at_midnight`: return hours as a person writes them.

    Spans over midnight are in one piece.
    """
    days = {str(day): [list(span) for span in week.get(str(day), [])] for day in range(WEEK_DAYS)}
    for day in range(WEEK_DAYS):
        late, following = days[str(day)], days[str((day + 1) % WEEK_DAYS)]
        last, first = (late[-1] if late else None), (following[0] if following else None)
        if last is None or first is None or last is first:
            continue
        runs_on = last[1] == MIDNIGHT and first[0] == "00:00" and last[0] != "00:00"
        if runs_on and first[1] <= last[0]:
            last[1] = first[1]
            del following[0]
    return {day: spans for day, spans in days.items() if spans}
