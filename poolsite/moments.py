"""Moments as scripts return them, in µs or s since 1970, and as Django stores them."""

import functools
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

from django.conf import settings

_EPOCH = datetime.fromtimestamp(0, UTC)
_LATEST = datetime(9000, 1, 1, tzinfo=UTC)


def moment_of(us: int) -> datetime:
    """Convert a moment in µs to Django's form, exactly."""
    return _EPOCH + timedelta(microseconds=us)


def us_of(moment: datetime) -> int:
    """Convert an aware moment to µs, exactly."""
    return (moment - _EPOCH) // timedelta(microseconds=1)


def iso(moment: datetime | None) -> str | None:
    """Write an aware moment in the API's form. Return None for None."""
    return None if moment is None else moment.isoformat()


def is_too_late(moment: datetime) -> bool:
    """Whether an aware moment is so near the latest one that some zone cannot express it."""
    return moment >= _LATEST


@functools.cache
def zone_names() -> frozenset[str]:
    """Return the names of all time zones. They are cached: Python reads the whole zone folder."""
    return frozenset(available_timezones())


def zone_of(name: str) -> ZoneInfo:
    """Return the zone with this name: the platform's for "", UTC for an unknown one."""
    try:
        return ZoneInfo(name or settings.PLATFORM_ZONE)
    except (ZoneInfoNotFoundError, ValueError):
        return ZoneInfo("UTC")


def midnights(zone: str, days: int, now: datetime | None = None) -> list[int]:
    """Return the next `days` midnights of a zone, in seconds since 1970, soonest first."""
    its = ZoneInfo(zone)
    today = (now or datetime.now(UTC)).astimezone(its).date()
    coming = (today + timedelta(days=ahead) for ahead in range(1, days + 1))
    return [int(datetime(day.year, day.month, day.day, tzinfo=its).timestamp()) for day in coming]
