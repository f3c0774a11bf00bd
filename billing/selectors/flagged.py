"""Flagged reports: those that the money rules could not close automatically. Tenant-safe."""

from dataclasses import dataclass, field

from django.db.models import Count, Exists, OuterRef, Q, QuerySet, Sum

from billing.models import Adjustment, FlaggedReport
from billing.selectors.wallets import in_visible_wallets
from poolsite import access
from poolsite.access import Principal
from poolsite.paging import older_page

PAGE_ROWS = 25
SHOWS = ("open", "waiting", "closed", "all")


def visible_reports(principal: Principal, action: str = "billing.view") -> QuerySet[FlaggedReport]:
    """Return the reports of the wallets that the principal may see."""
    rows = FlaggedReport.objects.select_related("wallet__account")
    return in_visible_wallets(rows, principal, action)


def report_get(principal: Principal, key: int, action: str = "billing.view") -> FlaggedReport:
    """Return one report. Raise access.Hidden if it is missing or belongs to another account.

    Otherwise raise Forbidden or FactorNeeded if the principal may not do the action.
    """
    found = FlaggedReport.objects.select_related("wallet__account").filter(pk=key).first()
    if found is None:
        raise access.Hidden(action)
    access.require(principal, action, found)
    return found


@dataclass(frozen=True)
class FlagTotals:
    """Open reports by flag: their number, and what was delivered less what was paid."""

    counts: dict[str, int] = field(default_factory=dict)
    amounts: dict[str, int] = field(default_factory=dict)

    @property
    def count(self) -> int:
        """The number of all open reports."""
        return sum(self.counts.values())

    @property
    def amount(self) -> int:
        """Units that are still owed."""
        return sum(self.amounts.values())


@dataclass(frozen=True)
class FlaggedQuery:
    """The filters of the list; each comes from the address."""

    show: str = "open"
    flag: str = ""
    account: str = ""
    search: str = ""
    before: int | None = None  # the last row's ID

    def rows(self, principal: Principal) -> QuerySet[FlaggedReport]:
        """Return the reports that match, newest first."""
        rows = visible_reports(principal)
        waits = Adjustment.objects.filter(
            flagged_report=OuterRef("pk"), status=Adjustment.Status.WAITING
        )
        rows = rows.annotate(charge_waits=Exists(waits))
        if self.show in ("open", "waiting"):
            rows = rows.filter(closed_at=None)
        if self.show == "waiting":
            rows = rows.filter(charge_waits=True)
        if self.show == "closed":
            rows = rows.exclude(closed_at=None)
        for name, value in (("flag", self.flag), ("wallet__account__slug", self.account)):
            if value:
                rows = rows.filter(**{name: value})
        if self.search:
            rows = rows.filter(message_id__startswith=self.search)
        return rows.order_by("-pk")

    def page(self, principal: Principal) -> tuple[list[FlaggedReport], int | None]:
        """Return one page, and the key of the next one, or None at the end."""
        return older_page(self.rows(principal), self.before, PAGE_ROWS)


def open_totals(principal: Principal) -> FlagTotals:
    """Return the totals of the open reports, by flag."""
    rows = (
        visible_reports(principal)
        .filter(closed_at=None)
        .order_by()
        .values_list("flag")
        .annotate(Count("pk"), Sum("difference"))
    )
    found = list(rows)
    return FlagTotals(
        {flag: count for flag, count, _ in found}, {flag: amount for flag, _, amount in found}
    )


def of_message(wallet_id: int, message_id: str) -> list[FlaggedReport]:
    """Return every flagged report about one message, newest first."""
    rows = FlaggedReport.objects.filter(Q(wallet=wallet_id), message_id=message_id)
    return list(rows.order_by("-pk"))
