"""The charges of each day of a month by mode: hourly sums, and the journal for split hours."""

from bisect import bisect_right
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta

from django.db.models import Case, IntegerField, Q, QuerySet, Sum, Value, When

from billing.models import JournalEntry, UsageHour, Wallet
from billing.models.books import CHARGED
from billing.selectors.usage import totals_of
from billing.services.days import Month, day_start_us
from billing.services.usage import HOUR_US, unsummed


@dataclass
class Days:
    """The days of a month, and for each mode the charges of each day, in units."""

    days: list[date]
    by_mode: dict[str, list[int]] = field(default_factory=dict)

    @property
    def totals(self) -> list[int]:
        """The charges of each day, over all modes."""
        return totals_of(self.days, self.by_mode)

    def add(self, place: int, mode: str, units: int) -> None:
        """Add the charges of a mode on one of the days."""
        self.by_mode.setdefault(mode, [0] * len(self.days))[place] += units


def charges_by_day(wallet: Wallet, month: Month) -> Days:
    """Return the month's charges by days of the account.

    This reads a few rows per hour, and never a message. In a time zone with an offset of half an
    hour, midnight splits an hour; the entries of such hours are read from the journal.
    """
    days = _days(month)
    ends = (*days, days[-1] + timedelta(days=1))
    bounds = [day_start_us(wallet.account, day) for day in ends]
    found = Days(days)
    cut = [bound // HOUR_US for bound in bounds if bound % HOUR_US]
    for hour, mode, units in _whole_hours(wallet, bounds, cut):
        found.add(_place(bounds, int(hour.timestamp()) * 1_000_000), mode, units)
    fresh = _within(unsummed(wallet), bounds)
    for number in cut:
        fresh = fresh.exclude(_in_hour(number))
    _add_entries(found, fresh, bounds)
    if cut:
        hours = Q()
        for number in cut:
            hours |= _in_hour(number)
        entries = JournalEntry.objects.filter(wallet=wallet)
        _add_entries(found, _within(entries, bounds).filter(hours), bounds)
    return found


def _whole_hours(
    wallet: Wallet, bounds: list[int], cut: list[int]
) -> QuerySet[UsageHour, tuple[datetime, str, int]]:
    since, until = (datetime.fromtimestamp(us / 1_000_000, UTC) for us in (bounds[0], bounds[-1]))
    rows = UsageHour.objects.filter(
        wallet=wallet, hour__gte=since, hour__lt=until, kind__in=CHARGED
    )
    rows = rows.exclude(hour__in=[datetime.fromtimestamp(n * 3_600, UTC) for n in cut])
    rows = rows.exclude(revenue=0).order_by()
    return rows.values_list("hour", "mode").annotate(Sum("revenue"))


def _add_entries(found: Days, rows: QuerySet[JournalEntry], bounds: list[int]) -> None:
    whens = [When(at_us__lt=bound, then=Value(n)) for n, bound in enumerate(bounds[1:])]
    day = Case(*whens, default=Value(len(found.days) - 1), output_field=IntegerField())
    told = rows.order_by().annotate(day=day).values_list("day", "mode").annotate(Sum("revenue"))
    for place, mode, units in told:
        found.add(place, mode, int(units))


def _within(rows: QuerySet[JournalEntry], bounds: list[int]) -> QuerySet[JournalEntry]:
    rows = rows.filter(at_us__gte=bounds[0], at_us__lt=bounds[-1], kind__in=CHARGED)
    return rows.exclude(revenue=0)


def _in_hour(number: int) -> Q:
    return Q(at_us__gte=number * HOUR_US, at_us__lt=(number + 1) * HOUR_US)


def _days(month: Month) -> list[date]:
    days = [month.first + timedelta(days=n) for n in range(31)]
    return [day for day in days if day.month == month.first.month]


def _place(bounds: list[int], at_us: int) -> int:
    return bisect_right(bounds, at_us) - 1
