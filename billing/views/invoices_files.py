"""The files of an invoice, the same on the page and in the API."""

from collections.abc import Iterator

from django.http import HttpResponse, StreamingHttpResponse

from billing import money
from billing.invoicing.document import credit_note_document, invoice_document, percent
from billing.models import CreditNote, Invoice
from poolsite.csv_text import csv_file

CSV_HEAD = (
    *("invoice", "line", "mode", "chatbot", "quantity", "net", "tax name", "tax rate", "tax"),
    *("amount", "currency"),
)


def invoice_csv_file(invoice: Invoice) -> StreamingHttpResponse:
    """Return a row for each line; the amounts add up to the total."""
    return csv_file(f"{invoice.number}.csv", CSV_HEAD, _rows(invoice))


def invoice_pdf_file(invoice: Invoice) -> HttpResponse:
    """Return the invoice as a document."""
    return _pdf(invoice.number, invoice_document(invoice))


def credit_pdf_file(note: CreditNote) -> HttpResponse:
    """Return an issued credit note as a document."""
    return _pdf(note.number, credit_note_document(note))


def _pdf(number: str, document: bytes) -> HttpResponse:
    answer = HttpResponse(document, content_type="application/pdf")
    answer["Content-Disposition"] = f'attachment; filename="{number}.pdf"'
    return answer


def _rows(invoice: Invoice) -> Iterator[list[str]]:
    for line in invoice.lines.all():
        yield [
            invoice.number,
            str(line.position),
            line.mode or "other",
            line.chatbot,
            str(line.quantity),
            money.plain(line.net),
            line.tax_name,
            percent(line.rate),
            money.plain(line.tax),
            money.plain(line.amount),
            invoice.currency,
        ]
