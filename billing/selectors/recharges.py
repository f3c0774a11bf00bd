"""Top-ups, adjustments and refund requests, as their pages list them. Tenant-safe."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta

from django.db.models import Q, QuerySet
from payments import PaymentStatus

from billing.models import Adjustment, PaymentMethod, Recharge, RefundRequest, Wallet
from billing.selectors.wallets import one_of, wallet_get
from billing.services.days import zone_of
from poolsite import access
from poolsite.access import Principal
from poolsite.paging import older_page

PAGE_ROWS = 50
CHUNK = 1_000
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
    """What a list of one account's top-ups is asked for; every part comes from the address."""

    show: str = ""
    variant: str = ""
    begin: date | None = None
    end: date | None = None
    search: str = ""  # a number R00000012, or the provider's reference
    after: int = 0  # the last row's key

    def rows(self, wallet: Wallet) -> QuerySet[Recharge]:
        """The top-ups that match, newest first."""
        found = Recharge.objects.filter(wallet=wallet)
        if SHOWS.get(self.show):
            found = found.filter(status__in=SHOWS[self.show])
        if self.variant:
            found = found.filter(variant=self.variant)
        zone = zone_of(wallet.account)
        if self.begin:
            found = found.filter(created__gte=_midnight(self.begin, zone))
        if self.end:
            found = found.filter(created__lt=_midnight(self.end + timedelta(days=1), zone))
        if self.search:
            found = found.filter(_named(self.search))
        return found.order_by("-pk")

    def page(self, wallet: Wallet) -> "RechargePage":
        """One page by its key."""
        found, following = older_page(self.rows(wallet), self.after, PAGE_ROWS)
        return RechargePage(found, following or 0)

    def every(self, wallet: Wallet) -> Iterator[Recharge]:
        """All that match, chunk by chunk: no cursor stays open while a slow reader reads."""
        rows, last = self.rows(wallet), 0
        while True:
            chunk = list((rows.filter(pk__lt=last) if last else rows)[:CHUNK])
            yield from chunk
            if len(chunk) < CHUNK:
                return
            last = chunk[-1].pk


@dataclass(frozen=True)
class RechargePage:
    """Some top-ups; `following` is the key of the next page, 0 at the end."""

    rows: list[Recharge] = field(default_factory=list)
    following: int = 0


def _midnight(day: date, zone: object) -> datetime:
    return datetime(day.year, day.month, day.day, tzinfo=zone)  # type: ignore[arg-type]


def _named(search: str) -> Q:
    text = search.strip()
    named = Q(transaction_id=text) | Q(provider_payment=text) | Q(token=text)
    digits = text.upper().removeprefix("R")
    return named | Q(pk=int(digits)) if digits.isdecimal() and len(digits) <= 18 else named


def recharge_get(
    principal: Principal, slug: str, pk: int, action: str = "billing.view"
) -> Recharge:
    """One top-up of an account. access.Hidden when it is missing or foreign, else Forbidden."""
    wallet = wallet_get(principal, slug, action)
    found = Recharge.objects.filter(wallet=wallet, pk=pk).first()
    if found is None:
        raise access.Hidden(action)
    found.wallet = wallet
    return found


def method_of(wallet: Wallet) -> PaymentMethod | None:
    """The card that automatic top-ups are paid with."""
    return PaymentMethod.objects.filter(wallet=wallet, removed_at=None).first()


def adjustment_get(principal: Principal, pk: int, action: str = "billing.finance") -> Adjustment:
    """One adjustment. access.Hidden when it is missing or foreign, else Forbidden."""
    rows = Adjustment.objects.select_related("wallet__account", "asked_by", "decided_by")
    return one_of(rows.filter(pk=pk), principal, action)


def open_refunds(wallet: Wallet | None = None) -> QuerySet[RefundRequest]:
    """Refunds that were asked for and not answered, oldest first."""
    rows = RefundRequest.objects.filter(status=RefundRequest.Status.OPEN)
    rows = rows.select_related("wallet__account", "asked_by").order_by("asked_at")
    return rows.filter(wallet=wallet) if wallet is not None else rows


def refund_get(principal: Principal, pk: int, action: str) -> RefundRequest:
    """One refund request. access.Hidden when it is missing or foreign, else Forbidden."""
    rows = RefundRequest.objects.select_related("wallet__account", "asked_by")
    return one_of(rows.filter(pk=pk), principal, action)
