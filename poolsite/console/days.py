"""The days that a reader chooses for a list, as moments in the reader's zone."""

from datetime import date, datetime, time, timedelta

from django.utils import timezone

ONE_DAY = timedelta(days=1)


def day_of(text: str) -> date | None:
    """Return a day of the URL, or None if it is invalid or too far off for every time zone."""
    try:
        day = date.fromisoformat(text)
    except ValueError:
        return None
    return day if 1970 < day.year < 9000 else None


def beginning(day: date) -> datetime:
    """Return the day's first moment."""
    return datetime.combine(day, time.min, timezone.get_current_timezone())


def span(first: str, last: str) -> tuple[datetime | None, datetime | None]:
    """Return the beginning of the first day and the end of the last day, or None for an invalid
    day.
    """
    since, until = day_of(first), day_of(last)
    return (
        None if since is None else beginning(since),
        None if until is None else beginning(until + ONE_DAY),
    )
