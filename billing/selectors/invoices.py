"""The invoices that a user may see, and lists of invoices. Tenant-safe."""

from dataclasses import dataclass
from datetime import date
from typing import Final

from django.db.models import Exists, OuterRef, Prefetch, Q, QuerySet

from billing.models import CreditNote, Invoice, Wallet
from billing.selectors.statements import statements_of
from billing.selectors.wallets import in_visible_wallets, wallet_get
from poolsite import access
from poolsite.access import Principal

STATES: Final = ("", "issued", "credited", "waiting")


@dataclass(frozen=True, slots=True)
class InvoiceQuery:
    """The filters of a list of invoices. `search` is the start of a number, or of an account."""

    state: str = ""
    month: date | None = None
    year: int = 0
    search: str = ""

    def rows(self, wallet: Wallet | None = None) -> QuerySet[Invoice]:
        """Return the invoices of one wallet, or of all; then the caller has checked that right."""
        found = with_notes(Invoice.objects.all())
        if wallet is not None:
            found = found.filter(wallet=wallet)
        if self.month is not None:
            found = found.filter(month=self.month)
        if self.year:
            found = found.filter(month__year=self.year)
        if self.search:
            found = found.filter(
                Q(number__istartswith=self.search)
                | Q(wallet__account__slug__startswith=self.search.lower())
                | Q(wallet__account__name__istartswith=self.search)
            )
        return self._in_state(found).order_by("-pk")

    def _in_state(self, rows: QuerySet[Invoice]) -> QuerySet[Invoice]:
        notes = CreditNote.objects.filter(invoice=OuterRef("pk"))
        if self.state == "issued":
            return rows.exclude(Exists(notes.filter(status=CreditNote.Status.ISSUED)))
        if self.state == "credited":
            return rows.filter(Exists(notes.filter(status=CreditNote.Status.ISSUED)))
        if self.state == "waiting":
            return rows.filter(Exists(notes.filter(status=CreditNote.Status.WAITING)))
        return rows


def with_notes(rows: QuerySet[Invoice]) -> QuerySet[Invoice]:
    """Return the invoices with their accounts and credit notes, without a query for each."""
    notes = CreditNote.objects.select_related("asked_by", "decided_by")
    return rows.select_related("wallet__account").prefetch_related(Prefetch("credit_notes", notes))


def visible_invoices(principal: Principal) -> QuerySet[Invoice]:
    """Return the invoices of the accounts whose money this principal may see."""
    return in_visible_wallets(with_notes(Invoice.objects.all()), principal)


def invoice_get(principal: Principal, slug: str, pk: int, action: str = "billing.view") -> Invoice:
    """Return one invoice of one account.

    Raise access.Hidden if it is missing or belongs to another account.
    """
    wallet = wallet_get(principal, slug, action)
    found = with_notes(Invoice.objects.filter(wallet=wallet, pk=pk)).first()
    if found is None:
        raise access.Hidden(action)
    return found


def credit_get(principal: Principal, pk: int) -> CreditNote:
    """Return one credit note, for finance. Raise access.Hidden if it is missing, else Forbidden."""
    rows = CreditNote.objects.filter(pk=pk)
    rows = rows.select_related("invoice__wallet__account", "asked_by", "decided_by")
    found = rows.first()
    access.require(principal, "billing.finance", found.invoice.wallet if found else None)
    if found is None:
        raise access.Hidden("billing.finance")
    return found


def invoice_years(wallet: Wallet | None = None) -> list[int]:
    """Return the years that have invoices, newest first."""
    rows = Invoice.objects.all() if wallet is None else Invoice.objects.filter(wallet=wallet)
    return [day.year for day in rows.order_by().dates("month", "year", order="DESC")]


def open_months(wallet: Wallet) -> list[date]:
    """Return the complete months with charges and without an invoice, of this year and the last."""
    this = statements_of(wallet, 0, None, 0)
    months = list(this.months)
    if this.year - 1 in this.years:
        months += statements_of(wallet, this.year - 1, None, 0).months
    standing = InvoiceQuery("issued").rows(wallet).values_list("month", flat=True)
    taken = set(standing)
    return [
        each.month.first
        for each in months
        if each.is_final and each.charges.units and each.month.first not in taken
    ]
