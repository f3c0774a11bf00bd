"""An account's invoices, credit notes and tax profile."""

from datetime import date
from typing import Any

from django.db.models import QuerySet
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from ninja import Query, Router, Status

from billing.api.common import Id, Slug, money_of, wallet_of
from billing.api.examples_invoices import INVOICE_CSV
from billing.api.invoices_out import credit_note_out, invoice_out, invoice_row
from billing.api.routes_files import file_told
from billing.models import CreditNote, Invoice, Wallet
from billing.schemas_common import MoneyNoteIn, MoneyReasonIn
from billing.schemas_invoices import (
    CreditNoteOut,
    InvoiceIssueIn,
    InvoiceOut,
    InvoiceRow,
    InvoicesIn,
    TaxProfileIn,
    TaxProfileOut,
)
from billing.selectors.invoices import InvoiceQuery, with_notes
from billing.selectors.statements_asked import month_asked
from billing.services import invoices, invoices_credit, tax_profiles
from billing.views.invoices_files import credit_pdf_file, invoice_csv_file, invoice_pdf_file
from poolsite.access import Principal
from poolsite.api.pages import Page, page
from poolsite.api.paths import id_of
from poolsite.api.root import ProblemError

router = Router(tags=["invoices"])
ONE = "/{slug}/invoices/{invoice}"
FINANCE = "billing.finance"
_PDF = file_told("application/pdf", {"type": "string", "format": "binary"}, "%PDF-1.4")


@router.get("/{slug}/invoices", response={200: Page[InvoiceRow]}, summary="List invoices")
def list_invoices(request: HttpRequest, asked: Query[InvoicesIn], slug: str = Slug) -> Any:
    """The account's invoices, newest first."""
    _principal, wallet = wallet_of(request, slug)
    return page(request, asked, rows_of(asked, wallet), invoice_row)


def rows_of(asked: InvoicesIn, wallet: Wallet | None, search: str = "") -> QuerySet[Invoice]:
    """Return the filtered invoices. Raise ProblemError `malformed` if the month is not valid."""
    month = None
    if asked.month:
        try:
            month = date.fromisoformat(f"{asked.month}-01")
        except ValueError:
            raise ProblemError("malformed", "month: use a month such as 2026-11") from None
    return InvoiceQuery(asked.state or "", month, search=search).rows(wallet)


@router.post("/{slug}/invoices", response={201: InvoiceOut}, summary="Issue an invoice")
def issue_invoice(request: HttpRequest, given: InvoiceIssueIn, slug: str = Slug) -> Any:
    """Issue the invoice of a complete month. If the month has one, that one is returned.

    Months are also invoiced automatically. Requires an operator with the grant `finance`.
    """
    principal, wallet = money_of(request, slug, FINANCE)
    month = month_asked(wallet, given.month)
    made = invoices.invoice_issue(wallet, month, actor=principal)
    return Status(201, invoice_out(with_notes(Invoice.objects.all()).get(pk=made.pk)))


@router.get(ONE, response={200: InvoiceOut}, summary="Get an invoice")
def get_invoice(request: HttpRequest, slug: str = Slug, invoice: int = Id) -> Any:
    """An invoice with its lines and taxes. It never changes, but a credit note can cancel it."""
    return invoice_out(_own(wallet_of(request, slug)[1], invoice))


@router.get(
    f"{ONE}/pdf",
    response={200: None},
    summary="Download an invoice as PDF",
    openapi_extra=_PDF,
)
def get_invoice_pdf(request: HttpRequest, slug: str = Slug, invoice: int = Id) -> HttpResponseBase:
    """The invoice as a PDF. It never changes."""
    return invoice_pdf_file(_own(wallet_of(request, slug)[1], invoice))


@router.get(
    f"{ONE}/csv",
    response={200: None},
    summary="Download an invoice as CSV",
    openapi_extra=file_told("text/csv", {"type": "string"}, INVOICE_CSV),
)
def get_invoice_csv(request: HttpRequest, slug: str = Slug, invoice: int = Id) -> HttpResponseBase:
    """The invoice's lines as CSV. UTF-8 with a byte order mark."""
    return invoice_csv_file(_own(wallet_of(request, slug)[1], invoice))


@router.get(
    f"{ONE}/credit/pdf",
    response={200: None},
    summary="Download a credit note as PDF",
    openapi_extra=_PDF,
)
def get_credit_note_pdf(
    request: HttpRequest, slug: str = Slug, invoice: int = Id
) -> HttpResponseBase:
    """The credit note that cancels the invoice, as a PDF."""
    note = _own(wallet_of(request, slug)[1], invoice).credit_note
    if note is None:
        raise ProblemError("unknown-credit-note", "the invoice has no credit note")
    return credit_pdf_file(note)


@router.post(f"{ONE}/credit", response={201: CreditNoteOut}, summary="Credit an invoice")
def credit_invoice(
    request: HttpRequest, given: MoneyReasonIn, slug: str = Slug, invoice: int = Id
) -> Any:
    """Cancel a whole invoice by a credit note. The balance doesn't change.

    Up to the platform's limit it is issued at once. Above it, the state is `waiting` until another
    operator approves it. Requires an operator with the grant `finance`.
    """
    principal, wallet = money_of(request, slug, FINANCE)
    found = _own(wallet, invoice)
    note = invoices_credit.credit_ask(found, actor=principal, reason=given.reason)
    return Status(201, credit_note_out(note))


@router.post(
    f"{ONE}/credit/approve", response={200: CreditNoteOut}, summary="Approve a credit note"
)
def approve_credit_note(
    request: HttpRequest, given: MoneyNoteIn, slug: str = Slug, invoice: int = Id
) -> Any:
    """Approve a credit note that another operator requested. It is issued at once.

    Requires an operator with the grant `finance`.
    """
    principal, note = _waiting(request, slug, invoice)
    return credit_note_out(
        invoices_credit.credit_approve(note, actor=principal, reason=given.reason)
    )


@router.post(f"{ONE}/credit/reject", response={200: CreditNoteOut}, summary="Reject a credit note")
def reject_credit_note(
    request: HttpRequest, given: MoneyReasonIn, slug: str = Slug, invoice: int = Id
) -> Any:
    """Reject a waiting credit note, or withdraw your own. The invoice stays valid.

    Requires an operator with the grant `finance`.
    """
    principal, note = _waiting(request, slug, invoice)
    return credit_note_out(
        invoices_credit.credit_reject(note, actor=principal, reason=given.reason)
    )


@router.get("/{slug}/tax-profile", response={200: TaxProfileOut}, summary="Get the tax profile")
def get_tax_profile(request: HttpRequest, slug: str = Slug) -> Any:
    """The customer's details on the account's next invoices."""
    return _profile(wallet_of(request, slug)[1])


@router.put("/{slug}/tax-profile", response={200: TaxProfileOut}, summary="Set the tax profile")
def set_tax_profile(request: HttpRequest, given: TaxProfileIn, slug: str = Slug) -> Any:
    """Replace the customer's details on future invoices. Issued invoices don't change."""
    principal, wallet = money_of(request, slug, "billing.pay")
    tax_profiles.profile_set(wallet, actor=principal, **given.model_dump())
    return _profile(wallet)


def _profile(wallet: Wallet) -> TaxProfileOut:
    profile = tax_profiles.profile_of(wallet.account)
    facts = tax_profiles.profile_values(wallet.account, profile)
    return TaxProfileOut(entered=profile is not None, **facts)


def _own(wallet: Wallet, key: int) -> Invoice:
    found = with_notes(Invoice.objects.filter(wallet=wallet, pk=id_of(key))).first()
    if found is None:
        raise ProblemError("unknown-invoice", "invoice not found")
    return found


def _waiting(request: HttpRequest, slug: str, key: int) -> tuple[Principal, CreditNote]:
    principal, wallet = money_of(request, slug, FINANCE)
    rows = CreditNote.objects.filter(invoice=_own(wallet, key)).order_by("-pk")
    note = rows.select_related("invoice__wallet__account", "asked_by", "decided_by").first()
    if note is None:
        raise ProblemError("unknown-credit-note", "the invoice has no credit note")
    return principal, note
