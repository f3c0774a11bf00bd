"""Monthly statements: a page that prints, and a file with every entry."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from billing import money
from billing.models import JournalEntry, Wallet
from billing.selectors.statements import months_of, statement, statement_rows
from billing.selectors.wallets import wallet_get
from billing.services.days import Month, month_at, month_of, zone_of
from billing.views.common import link
from poolsite.csv_text import csv_file
from poolsite.operations.pages import principal_of

CSV_HEAD = (
    *("at", "sequence", "kind", "operation", "chatbot", "mode"),
    *("in", "out", "balance", "held in", "held out", "owed more", "owed less"),
)


@require_GET
def statements(request: HttpRequest, slug: str) -> HttpResponse:
    """The months that have a statement."""
    wallet = wallet_get(principal_of(request), slug)
    months = months_of(wallet)
    context = {"wallet": wallet, "months": months, "current": months[0] if months else None}
    return render(request, "billing/statements/statements.html", context)


@require_GET
def statement_page(request: HttpRequest, slug: str, month: str) -> HttpResponse:
    """One month: opening, what came and went, closing."""
    wallet = wallet_get(principal_of(request), slug)
    found = statement(wallet, _month(wallet, month))
    zone = zone_of(wallet.account)
    context: dict[str, Any] = {
        "wallet": wallet,
        "statement": found,
        "zone": wallet.account.zone,
        "moves": [
            (datetime.fromtimestamp(entry.at_us / 1_000_000, tz=zone), entry, *named)
            for entry, named in zip(found.moves, _names(wallet, found.moves), strict=True)
        ],
    }
    return render(request, "billing/statements/statement.html", context)


def _names(wallet: Wallet, moves: Sequence[JournalEntry]) -> list[tuple[str, str]]:
    """What a person calls each movement, and the address of its page ("" = it has none)."""
    operations = [entry.operation_id for entry in moves]
    orders = wallet.orders.filter(operation_id__in=operations)
    references = dict(orders.values_list("operation_id", "reference"))
    named = []
    for operation in operations:
        kind, _, key = operation.partition(":")
        if kind == "recharge" and key.isdecimal():
            named.append((f"R{int(key):08d}", link("recharge", wallet.slug, int(key))))
        else:
            named.append((references.get(operation) or operation, ""))
    return named


@require_GET
def statement_csv(request: HttpRequest, slug: str, month: str) -> StreamingHttpResponse:
    """Every entry of the month with the balance after it; a million rows need no memory."""
    wallet = wallet_get(principal_of(request), slug)
    rows = _rows(wallet, _month(wallet, month))
    return csv_file(f"statement-{slug}-{month}.csv", CSV_HEAD, rows)


def _month(wallet: Wallet, name: str) -> Month:
    """A month of the address. Http404: none, to come, or before anything can have been."""
    try:
        found = month_of(wallet.account, name)
    except ValueError:
        raise Http404 from None
    if not found.first.year >= 2000 or found.first > month_at(wallet.account).first:
        raise Http404
    return found


def _rows(wallet: Wallet, month: Month) -> Iterator[list[str]]:
    zone = zone_of(wallet.account)
    for entry, balance in statement_rows(wallet, month):
        yield [
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
        ]


def _in_and_out(units: int) -> tuple[str, str]:
    """Two columns without signs: a cell that begins with a minus is a formula to a spreadsheet."""
    if units >= 0:
        return (money.plain(units) if units else "", "")
    return ("", money.plain(-units))
