"""The wallets that a user may see, and pages of them. Tenant-safe."""

from dataclasses import dataclass, field
from typing import TypeVar

from django.db.models import F, Model, Q, QuerySet
from django.utils import timezone

from billing.models import Wallet
from billing.selectors.usage import with_minutes_left
from poolsite import access
from poolsite.access import Principal
from poolsite.aggregates.reading import Visible
from poolsite.paging import keyset_page

M = TypeVar("M", bound=Model)
PAGE_ROWS = 25  # each row watches a topic, of which a socket has 32 at most
SHOWS = ("", "open", "frozen", "closed", "recovering", "owing", "low")
SORTS = ("lasts", "-lasts", "slug", "spendable", "-spendable", "held", "-held")
ORDERS = {"lasts": "minutes_left", "spendable": "within_reach", "held": "held"}  # by a field


WALLETS = Visible(Wallet, "billing.view", "account__slug")
visible_wallets, wallet_get = WALLETS.visible, WALLETS.get


def in_visible_wallets(
    rows: QuerySet[M], principal: Principal, action: str = "billing.view"
) -> QuerySet[M]:
    """Return the rows on whose `wallet` this principal may do the action."""
    return access.visible(
        rows,
        principal,
        action,
        account_field="wallet__account",
        slug_field="wallet__account__slug",
        kind="wallet",
    )


def one_of(rows: QuerySet[M], principal: Principal, action: str) -> M:
    """Return the only row of `rows`, if the principal may do the action on it.

    Raise access.Hidden if it is missing or belongs to another account, else Forbidden. Raise
    Forbidden, too, if it is missing and the principal may not do the action on any object.
    """
    found = rows.first()
    access.require(principal, action, found)
    if found is None:
        raise access.Hidden(action)
    return found


def own_wallet(principal: Principal) -> Wallet | None:
    """Return the wallet that a customer's own pages lead to: their first by slug, or None."""
    if principal.kind != "user" or not principal.memberships:
        return None
    rows = visible_wallets(principal).filter(account__in=principal.account_ids)
    return rows.order_by("account__slug").first()


@dataclass(frozen=True)
class WalletQuery:
    """The filters of a list of wallets; each comes from the address."""

    search: str = ""
    show: str = ""
    sort: str = "slug"
    after: str = ""  # the last row's slug

    def rows(self, principal: Principal) -> QuerySet[Wallet]:
        """Return the wallets that match, sorted."""
        found = visible_wallets(principal)
        if self.search:
            found = found.filter(
                Q(account__slug__contains=self.search.lower())
                | Q(account__name__icontains=self.search)
            )
        return _ordered(_shown(self._measured(found), self.show), self.sort)

    def _measured(self, rows: QuerySet[Wallet]) -> QuerySet[Wallet]:
        name = self.sort.lstrip("-")
        if name == "spendable":
            return with_reach(rows)
        return with_minutes_left(rows, now=timezone.now()) if name == "lasts" else rows

    def page(self, principal: Principal) -> "WalletPage":
        """Return one page by its key: page one costs as much as page ten thousand."""
        rows = self.rows(principal)
        last = self._last(principal)
        if last is not None:
            rows = rows.filter(_behind(last, self.sort))
        found, further = keyset_page(rows, PAGE_ROWS)
        return WalletPage(found, further.slug if further is not None else "")

    def _last(self, principal: Principal) -> Wallet | None:
        if not self.after:
            return None
        rows = self._measured(visible_wallets(principal))
        return rows.filter(account__slug=self.after).first()


@dataclass(frozen=True)
class WalletPage:
    """A page of wallets; `following` is the key of the next page, "" at the end."""

    rows: list[Wallet] = field(default_factory=list)
    following: str = ""


def with_reach(rows: QuerySet[Wallet]) -> QuerySet[Wallet]:
    """Annotate `within_reach`: balance and credit limit together, according to the books."""
    return rows.annotate(within_reach=F("spendable") + F("credit_limit"))


def low_balances(rows: QuerySet[Wallet], mark: str = "alert_below") -> QuerySet[Wallet]:
    """Return the wallets whose available amount is below their mark.

    Their balance is below it as well; that condition lets the index find them.
    """
    below = Q(**{f"{mark}__gt": 0, "spendable__lt": F(mark), "within_reach__lt": F(mark)})
    return with_reach(rows).filter(below)


def _shown(rows: QuerySet[Wallet], show: str) -> QuerySet[Wallet]:
    if show == "recovering":
        return rows.exclude(recovering_since=None)
    if show == "owing":
        return rows.filter(receivable__gt=0)
    if show == "low":
        return low_balances(rows)
    return rows.filter(status=show) if show in Wallet.Status.values else rows


def _ordered(rows: QuerySet[Wallet], sort: str) -> QuerySet[Wallet]:
    name = ORDERS.get(sort.lstrip("-"))
    if name is None:
        return rows.order_by("account__slug")
    return rows.order_by(f"-{name}" if sort.startswith("-") else name, "account__slug")


def _behind(last: Wallet, sort: str) -> Q:
    """Match the rows that come after `last` in this order."""
    name = ORDERS.get(sort.lstrip("-"))
    further = Q(account__slug__gt=last.slug)
    if name is None:
        return further
    value = getattr(last, name)
    side = "lt" if sort.startswith("-") else "gt"
    return Q(**{f"{name}__{side}": value}) | (Q(**{name: value}) & further)
