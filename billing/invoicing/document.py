"""Invoices and credit notes as PDFs. They are made only from stored data, so they never change."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from django.conf import settings
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from billing.models import CreditNote, Invoice, InvoiceLine, Treatment
from billing.presentation import exact, mode_word
from poolsite import dates
from poolsite.paper import Column, Paper


def invoice_document(invoice: Invoice) -> bytes:
    """Return the PDF of an invoice, in the active language."""
    title = _("Invoice %(number)s") % {"number": invoice.number}
    paper = _paper(title, invoice, invoice.issued_at)
    paper.facts((*_common(invoice), (_("Issued on"), date_format(invoice.issued_on))))
    _parties(paper, invoice)
    _lines(paper, invoice)
    _taxes(paper, invoice)
    _settlement(paper, invoice)
    return paper.finish()


def credit_note_document(note: CreditNote) -> bytes:
    """Return the PDF of an issued credit note, in the active language."""
    invoice = note.invoice
    title = _("Credit note %(number)s") % {"number": note.number}
    paper = _paper(title, invoice, note.issued_at or invoice.issued_at)
    cancelled = f"{invoice.number}, {date_format(invoice.issued_on)}"
    paper.facts(
        (
            (_("Cancels the invoice"), cancelled),
            *_common(invoice),
            (_("Issued on"), date_format(note.issued_on) if note.issued_on else ""),
            (_("Reason"), note.reason),
        ),
    )
    _parties(paper, invoice)
    _taxes(paper, invoice, sign=-1)
    paper.space(6)
    paper.text(_("The invoice is cancelled as a whole. The balance doesn't change."), 8, muted=True)
    return paper.finish()


def rate_words(name: str, rate: int) -> str:
    """Return a tax with its rate: "VAT 6%", "VAT 5.5%"."""
    return f"{name} {percent(rate)}%".strip()


def percent(rate: int) -> str:
    """Return a rate in 1/100 percent as percent without trailing zeros: "6", "5.5"."""
    whole, rest = divmod(rate, 100)
    return f"{whole}.{rest:02}".rstrip("0").rstrip(".")


def line_words(line: InvoiceLine) -> str:
    """Return what a line charges for."""
    return mode_word(line.mode) or _("Other charges")


def treatment_words(treatment: str) -> str:
    """Return the text that an untaxed invoice must have, or ""."""
    return {
        Treatment.EXEMPT: _("Exempt from tax."),
        Treatment.REVERSE_CHARGE: _("Reverse charge: the customer owes the tax."),
    }.get(Treatment(treatment), "")


def _paper(title: str, invoice: Invoice, at: datetime) -> Paper:
    footer = f"{invoice.seller.get('name', '')} · {title}"
    paper = Paper(f"{title} · {settings.PLATFORM_NAME}", at, footer)
    paper.text(title, 18, bold=True)
    paper.space(4)
    return paper


def _common(invoice: Invoice) -> tuple[tuple[str, str], ...]:
    zone = ZoneInfo(invoice.zone)
    first, last = (
        datetime.fromtimestamp(us / 1_000_000, zone) for us in (invoice.start_us, invoice.end_us)
    )
    last -= timedelta(days=1)
    period = f"{date_format(first.date())} – {date_format(last.date())} ({invoice.zone})"
    return (
        (_("Month"), dates.month(invoice.month)),
        (_("Period"), period),
        (_("Currency"), invoice.currency),
    )


def _parties(paper: Paper, invoice: Invoice) -> None:
    for heading, party in (
        (_("Seller"), invoice.seller),
        (_("Customer"), invoice.customer),
    ):
        paper.heading(heading)
        for line in party_lines(party):
            paper.text(line)


def party_lines(party: Mapping[str, str]) -> list[str]:
    """Return the lines of a seller or customer: name, address, country, tax ID."""
    lines = [
        party.get("name", ""),
        *party.get("address", "").splitlines(),
        party.get("country", ""),
    ]
    if party.get("tax_id"):
        lines.append(_("Tax ID: %(value)s") % {"value": party["tax_id"]})
    return [line for line in lines if line]


def _lines(paper: Paper, invoice: Invoice) -> None:
    paper.heading(_("Usage"))
    columns = [
        Column(_("Service"), 2),
        Column(_("Chatbot"), 2),
        Column(_("Quantity"), 1, is_figure=True),
        Column(_("Net"), 1.2, is_figure=True),
        Column(_("Tax"), 1.2, is_figure=True),
        Column(_("Amount"), 1.3, is_figure=True),
    ]
    lines = list(invoice.lines.all())
    rows = [
        (
            line_words(line),
            line.chatbot_name or line.chatbot or "–",
            f"{line.quantity:,}",
            exact(line.net),
            exact(line.tax),
            exact(line.amount),
        )
        for line in lines
    ]
    count = f"{sum(line.quantity for line in lines):,}"
    sums = (exact(invoice.net), exact(invoice.tax), exact(invoice.total))
    rows.append((_("Total"), "", count, *sums))
    paper.table(columns, rows, size=8, last_is_total=True)


def _taxes(paper: Paper, invoice: Invoice, sign: int = 1) -> None:
    paper.heading(_("Tax"))
    columns = [
        Column(_("Tax"), 3),
        Column(_("Net"), 1, is_figure=True),
        Column(_("Tax"), 1, is_figure=True),
        Column(_("Amount"), 1, is_figure=True),
    ]
    rows = [
        (
            rate_words(tax.name, tax.rate) if tax.name else _("No tax"),
            *(exact(sign * units) for units in (tax.net, tax.tax, tax.amount)),
        )
        for tax in invoice.taxes.all()
    ]
    sums = (exact(sign * units) for units in (invoice.net, invoice.tax, invoice.total))
    rows.append((_("Total"), *sums))
    paper.table(columns, rows, last_is_total=True)
    if words := treatment_words(invoice.treatment):
        paper.text(words, muted=True)


def _settlement(paper: Paper, invoice: Invoice) -> None:
    paper.heading(_("Payment"), rows=3)
    rows = [
        (_("Total including tax"), exact(invoice.total)),
        (_("Paid from the balance"), exact(-invoice.paid, signed=True)),
        (_("Amount due"), exact(invoice.due)),
    ]
    columns = [Column("", 3), Column(invoice.currency, 1, is_figure=True)]
    paper.table(columns, rows, last_is_total=True)
    paper.space(6)
    paper.text(_("Prices include tax. Charges are paid from the balance."), 8, muted=True)
