"""The days that a list is asked for, as moments of the reader's zone."""

from datetime import date, datetime, time, timedelta

from django.utils import timezone

ONE_DAY = timedelta(days=1)


def day_of(text: str) -> date | None:
    """A day of the address; None when it is none, or so far off that a zone has no time for it."""
    try:
        day = date.fromisoformat(text)
    except ValueError:
        return None
    return day if 1970 < day.year < 9000 else None


def beginning(day: date) -> datetime:
    """The day's first moment."""
    return datetime.combine(day, time.min, timezone.get_current_timezone())


def span(first: str, last: str) -> tuple[datetime | None, datetime | None]:
    """When days of the address begin, and when the last of them is over; None = no such day."""
    since, until = day_of(first), day_of(last)
    return (
        None if since is None else beginning(since),
        None if until is None else beginning(until + ONE_DAY),
    )
