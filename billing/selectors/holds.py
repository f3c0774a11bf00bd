"""Open holds by age, of all wallets or of one, according to the books."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from django.db.models import Case, Count, IntegerField, Min, QuerySet, Sum, Value, When

from billing.models import Message, Wallet
from billing.models.messages import State

OPEN: Final = (State.HELD, State.SENT)
# Youngest first; a hold belongs to the first bucket that is longer than its age.
BUCKETS: Final = (
    ("minute", timedelta(minutes=1)),
    ("ten_minutes", timedelta(minutes=10)),
    ("hour", timedelta(hours=1)),
    ("day", timedelta(hours=24)),
    ("three_days", timedelta(hours=72)),
    ("overdue", None),
)
OLDEST = 50
MOST_ACCOUNTS = 100


@dataclass(frozen=True, slots=True)
class Bucket:
    """The open holds of one age."""

    name: str
    count: int
    amount: int


@dataclass(frozen=True, slots=True)
class AccountHolds:
    """The open holds of one wallet."""

    wallet: Wallet
    count: int
    amount: int
    oldest: datetime


def open_holds(wallets: QuerySet[Wallet]) -> QuerySet[Message]:
    """Return the messages of these wallets whose money is held."""
    return Message.objects.filter(wallet__in=wallets, state__in=OPEN)


def holds_by_age(wallets: QuerySet[Wallet], *, now: datetime) -> list[Bucket]:
    """Return every bucket, youngest first, including empty ones."""
    cases = [
        When(held_at__gt=now - age, then=Value(place))
        for place, (_name, age) in enumerate(BUCKETS)
        if age is not None
    ]
    bucket = Case(*cases, default=Value(len(BUCKETS) - 1), output_field=IntegerField())
    rows = (
        open_holds(wallets)
        .annotate(bucket=bucket)
        .values_list("bucket")
        .annotate(Count("pk"), Sum("quoted"))
        .order_by()
    )
    found = {place: (count, amount) for place, count, amount in rows}
    return [Bucket(name, *found.get(place, (0, 0))) for place, (name, _age) in enumerate(BUCKETS)]


def holds_by_account(wallets: QuerySet[Wallet]) -> list[AccountHolds]:
    """Return the wallets with the most money held, at most 100."""
    rows = (
        open_holds(wallets)
        .values_list("wallet")
        .annotate(count=Count("pk"), amount=Sum("quoted"), oldest=Min("held_at"))
        .order_by("-amount", "wallet")[:MOST_ACCOUNTS]
    )
    found = list(rows)
    known = Wallet.objects.select_related("account").in_bulk([row[0] for row in found])
    return [AccountHolds(known[key], count, amount, oldest) for key, count, amount, oldest in found]


def oldest_holds(wallets: QuerySet[Wallet]) -> list[Message]:
    """Return the oldest open holds, at most 50."""
    rows = open_holds(wallets).select_related("wallet__account")
    return list(rows.order_by("held_at", "pk")[:OLDEST])
