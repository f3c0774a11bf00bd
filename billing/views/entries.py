"""Every entry of the books, newest first, as a page and as a file."""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import Any

from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET

from billing.models import JournalEntry, Wallet
from billing.money import plain
from billing.presentation import KIND_WORDS, kind_word, symbol
from billing.selectors import figures as now_figures
from billing.selectors.breakdown import balance_of
from billing.selectors.cursors import PageCursor, cursor_of, place_of
from billing.selectors.explain import PAGE_ROWS
from billing.selectors.messages_list import COUNTED
from billing.selectors.wallets import wallet_get
from billing.services.days import day_start_us
from billing.topics.lines import of_row
from billing.views.common import given
from billing.views.ledger import Part, by_day, ledger
from billing.views.messages_words import count_words
from poolsite.access.models import Account
from poolsite.console.chips import chips_of
from poolsite.console.days import day_of
from poolsite.console.lists import address
from poolsite.console.pages import principal_of
from poolsite.csv_text import csv_file
from poolsite.paging import keyset_page

FIGURE = "entries"  # in cursors
CSV_CHUNK = 2_000


@require_GET
def entries_page(request: HttpRequest, slug: str) -> HttpResponse | StreamingHttpResponse:
    """Show every entry in the books, newest first; by type, day, or the start of a reference."""
    wallet = wallet_get(principal_of(request), slug)
    filters = given(request, "q", "kind", "from", "until")
    rows = _matching(wallet, filters)
    if request.GET.get("format") == "csv":
        return journal_csv(wallet, rows)
    figure = f"{FIGURE}:{filters['until']}"
    before = _place(wallet, figure, request.GET.get("before", ""))
    page = rows.filter(before.older) if before else rows
    found, last = keyset_page(page.order_by("-generation", "-seq"), PAGE_ROWS)
    whole_days = not (filters["q"] or filters["kind"])
    balance = None
    if whole_days:
        until_us = day_us(filters["until"], wallet.account, days=1)
        balance = before.running if before else balance_of(wallet, until_us)
    parts, balance = _running(found, balance)
    count = rows[: COUNTED + 1].count()
    following = cursor_of(wallet, figure, last, balance) if last else ""
    listed = ledger(wallet, parts)
    context = {
        "wallet": wallet,
        "account": wallet.account,
        "rows": listed,
        "days": by_day(wallet, listed, summed=whole_days),
        "has_balance": balance is not None,
        "currency_sign": symbol(wallet.account.currency).strip(),
        "filters": filters,
        "kinds": [(kind, kind_word(kind)) for kind in KIND_WORDS],
        "chips": _entry_chips(filters),
        "lag": now_figures.of(wallet).lag,
        "shown": _counted(count),
        "next_url": address(filters, before=following) if following else "",
        "back_url": address(filters) if before else "",
    }
    return render(request, "billing/entries.html", context)


def _counted(count: int) -> str:
    known = count if count <= COUNTED else None
    return ngettext("%(n)s entry", "%(n)s entries", count) % {"n": count_words(known)}


def _entry_chips(filters: dict[str, str]) -> list[dict[str, str]]:
    names = {"q": _("Reference"), "kind": _("Type"), "from": _("From"), "until": _("Until")}
    return chips_of(filters, names, {"kind": kind_word(filters["kind"])})


def _matching(wallet: Wallet, filters: dict[str, str]) -> QuerySet[JournalEntry]:
    rows = JournalEntry.objects.filter(wallet=wallet)
    if filters["q"]:
        rows = rows.filter(operation_id__startswith=filters["q"])
    if filters["kind"] in KIND_WORDS:
        rows = rows.filter(kind=filters["kind"])
    if since := day_us(filters["from"], wallet.account):
        rows = rows.filter(at_us__gte=since)
    if until := day_us(filters["until"], wallet.account, days=1):
        rows = rows.filter(at_us__lt=until)
    return rows


def _running(entries: Sequence[JournalEntry], balance: int | None) -> tuple[list[Part], int | None]:
    """Return the entries with the available balance after each, and the balance before the last."""
    parts = []
    for entry in entries:
        parts.append(Part(of_row(entry), entry.spendable, balance, entry))
        balance = None if balance is None else balance - entry.spendable
    return parts, balance


def day_us(text: str, account: Account, days: int = 0) -> int:
    """Return where a day begins (or ends) in the account's time zone, in µs since 1970.

    Return 0 if the text is no day.
    """
    day = day_of(text)
    return 0 if day is None else max(0, day_start_us(account, day + timedelta(days=days)))


def _place(wallet: Wallet, figure: str, cursor: str) -> PageCursor | None:
    try:
        return place_of(wallet, figure, cursor)
    except ValueError:
        return None


def journal_csv(wallet: Wallet, rows: QuerySet[JournalEntry]) -> StreamingHttpResponse:
    head = ["generation", "seq", "time", "type", "reference", "mode", "chatbot"]
    head += ["spendable", "held", "owed", "charged"]
    return csv_file(f"{wallet.slug}-entries.csv", head, _csv_rows(rows))


def _csv_rows(rows: QuerySet[JournalEntry]) -> Iterator[list[Any]]:
    """Yield the newest first, in chunks by key."""
    before: PageCursor | None = None
    while True:
        page = rows.filter(before.older) if before else rows
        chunk = list(page.order_by("-generation", "-seq")[:CSV_CHUNK])
        for entry in chunk:
            at = datetime.fromtimestamp(entry.at_us / 1_000_000, tz=timezone.get_current_timezone())
            yield [
                *(entry.generation, entry.seq, at.isoformat(), entry.kind, entry.operation_id),
                *(entry.mode, entry.chatbot, plain(entry.spendable), plain(entry.held)),
                *(plain(-entry.receivable), plain(entry.revenue)),
            ]
        if len(chunk) < CSV_CHUNK:
            return
        before = PageCursor(chunk[-1].generation, chunk[-1].seq, None)
