"""Top-ups, adjustments and refund requests, as their pages list them. Tenant-safe."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, F, Max, Min, Q, QuerySet, Sum
from payments import PaymentStatus

from billing.models import Adjustment, PaymentMethod, Recharge, RefundRequest, Wallet
from billing.selectors.wallets import one_of, wallet_get
from billing.services.days import zone_of
from poolsite import access
from poolsite.access import Principal
from poolsite.operations.models import NoticeTarget

CHUNK = 1_000
RECIPIENTS_LIMIT = 10  # of an account's alerts
# What a person filters by → the library's statuses.
SHOWS: dict[str, tuple[str, ...]] = {
    "": (),
    "paid": (PaymentStatus.CONFIRMED,),
    "waiting": (PaymentStatus.WAITING, PaymentStatus.INPUT, PaymentStatus.PREAUTH),
    "failed": (PaymentStatus.REJECTED, PaymentStatus.ERROR, PaymentStatus.CANCELLED),
    "refunded": (PaymentStatus.REFUNDED,),
}


@dataclass(frozen=True)
class RechargeQuery:
    """The filters of a list of one account's top-ups; each comes from the address."""

    show: str = ""
    variant: str = ""
    year: int = 0  # in the account's zone; 0 = all
    search: str = ""  # a number R00000012, or the provider's reference

    def rows(self, wallet: Wallet) -> QuerySet[Recharge]:
        """Return the top-ups that match, newest first."""
        found = Recharge.objects.filter(wallet=wallet)
        if SHOWS.get(self.show):
            found = found.filter(status__in=SHOWS[self.show])
        if self.variant:
            found = found.filter(variant=self.variant)
        zone = zone_of(wallet.account)
        if self.year:
            begin, end = (datetime(year, 1, 1, tzinfo=zone) for year in (self.year, self.year + 1))
            found = found.filter(created__gte=begin, created__lt=end)
        if self.search:
            found = found.filter(_named(self.search))
        return found.order_by("-pk")

    def sums(self, wallet: Wallet) -> tuple[int, int]:
        """Return how many match, and what was paid by them less what went back, in units."""
        paid = Sum(F("amount") - F("reversed"), filter=Q(credited_at__isnull=False))
        found = self.rows(wallet).order_by().aggregate(n=Count("pk"), paid=paid)
        return int(found["n"]), int(found["paid"] or 0)

    def every(self, wallet: Wallet) -> Iterator[Recharge]:
        """Yield all top-ups that match, in chunks: no cursor stays open for a slow client."""
        rows, last = self.rows(wallet), 0
        while True:
            chunk = list((rows.filter(pk__lt=last) if last else rows)[:CHUNK])
            yield from chunk
            if len(chunk) < CHUNK:
                return
            last = chunk[-1].pk


def recharge_years(wallet: Wallet) -> list[int]:
    """Return all years from the first top-up to the last, newest first."""
    found = Recharge.objects.filter(wallet=wallet).aggregate(
        first=Min("created"), last=Max("created")
    )
    first, last = found["first"], found["last"]
    if first is None or last is None:
        return []
    zone = zone_of(wallet.account)
    years = range(first.astimezone(zone).year, last.astimezone(zone).year + 1)
    return list(years)[::-1]


def _named(search: str) -> Q:
    text = search.strip()
    named = Q(transaction_id=text) | Q(provider_payment=text) | Q(token=text)
    digits = text.upper().removeprefix("R")
    return named | Q(pk=int(digits)) if digits.isdecimal() and len(digits) <= 18 else named


def recharge_get(
    principal: Principal, slug: str, pk: int, action: str = "billing.view"
) -> Recharge:
    """Return one top-up of an account.

    Raise access.Hidden if it is missing or belongs to another account, else Forbidden.
    """
    wallet = wallet_get(principal, slug, action)
    found = Recharge.objects.filter(wallet=wallet, pk=pk).first()
    if found is None:
        raise access.Hidden(action)
    found.wallet = wallet
    return found


def method_of(wallet: Wallet) -> PaymentMethod | None:
    """Return the card that pays for automatic top-ups, or None."""
    return PaymentMethod.objects.filter(wallet=wallet, removed_at=None).first()


def recipients_of(wallet: Wallet) -> QuerySet[NoticeTarget]:
    """Return the active recipients of the account's alerts, the oldest first."""
    rows = NoticeTarget.objects.filter(account=wallet.account_id, active=True)
    return rows.select_related("account").order_by("pk")


def adjustment_get(principal: Principal, pk: int, action: str = "billing.finance") -> Adjustment:
    """Return one adjustment.

    Raise access.Hidden if it is missing or belongs to another account, else Forbidden.
    """
    rows = Adjustment.objects.select_related("wallet__account", "asked_by", "decided_by")
    return one_of(rows.filter(pk=pk), principal, action)


def open_refunds(wallet: Wallet | None = None) -> QuerySet[RefundRequest]:
    """Return the refund requests that have no answer yet, oldest first."""
    rows = RefundRequest.objects.filter(status=RefundRequest.Status.OPEN)
    rows = rows.select_related("wallet__account", "asked_by").order_by("asked_at")
    return rows.filter(wallet=wallet) if wallet is not None else rows


def refund_get(principal: Principal, pk: int, action: str) -> RefundRequest:
    """Return one refund request.

    Raise access.Hidden if it is missing or belongs to another account, else Forbidden.
    """
    rows = RefundRequest.objects.select_related("wallet__account", "asked_by")
    return one_of(rows.filter(pk=pk), principal, action)
