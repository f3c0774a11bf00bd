"""Days and months as an account counts them: in its own zone."""

import zoneinfo
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from django.utils import timezone

from poolsite.access.models import Account


def zone_of(account: Account) -> zoneinfo.ZoneInfo:
    """The account's time zone."""
    return zoneinfo.ZoneInfo(account.zone)


def day_start(account: Account, at: datetime | None = None) -> datetime:
    """The midnight that began the account's day of `at` (now)."""
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
        """As it stands in addresses: 2026-11."""
        return f"{self.first:%Y-%m}"


def month_of(account: Account, name: str) -> Month:
    """The month "2026-11" in the account's zone. ValueError for what is none."""
    first = datetime.strptime(name, "%Y-%m").date()  # noqa: DTZ007  a name, not a moment
    if name != f"{first:%Y-%m}":
        raise ValueError(name)
    following = (first + timedelta(days=32)).replace(day=1)
    return Month(first, day_start_us(account, first), day_start_us(account, following))


def month_at(account: Account, at: datetime | None = None) -> Month:
    """The account's month of `at` (now)."""
    return month_of(account, f"{(at or timezone.now()).astimezone(zone_of(account)):%Y-%m}")


def day_start_us(account: Account, day: date) -> int:
    """The midnight that begins a day, in microseconds since the epoch."""
    local = datetime(day.year, day.month, day.day, tzinfo=zone_of(account))
    return int(local.timestamp()) * 1_000_000
