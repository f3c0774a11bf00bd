"""The files of a month's statement, the same on the page and in the API."""

from collections.abc import Iterator
from datetime import datetime
from zoneinfo import ZoneInfo

from django.http import HttpResponse, StreamingHttpResponse

from billing import money
from billing.models import JournalEntry, Wallet
from billing.selectors.calls_charged import ExplainedInterval, explained
from billing.selectors.statements import Opened
from billing.selectors.statements_entries import statement_chunks
from billing.services.days import Month, zone_of
from billing.views.statements_pdf import statement_document
from poolsite.csv_text import csv_file

CSV_HEAD = (
    *("at", "sequence", "kind", "operation", "chatbot", "mode"),
    *("in", "out", "balance", "held in", "held out", "owed more", "owed less"),
    *("charged seconds", "explanation"),
)


def statement_csv_file(wallet: Wallet, month: Month) -> StreamingHttpResponse:
    """Return every entry of the month with the balance after it; a million rows need no memory."""
    name = f"statement-{wallet.slug}-{month.name}.csv"
    return csv_file(name, CSV_HEAD, _rows(wallet, month))


def statement_pdf_file(found: Opened) -> HttpResponse:
    """Return the document of a final statement."""
    name = f"statement-{found.wallet.slug}-{found.statement.month.name}.pdf"
    answer = HttpResponse(statement_document(found), content_type="application/pdf")
    answer["Content-Disposition"] = f'attachment; filename="{name}"'
    return answer


def _rows(wallet: Wallet, month: Month) -> Iterator[list[str]]:
    zone = zone_of(wallet.account)
    for chunk in statement_chunks(wallet, month):
        calls = explained(wallet, (entry for entry, _ in chunk))
        for entry, balance in chunk:
            yield _row(entry, balance, calls.get(entry.operation_id), zone)


def _row(
    entry: JournalEntry, balance: int, call: ExplainedInterval | None, zone: ZoneInfo
) -> list[str]:
    settled = call if entry.kind == "settle" else None
    return [
        datetime.fromtimestamp(entry.at_us / 1_000_000, tz=zone).isoformat(),
        f"{entry.generation}:{entry.seq}",
        entry.kind,
        entry.operation_id,
        entry.chatbot,
        entry.mode,
        *_in_and_out(entry.spendable),
        money.plain(balance),
        *_in_and_out(entry.held),
        *_in_and_out(-entry.receivable),
        str(settled.seconds or "") if settled else "",
        settled.text if settled else "",
    ]


def _in_and_out(units: int) -> tuple[str, str]:
    """Return two columns without signs: spreadsheets read a cell with a minus as a formula."""
    if units >= 0:
        return (money.plain(units) if units else "", "")
    return ("", money.plain(-units))
