"""Explain a figure: the exact entries that sum to it; and the plain list of all entries."""

from collections.abc import Iterator
from datetime import date, datetime
from typing import Any
from zoneinfo import ZoneInfo

from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET

from billing.models import Chatbot, JournalEntry, Wallet
from billing.money import plain
from billing.presentation import KIND_WORDS, kind_word, symbol
from billing.selectors import figures as now_figures
from billing.selectors.explain import Explained, Explanation, Figure, entries_of, explain
from billing.selectors.usage import CHARGES
from billing.selectors.wallets import wallet_get
from billing.views.common import given, link, number_of
from poolsite import access
from poolsite.csv_text import csv_file
from poolsite.operations.chips import chips_of
from poolsite.operations.lists import address
from poolsite.operations.pages import principal_of
from poolsite.paging import keyset_page

PAGE_ROWS = 50
ALL_CHARGES = "charges"  # as a type: what messages cost, held and returned
CSV_CHUNK = 2_000
MOST_COUNTED = 10_000


def figure_words() -> dict[str, tuple[str, str]]:
    """Leg → its name, and what it is."""
    return {
        "spendable": (_("Available balance"), _("Top-ups minus holds, charges and payouts.")),
        "held": (_("Held for messages"), _("Quoted prices of messages without a final result.")),
        "receivable": (
            _("Owed"),
            _("Debits that the balance did not cover. The next top-up pays them."),
        ),
        "revenue": (_("Charged"), _("Delivered messages and debits, minus credits.")),
        "cash": (_("Paid in minus paid out"), _("Counted from the outside: a top-up is negative.")),
    }


@require_GET
def explain_page(request: HttpRequest, slug: str, leg: str) -> HttpResponse | StreamingHttpResponse:
    """Any figure of a wallet as the list of entries that sum to it."""
    wallet = wallet_get(principal_of(request), slug)
    if leg not in figure_words():
        raise access.Hidden(leg)
    filters = given(request, "from", "until", "kind", "chatbot", "mode", "id")
    figure = _figure(wallet, leg, filters)
    if request.GET.get("format") == "csv":
        return _csv(wallet, entries_of(wallet, figure))
    after = request.GET.get("after", "")
    try:
        found = explain(wallet, figure, after=after, limit=PAGE_ROWS)
    except ValueError:
        raise access.Hidden(leg) from None
    live = now_figures.of(wallet)
    now = _live(live, leg) if figure.is_whole else None
    title, text = figure_words()[leg]
    names = dict(Chatbot.objects.filter(account=wallet.account).values_list("slug", "name"))
    context = {
        "wallet": wallet,
        "account": wallet.account,
        "currency_sign": symbol(wallet.account.currency).strip(),
        "leg": leg,
        "title": title,
        "text": text,
        "legs": [(name, words[0]) for name, words in figure_words().items()],
        "found": found,
        "journal": found.total - found.opening,
        "rows": [_row(wallet, each, names) for each in found.rows],
        "kinds": [
            (ALL_CHARGES, _("Charges and returns")),
            *((kind, kind_word(kind)) for kind in KIND_WORDS),
        ],
        "keep": [(name, filters[name]) for name in ("chatbot", "mode") if filters[name]],
        "filters": filters,
        "chips": _chips(filters),
        "filters_on": not figure.is_whole,
        "live": now,
        "pending": None if now is None else now - found.total,
        "waiting": _waiting(wallet, leg, live) if figure.is_whole and not after else [],
        "shown": _shown(found),
        "next_page": address(filters, after=found.next) if found.next else "",
        "back_url": address(filters) if after else "",
    }
    return render(request, "billing/explain.html", context)


def _figure(wallet: Wallet, leg: str, filters: dict[str, str]) -> Figure:
    zone = ZoneInfo(wallet.account.zone)
    kinds = tuple(sorted(CHARGES)) if filters["kind"] == ALL_CHARGES else ()
    if filters["kind"] in KIND_WORDS:
        kinds = (filters["kind"],)
    return Figure(
        leg,
        since=day_us(filters["from"], zone),
        until=day_us(filters["until"], zone, days=1),
        kinds=kinds,
        chatbot=filters["chatbot"],
        mode=filters["mode"],
        operation_id=filters["id"],
    )


def day_us(text: str, zone: ZoneInfo, days: int = 0) -> int:
    """Where a day begins (or ends) in the account's zone, µs since 1970; 0 for no such day."""
    try:
        day = date.fromisoformat(text)
        if days:
            day = date.fromordinal(day.toordinal() + days)
        at = datetime.combine(day, datetime.min.time(), zone)
    except (ValueError, OverflowError):
        return 0
    return max(0, int(at.timestamp() * 1_000_000))


def _row(wallet: Wallet, each: Explained, names: dict[str, str]) -> dict[str, Any]:
    entry = each.entry
    url = ""
    if each.message is not None:
        url = f"{link('message', wallet.slug)}?id="
    elif each.recharge is not None:
        url = link("recharge", wallet.slug, each.recharge.pk)
    return {
        "at": datetime.fromtimestamp(entry.at_us / 1_000_000, tz=timezone.get_current_timezone()),
        "kind": entry.kind,
        "word": kind_word(entry.kind, entry.spendable),
        "mode": entry.mode,
        "chatbot": entry.chatbot,
        "chatbot_name": names.get(entry.chatbot, entry.chatbot),
        "id": entry.operation_id,
        "name": each.recharge.number if each.recharge else entry.operation_id,
        "message_url": url if each.message is not None else "",
        "url": url,
        "why": each.adjustment.reason if each.adjustment else "",
        "people": ", ".join(each.operators),
        "amount": each.amount,
        "after": each.after,
        "seq": f"{entry.generation}:{entry.seq}",
    }


def _waiting(wallet: Wallet, leg: str, live: now_figures.Figures) -> list[dict[str, Any]]:
    """Entries that the books do not have yet, newest first."""
    return [
        {
            "at": datetime.fromtimestamp(
                change.at_us / 1_000_000, tz=timezone.get_current_timezone()
            ),
            "word": kind_word(change.kind, change.spendable),
            "id": change.id,
            "mode": change.mode,
            "amount": part,
            "message_url": f"{link('message', wallet.slug)}?id=" if change.of_message else "",
        }
        for change, part in now_figures.waiting(wallet, leg, live.seq)
    ]


def _live(live: now_figures.Figures, leg: str) -> int | None:
    """The figure as Redis has it now; None where Redis keeps no such figure or is away."""
    if live.status == "missing":
        return None
    return {"spendable": live.spendable, "held": live.held, "receivable": live.receivable}.get(leg)


def _chips(filters: dict[str, str]) -> list[dict[str, str]]:
    names = {
        "from": _("From"),
        "until": _("Until"),
        "kind": _("Type"),
        "chatbot": _("Chatbot"),
        "mode": _("Mode"),
        "id": _("Reference"),
    }
    return chips_of(filters, names)


def _shown(found: Explanation) -> str:
    return ngettext("%(n)s entry", "%(n)s entries", found.count) % {"n": f"{found.count:,}"}


# -- every entry ----------------------------------------------------------------------------------


@require_GET
def entries_page(request: HttpRequest, slug: str) -> HttpResponse | StreamingHttpResponse:
    """Every entry in the books, newest first; by type, day, or the beginning of a reference."""
    wallet = wallet_get(principal_of(request), slug)
    filters = given(request, "q", "kind", "from", "until")
    rows = _matching(wallet, filters)
    if request.GET.get("format") == "csv":
        return _csv(wallet, rows)
    before = _key(request.GET.get("before", ""))
    page = rows.filter(_older(*before)) if before else rows
    found, last = keyset_page(page.order_by("-generation", "-seq"), PAGE_ROWS)
    count = rows[: MOST_COUNTED + 1].count()
    context = {
        "wallet": wallet,
        "account": wallet.account,
        "rows": [_plain_row(entry) for entry in found],
        "filters": filters,
        "kinds": [(kind, kind_word(kind)) for kind in KIND_WORDS],
        "chips": _entry_chips(filters),
        "lag": now_figures.of(wallet).lag,
        "shown": _counted(count),
        "next_url": address(filters, before=f"{last.generation}.{last.seq}") if last else "",
        "back_url": address(filters) if before else "",
    }
    return render(request, "billing/entries.html", context)


def _counted(count: int) -> str:
    if count > MOST_COUNTED:
        return _("more than %(n)s entries") % {"n": f"{MOST_COUNTED:,}"}
    return ngettext("%(n)s entry", "%(n)s entries", count) % {"n": f"{count:,}"}


def _entry_chips(filters: dict[str, str]) -> list[dict[str, str]]:
    names = {"q": _("Reference"), "kind": _("Type"), "from": _("From"), "until": _("Until")}
    return chips_of(filters, names, {"kind": kind_word(filters["kind"])})


def _matching(wallet: Wallet, filters: dict[str, str]) -> QuerySet[JournalEntry]:
    zone = ZoneInfo(wallet.account.zone)
    rows = JournalEntry.objects.filter(wallet=wallet)
    if filters["q"]:
        rows = rows.filter(operation_id__startswith=filters["q"])
    if filters["kind"] in KIND_WORDS:
        rows = rows.filter(kind=filters["kind"])
    if since := day_us(filters["from"], zone):
        rows = rows.filter(at_us__gte=since)
    if until := day_us(filters["until"], zone, days=1):
        rows = rows.filter(at_us__lt=until)
    return rows


def _key(text: str) -> tuple[int, int] | None:
    generation, _dot, seq = text.partition(".")
    first, second = number_of(generation), number_of(seq)
    return None if first is None or second is None else (first, second)


def _older(generation: int, seq: int) -> Q:
    return Q(generation__lt=generation) | Q(generation=generation, seq__lt=seq)


def _plain_row(entry: JournalEntry) -> dict[str, Any]:
    at = datetime.fromtimestamp(entry.at_us / 1_000_000, tz=timezone.get_current_timezone())
    return {
        "entry": entry,
        "at": at,
        "word": kind_word(entry.kind, entry.spendable),
        "owed": -entry.receivable,
    }


def _csv(wallet: Wallet, rows: QuerySet[JournalEntry]) -> StreamingHttpResponse:
    head = ["generation", "seq", "time", "type", "reference", "mode", "chatbot"]
    head += ["spendable", "held", "owed", "charged"]
    return csv_file(f"{wallet.slug}-entries.csv", head, _csv_rows(rows))


def _csv_rows(rows: QuerySet[JournalEntry]) -> Iterator[list[Any]]:
    """The newest first, chunk by chunk by their key."""
    before: tuple[int, int] | None = None
    while True:
        page = rows.filter(_older(*before)) if before else rows
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
        before = (chunk[-1].generation, chunk[-1].seq)
