"""Usage by mode and chatbot, and the pace at which a balance goes down. For one wallet."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence, Sized
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from math import sqrt
from zoneinfo import ZoneInfo

from django.db.models import (
    BigIntegerField,
    Case,
    Count,
    F,
    IntegerField,
    OuterRef,
    QuerySet,
    Subquery,
    Sum,
    Value,
    When,
)
from django.db.models.functions import Cast

from billing.models import UsageHour, Wallet
from billing.services.days import month_before
from billing.services.usage import HOUR_US, unsummed

# The entries of charges for messages and calls; the pace is computed from them.
CHARGES = frozenset(("hold", "settle", "fail", "expire", "cancel", "session"))
PACE_HOURS = 24
CURVE_HOURS = 96
NEVER = 10**12  # minutes
RANGES = ("7d", "30d", "12m")
HOUR = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class UsageRow:
    """One hour's sums of one kind, mode and chatbot, in units."""

    hour: datetime
    kind: str
    mode: str
    chatbot: str
    entries: int
    spendable: int
    revenue: int


@dataclass(frozen=True, slots=True)
class SpendingPace:
    """The spending of the last 24 h.

    `per_hour` is in units, or None while nothing was spent. `hours` is how long the balance lasts
    at that pace. `earliest_hours` and `latest_hours` are the range in which it runs out in 19 of 20
    cases if future hours are like these.
    """

    per_hour: int | None
    spent: int
    hours: float | None = None
    earliest_hours: float | None = None
    latest_hours: float | None = None


def totals_of(steps: Sized, by_mode: Mapping[str, Sequence[int]]) -> list[int]:
    """Return the sum of each step over all modes."""
    return [sum(values[place] for values in by_mode.values()) for place in range(len(steps))]


@dataclass
class Usage:
    """The steps of one chart: its days or months, and the charges per mode and chatbot."""

    steps: list[date]
    by_mode: dict[str, list[int]] = field(default_factory=dict)
    messages: dict[str, list[int]] = field(default_factory=dict)
    by_chatbot: dict[str, int] = field(default_factory=dict)

    @property
    def totals(self) -> list[int]:
        """The charges of each step, over all modes."""
        return totals_of(self.steps, self.by_mode)


def usage_rows(wallet: Wallet, since: datetime) -> list[UsageRow]:
    """Return each hour's sums from `since`: the stored sums, and entries not yet summed."""
    names = ("hour", "kind", "mode", "chatbot", "entries", "spendable", "revenue")
    kept = UsageHour.objects.filter(wallet=wallet, hour__gte=since).values_list(*names)
    rows = [UsageRow(*values) for values in kept]
    first_us = int(since.timestamp() * 1_000_000)
    fresh = (
        unsummed(wallet)
        .filter(at_us__gte=first_us)
        .order_by()
        .annotate(number=Cast(F("at_us") / HOUR_US, IntegerField()))
        .values_list("number", "kind", "mode", "chatbot")
        .annotate(Count("pk"), Sum("spendable"), Sum("revenue"))
    )
    rows += [
        UsageRow(datetime.fromtimestamp(int(number) * 3_600, UTC), *values)
        for number, *values in fresh
    ]
    return rows


def usage(wallet: Wallet, wanted: str, *, now: datetime) -> Usage:
    """Return the charges of the last 7 or 30 days or 12 months, in the account's own days."""
    zone = ZoneInfo(wallet.account.zone)
    today = now.astimezone(zone).date()
    steps = _months(today) if wanted == "12m" else _days(today, 7 if wanted == "7d" else 30)
    begin = datetime.combine(steps[0], datetime.min.time(), zone)
    places = {step: place for place, step in enumerate(steps)}
    found = Usage(steps)
    for row in usage_rows(wallet, begin):
        if not row.revenue or row.kind not in CHARGES:
            continue
        day = row.hour.astimezone(zone).date()
        place = places.get(day.replace(day=1) if wanted == "12m" else day)
        if place is None:
            continue
        found.by_mode.setdefault(row.mode, [0] * len(steps))[place] += row.revenue
        found.messages.setdefault(row.mode, [0] * len(steps))[place] += row.entries
        found.by_chatbot[row.chatbot] = found.by_chatbot.get(row.chatbot, 0) + row.revenue
    return found


def pace(wallet: Wallet, spendable: int, *, now: datetime) -> SpendingPace:
    """Return the pace of the last 24 h, and how long `spendable` lasts at that pace."""
    return pace_of(usage_rows(wallet, _hour(now) - PACE_HOURS * HOUR), spendable, now=now)


def pace_of(rows: Iterable[UsageRow], spendable: int, *, now: datetime) -> SpendingPace:
    """Compute the pace from the hours of these rows that began within the last 24 h."""
    by_hour: dict[datetime, int] = defaultdict(int)
    for row in rows:
        if row.kind in CHARGES and row.hour >= _hour(now) - PACE_HOURS * HOUR:
            by_hour[row.hour] -= row.spendable
    spent = sum(by_hour.values())
    if spent <= 0 or not by_hour:
        return SpendingPace(None, max(0, spent))
    first = min(by_hour)
    hours = max(1.0, (now - first) / HOUR)
    mean = spent / hours
    values = [by_hour.get(first + n * HOUR, 0) for n in range(max(1, int(hours)))]
    deviation = sqrt(sum((value - mean) ** 2 for value in values) / len(values))
    lasts = spendable / mean
    margin = 2 * deviation * sqrt(max(lasts, 0)) / mean
    return SpendingPace(round(mean), spent, lasts, max(0.0, lasts - margin), lasts + margin)


def last_day(wallets: Sequence[Wallet], *, now: datetime) -> dict[int, int]:
    """Return each wallet's charges in the last 24 whole hours and this one, by wallet ID."""
    rows = (
        UsageHour.objects.filter(
            wallet__in=wallets, hour__gt=_hour(now) - PACE_HOURS * HOUR, kind__in=CHARGES
        )
        .order_by()
        .values_list("wallet")
        .annotate(Sum("spendable"))
    )
    return {wallet: max(0, -spendable) for wallet, spendable in rows}


def with_minutes_left(wallets: QuerySet[Wallet], *, now: datetime) -> QuerySet[Wallet]:
    """Annotate `minutes_left`, for sorting.

    It is how long the amount available in the books lasts at the pace of the last 24 h, or NEVER if
    nothing is spent.
    """
    spent = (
        UsageHour.objects.filter(
            wallet=OuterRef("pk"), hour__gt=_hour(now) - PACE_HOURS * HOUR, kind__in=CHARGES
        )
        .order_by()
        .values("wallet")
        .annotate(units=Sum("spendable"))
        .values("units")
    )
    left = (F("spendable") + F("credit_limit")) * (PACE_HOURS * 60) / (F("last_day") * -1)
    return wallets.annotate(last_day=Subquery(spent, output_field=BigIntegerField())).annotate(
        minutes_left=Case(
            When(last_day__lt=0, then=left), default=Value(NEVER), output_field=BigIntegerField()
        )
    )


def charged_since(wallet: Wallet, begin: datetime) -> int:
    """Return the charges since then, counted as in the chart of `usage`."""
    return sum(row.revenue for row in usage_rows(wallet, begin) if row.kind in CHARGES)


def curve(wallet: Wallet, spendable: int, *, now: datetime) -> list[tuple[datetime, int]]:
    """Return the available balance at the end of the last 96 hours and now, oldest first."""
    since = _hour(now) - CURVE_HOURS * HOUR
    by_hour: dict[datetime, int] = defaultdict(int)
    for row in usage_rows(wallet, since):
        by_hour[row.hour] += row.spendable
    points = [(now, spendable)]
    balance = spendable
    for step in range(CURVE_HOURS + 1):
        hour = _hour(now) - step * HOUR
        balance -= by_hour.get(hour, 0)
        points.append((hour, balance))
    begun = _hour(_begun(wallet))
    return [point for point in points[::-1] if point[0] >= begun]


def _begun(wallet: Wallet) -> datetime:
    """Return when the wallet opened; books from an older system may begin earlier."""
    hours = UsageHour.objects.filter(wallet=wallet).order_by("hour").values_list("hour", flat=True)
    first = hours.first()
    return wallet.created_at if first is None else min(first, wallet.created_at)


def _hour(at: datetime) -> datetime:
    return at.astimezone(UTC).replace(minute=0, second=0, microsecond=0)


def _days(today: date, count: int) -> list[date]:
    return [today - timedelta(days=count - 1 - step) for step in range(count)]


def _months(today: date) -> list[date]:
    months = [today.replace(day=1)]
    while len(months) < 12:
        months.append(month_before(months[-1]))
    return months[::-1]
