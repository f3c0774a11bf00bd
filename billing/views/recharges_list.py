"""An account's top-ups: filtered, sorted, summed, and as a file."""

from collections.abc import Iterator
from typing import Any

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET

from billing import money
from billing.models import Recharge, Wallet
from billing.presentation import amount
from billing.recharging import variants
from billing.selectors.people import names_of
from billing.selectors.recharges import SHOWS, RechargeQuery, recharge_years
from billing.selectors.wallets import wallet_get
from billing.views.common import link, may_pay
from billing.views.receipt import state_of
from poolsite.console import tables
from poolsite.console.pages import principal_of
from poolsite.console.tables import SqlColumn
from poolsite.console.templatetags.console import figure
from poolsite.csv_text import csv_file

CSV_HEAD = (
    *("number", "created", "amount", "currency", "status", "provider", "reference"),
    *("credited", "refunded", "automatic", "requested by"),
)


@require_GET
def recharges(request: HttpRequest, slug: str) -> HttpResponse | StreamingHttpResponse:
    """Show an account's top-ups with filters; `?format=csv` returns them as a file."""
    principal = principal_of(request)
    wallet = wallet_get(principal, slug)
    text = tables.text_of(request, "q")
    show = tables.choice_of(request, "show", _("State"), _shows())
    offered = variants.configured()
    methods = [("", _("All payment methods")), *((each.name, each.label) for each in offered)]
    variant = tables.choice_of(request, "variant", _("Payment method"), methods)
    years = recharge_years(wallet)
    options = [("", _("All years")), *((str(year), str(year)) for year in years)]
    year = tables.choice_of(request, "year", _("Year"), options)
    query = RechargeQuery(show.value, variant.value, int(year.value or 0), text)
    if request.GET.get("format") == "csv":
        return csv_file(f"top-ups-{wallet.slug}.csv", CSV_HEAD, _csv_rows(wallet, query))
    choices = [show]
    if len(offered) > 1:
        choices.append(variant)
    if len(years) > 1:
        choices.append(year)
    pays = may_pay(principal, wallet)
    return tables.answer(
        request,
        "billing/recharges/recharges.html",
        query.rows(wallet),
        _columns(),
        given={"q": text, "show": show.value, "variant": variant.value, "year": year.value},
        file="top-ups",
        dress=_dressed,
        context={
            "wallet": wallet,
            "text": text,
            "choices": choices,
            "shown": _sums(query, wallet),
            "may_pay": pays and wallet.status != Wallet.Status.CLOSED,
            "may_cancel": pays,
            "refund_url": link("refund_ask", slug),
        },
    )


def _dressed(rows: list[Recharge]) -> list[tuple[Recharge, tuple[str, str, str], str, str]]:
    names = names_of(row.requested_by for row in rows)
    return [
        (row, state_of(row), variants.label_of(row.variant), names[row.requested_by])
        for row in rows
    ]


def _sums(query: RechargeQuery, wallet: Wallet) -> str:
    """Return how many top-ups match, and what was paid by them, as text."""
    count, paid = query.sums(wallet)
    words = ngettext("%(n)s top-up, %(paid)s paid", "%(n)s top-ups, %(paid)s paid", count)
    return words % {"n": figure(count), "paid": amount(paid, wallet.account.currency)}


def _columns() -> list[SqlColumn[Any]]:
    """Return the table headings; the file has its own columns."""
    return [
        SqlColumn("number", _("Number"), lambda row: row.number, order=("pk",), falls=True),
        SqlColumn("state", _("State"), lambda row: row.status, order=("status",)),
        SqlColumn("amount", _("Amount"), lambda row: row.amount, right=True, order=("amount",)),
        SqlColumn("refunded", _("Refunded"), lambda row: row.reversed, right=True),
        SqlColumn("method", _("Payment method"), lambda row: row.variant),
        SqlColumn("requested_by", _("Requested by"), lambda row: row.requested_by),
        SqlColumn("created", _("When"), lambda row: row.created, order=("created",), falls=True),
    ]


def _shows() -> list[tuple[str, str]]:
    words = {
        "": _("All states"),
        "paid": _("Paid"),
        "waiting": _("Not paid yet"),
        "failed": _("Failed or cancelled"),
        "refunded": _("Refunded"),
    }
    return [(value, words[value]) for value in SHOWS]


def _csv_rows(wallet: Wallet, query: RechargeQuery) -> Iterator[list[str]]:
    for row in query.every(wallet):
        yield [
            row.number,
            row.created.isoformat(),
            money.plain(row.amount),
            row.currency,
            row.status,
            row.variant,
            row.transaction_id,
            row.credited_at.isoformat() if row.credited_at else "",
            money.plain(row.reversed),
            "yes" if row.is_automatic else "",
            row.requested_by,
        ]
