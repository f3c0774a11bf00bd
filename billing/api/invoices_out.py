"""Invoices, credit notes and tax rates in the API's form."""

from typing import cast

from billing.invoicing.document import percent
from billing.models import CreditNote, Invoice, TaxRate
from billing.money import plain
from billing.schemas_invoices import (
    CreditNoteOut,
    CreditNoteState,
    InvoiceLineOut,
    InvoiceOut,
    InvoiceRow,
    PartyOut,
    Service,
    TaxLineOut,
    TaxRateOut,
    TaxTreatment,
)


def invoice_row(row: Invoice) -> InvoiceRow:
    """Return an invoice for a list."""
    note = row.credit_note
    return InvoiceRow(
        id=row.pk,
        account=row.wallet.slug,
        number=row.number,
        month=row.month_name,
        state="issued" if note is None else "credited",
        credit_note="" if note is None else note.number,
        currency=row.currency,
        net=plain(row.net),
        tax=plain(row.tax),
        total=plain(row.total),
        paid=plain(row.paid),
        due=plain(row.due),
        issued_at=row.issued_at,
        issued_on=row.issued_on,
    )


def invoice_out(row: Invoice) -> InvoiceOut:
    """Return an invoice with its lines."""
    return InvoiceOut(
        **invoice_row(row).model_dump(),
        zone=row.zone,
        treatment=cast(TaxTreatment, row.treatment),
        seller=PartyOut(**row.seller),
        customer=PartyOut(**row.customer),
        lines=[
            InvoiceLineOut(
                position=line.position,
                mode=line.mode,
                chatbot=line.chatbot,
                quantity=line.quantity,
                net=plain(line.net),
                tax_name=line.tax_name,
                tax_rate=percent(line.rate),
                tax=plain(line.tax),
                amount=plain(line.amount),
            )
            for line in row.lines.all()
        ],
        taxes=[
            TaxLineOut(
                name=tax.name,
                rate=percent(tax.rate),
                net=plain(tax.net),
                tax=plain(tax.tax),
                amount=plain(tax.amount),
            )
            for tax in row.taxes.all()
        ],
    )


def credit_note_out(row: CreditNote) -> CreditNoteOut:
    """Return a credit note with its state."""
    return CreditNoteOut(
        id=row.pk,
        number=row.number,
        state=cast(CreditNoteState, row.status),
        reason=row.reason,
        requested_by=row.asked_by.get_username(),
        requested_at=row.asked_at,
        decided_by=row.decided_by.get_username() if row.decided_by else "",
        decided_at=row.decided_at,
        decision_reason=row.decision_reason,
        issued_on=row.issued_on,
    )


def rate_out(row: TaxRate) -> TaxRateOut:
    """Return a tax rate."""
    return TaxRateOut(
        id=row.pk,
        country=row.country,
        kind=cast(Service, row.kind),
        name=row.name,
        rate=percent(row.rate),
        valid_from=row.valid_from,
        valid_until=row.valid_until,
    )
