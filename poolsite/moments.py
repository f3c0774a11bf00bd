"""Moments as scripts tell them, in µs or s since 1970, and as Django keeps them."""

import functools
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

from django.conf import settings

_EPOCH = datetime.fromtimestamp(0, UTC)
_LATEST = datetime(9000, 1, 1, tzinfo=UTC)


def moment_of(us: int) -> datetime:
    """A moment in µs as Django keeps it, exactly."""
    return _EPOCH + timedelta(microseconds=us)


def us_of(moment: datetime) -> int:
    """An aware moment in µs, exactly."""
    return (moment - _EPOCH) // timedelta(microseconds=1)


def iso(moment: datetime | None) -> str | None:
    """An aware moment as the API writes it; None for none."""
    return None if moment is None else moment.isoformat()


def is_too_late(moment: datetime) -> bool:
    """Whether an aware moment lies so near the last one that some zone has no time for it."""
    return moment >= _LATEST


@functools.cache
def zone_names() -> frozenset[str]:
    """The names of all time zones. Python would read the whole zone folder each time."""
    return frozenset(available_timezones())


def zone_of(name: str) -> ZoneInfo:
    """The zone of this name; the platform's for "", UTC for one that is not known."""
    try:
        return ZoneInfo(name or settings.PLATFORM_ZONE)
    except (ZoneInfoNotFoundError, ValueError):
        return ZoneInfo("UTC")


def midnights(zone: str, days: int, now: datetime | None = None) -> list[int]:
    """The next `days` midnights of a zone, in seconds since 1970, soonest first."""
    its = ZoneInfo(zone)
    today = (now or datetime.now(UTC)).astimezone(its).date()
    coming = (today + timedelta(days=ahead) for ahead in range(1, days + 1))
    return [int(datetime(day.year, day.month, day.day, tzinfo=its).timestamp()) for day in coming]
