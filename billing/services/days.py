"""Days and months as an account counts them: in its own time zone."""

import zoneinfo
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from django.utils import timezone

from poolsite.access.models import Account


def zone_of(account: Account) -> zoneinfo.ZoneInfo:
    """Return the account's time zone."""
    return zoneinfo.ZoneInfo(account.zone)


def day_start(account: Account, at: datetime | None = None) -> datetime:
    """Return the midnight that began the account's day of `at` (default: now)."""
    local = (at or timezone.now()).astimezone(zone_of(account))
    return local.replace(hour=0, minute=0, second=0, microsecond=0, fold=0)


@dataclass(frozen=True, slots=True)
class Month:
    """A month of one account; [start_us, end_us) in microseconds since the epoch."""

    first: date
    start_us: int
    end_us: int

    @property
    def name(self) -> str:
        """The month in the form that addresses use: 2026-11."""
        return f"{self.first:%Y-%m}"


def month_of(account: Account, name: str) -> Month:
    """Return the month "2026-11" in the account's time zone. Raise ValueError for other texts."""
    first = datetime.strptime(name, "%Y-%m").date()  # noqa: DTZ007  a name, not a moment
    if name != f"{first:%Y-%m}":
        raise ValueError(name)
    end = month_after(first)
    return Month(first, day_start_us(account, first), day_start_us(account, end))


def month_before(first: date) -> date:
    """Return the first day of the month before the one that begins on this day."""
    return (first - timedelta(days=1)).replace(day=1)


def month_after(first: date) -> date:
    """Return the first day of the month after the one that begins on this day."""
    return (first + timedelta(days=32)).replace(day=1)


def month_at(account: Account, at: datetime | None = None) -> Month:
    """Return the account's month of `at` (default: now)."""
    return month_of(account, f"{(at or timezone.now()).astimezone(zone_of(account)):%Y-%m}")


def day_start_us(account: Account, day: date) -> int:
    """Return the midnight that begins a day, in microseconds since the epoch."""
    local = datetime(day.year, day.month, day.day, tzinfo=zone_of(account))
    return int(local.timestamp()) * 1_000_000
