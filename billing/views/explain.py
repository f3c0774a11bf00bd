"""Explain a figure: the exact entries that sum to it."""

from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET

from billing.models import Wallet
from billing.presentation import KIND_WORDS, MINUS, kind_word, symbol
from billing.selectors import figures as now_figures
from billing.selectors.breakdown import ADDED, steps_of
from billing.selectors.explain import Explanation, Figure, entries_of, explain
from billing.selectors.usage import CHARGES
from billing.selectors.wallets import wallet_get
from billing.topics.lines import of_change, of_row
from billing.views.common import given, link
from billing.views.entries import day_us, journal_csv
from billing.views.ledger import Part, by_day, ledger
from poolsite import access
from poolsite.console.chips import chips_of
from poolsite.console.lists import address
from poolsite.console.pages import principal_of

ALL_CORRECTIONS = "adjustments"  # as a type: entries that are neither a charge nor a top-up
ALL_CHARGES = "charges"  # as a type: what messages cost, held and returned


def figure_words() -> dict[str, tuple[str, str]]:
    """Return the name and the description of each leg."""
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
    """Show any figure of a wallet as the list of entries that sum to it."""
    wallet = wallet_get(principal_of(request), slug)
    if leg not in figure_words():
        raise access.Hidden(leg)
    filters = given(request, "from", "until", "kind", "chatbot", "mode", "id")
    figure = _figure(wallet, leg, filters)
    if request.GET.get("format") == "csv":
        return journal_csv(wallet, entries_of(wallet, figure))
    after = request.GET.get("after", "")
    try:
        found = explain(wallet, figure, after=after)
    except ValueError:
        raise access.Hidden(leg) from None
    live = now_figures.of(wallet)
    now = _live(live, leg) if figure.is_whole else None
    waiting = _waiting(wallet, leg, live) if figure.is_whole and not after else []
    title, text = figure_words()[leg]
    steps = _steps(wallet, figure, filters)
    base = 0 if figure.is_whole else steps["steps"] and steps["steps"].closing - found.total
    listed = ledger(wallet, [*waiting, *_parts(found, base)])
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
        **steps,
        "has_balance": base is not None,
        "rows": listed,
        "days": by_day(wallet, listed, leg),
        "kinds": [
            (ALL_CHARGES, _("Charges and returns")),
            (ALL_CORRECTIONS, _("Adjustments")),
            *((kind, kind_word(kind)) for kind in KIND_WORDS),
        ],
        "keep": [(name, filters[name]) for name in ("chatbot", "mode") if filters[name]],
        "filters": filters,
        "chips": _chips(filters),
        "filters_on": not figure.is_whole,
        "live": now,
        "pending": None if now is None else now - found.total,
        "pending_part": None if now is None else _signed(now - found.total),
        "shown": _shown(found),
        "next_page": address(filters, after=found.next) if found.next else "",
        "back_url": address(filters) if after else "",
    }
    return render(request, "billing/explain.html", context)


def _figure(wallet: Wallet, leg: str, filters: dict[str, str]) -> Figure:
    groups = {
        ALL_CHARGES: sorted(CHARGES),
        ALL_CORRECTIONS: sorted(KIND_WORDS.keys() - CHARGES - {ADDED}),
    }
    kind = filters["kind"]
    kinds = tuple(groups.get(kind, (kind,) if kind in KIND_WORDS else ()))
    return Figure(
        leg,
        since=day_us(filters["from"], wallet.account),
        until=day_us(filters["until"], wallet.account, days=1),
        kinds=kinds,
        chatbot=filters["chatbot"],
        mode=filters["mode"],
        operation_id=filters["id"],
    )


def _parts(found: Explanation, base: int | None) -> list[Part]:
    """Return the page's entries. `base` is the start of the running figure, None to omit it."""
    return [
        Part(
            of_row(each.entry),
            each.amount,
            None if base is None else base + each.after,
            each.entry,
        )
        for each in found.rows
    ]


def _waiting(wallet: Wallet, leg: str, live: now_figures.WalletFigures) -> list[Part]:
    """Return the entries that have not reached the books, newest first."""
    return [
        Part(of_change(change), part) for change, part in now_figures.waiting(wallet, leg, live.seq)
    ]


def _steps(wallet: Wallet, figure: Figure, filters: dict[str, str]) -> dict[str, Any]:
    """Return the steps that moved a balance, each with the page of the entries that make it."""
    found = steps_of(wallet, figure)
    if found is None:
        return {"steps": None}
    days = {name: filters[name] for name in ("from", "until") if filters[name]}
    parts = [
        (found.added, _("topped up"), "spendable", {"kind": ADDED}),
        (-found.charged, _("charged"), "revenue", {"kind": ALL_CHARGES}),
        (found.corrected, _("adjusted"), "spendable", {"kind": ALL_CORRECTIONS}),
        (-found.held, _("held for messages"), "held", {}),
        (found.owed, _("still owed"), "receivable", {}),
    ]
    return {
        "steps": found,
        "step_parts": [
            {
                **_signed(units),
                "word": word,
                "url": f"{link('explain', wallet.slug, leg)}?{urlencode({**query, **days})}",
            }
            for units, word, leg, query in parts
            if units
        ],
    }


def _signed(units: int) -> dict[str, Any]:
    return {"sign": MINUS if units < 0 else "+", "units": abs(units)}


def _live(live: now_figures.WalletFigures, leg: str) -> int | None:
    """Return the figure in Redis now, or None if Redis has no such figure or is away."""
    if live.status == "missing":
        return None
    return {"spendable": live.balance, "held": live.held, "receivable": live.receivable}.get(leg)


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
