"""Monthly statements: a page with the months of a year, and files of each."""

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET

from billing import money
from billing.models import Wallet
from billing.pricing.modes import MODES
from billing.selectors.statements import Statement, Year, statement_of, statements_of
from billing.selectors.statements_asked import month_asked, year_asked
from billing.selectors.wallets import wallet_get
from billing.views import statements_page as shown
from billing.views.common import number_of
from billing.views.statements_files import statement_csv_file, statement_pdf_file
from billing.views.statements_pdf import MOVES_LIMIT
from poolsite.console.pages import principal_of
from poolsite.csv_text import csv_file

YEAR_HEAD = (
    *("account", "currency", "month", "state", "opening", "top-ups", "charges"),
    *(f"charges {mode}" for mode in (*MODES, "other")),
    *("adjustments", "closing", "available", "held", "owed"),
)


@require_GET
def statements(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the months of a year (`year`, or this one)."""
    wallet = wallet_get(principal_of(request), slug)
    found = _year(wallet, request.GET.get("year", ""))
    if "closed" not in request.GET and len(found.years) == 1 and len(found.months) == 1:
        # If there is only one month, open it at once.
        found = statements_of(wallet, 0, found.months[0].month, shown.MOVES_LIMIT)
    return render(request, "billing/statements/statements.html", _context(found))


@require_GET
def statement_page(request: HttpRequest, slug: str, month: str) -> HttpResponse:
    """Show the months with one of them opened: its sum, its days, its modes."""
    wallet = wallet_get(principal_of(request), slug)
    found = statements_of(wallet, 0, month_asked(wallet, month), shown.MOVES_LIMIT)
    title = {"month": found.opened.statement.month} if found.opened else {}
    return render(request, "billing/statements/statements.html", {**_context(found), **title})


def _context(found: Year) -> dict[str, Any]:
    form = shown.form_of(found)
    return {
        "form": form,
        "signed": f"+{form}",
        "wallet": found.wallet,
        "account": found.wallet.account,
        "year": found,
        "rows": shown.rows_of(found),
        "legend": shown.legend_of(found),
        "totals": shown.totals_of(found),
        "opened": shown.opened_of(found, found.opened) if found.opened else None,
    }


@require_GET
def statement_csv(request: HttpRequest, slug: str, month: str) -> StreamingHttpResponse:
    """Return every entry of the month with the balance after it; a million rows need no memory."""
    wallet = wallet_get(principal_of(request), slug)
    return statement_csv_file(wallet, month_asked(wallet, month))


@require_GET
def statement_pdf(request: HttpRequest, slug: str, month: str) -> HttpResponse:
    """Return the statement as a document, once the month is over and complete in the books."""
    wallet = wallet_get(principal_of(request), slug)
    found = statement_of(wallet, month_asked(wallet, month), MOVES_LIMIT)
    if not found.statement.is_final:
        messages.warning(request, _("The PDF is available once the month is complete."))
        return redirect("billing:statement", slug, month)
    return statement_pdf_file(found)


@require_GET
def year_csv(request: HttpRequest, slug: str, year: int) -> StreamingHttpResponse:
    """Return a row for each month of the year."""
    wallet = wallet_get(principal_of(request), slug)
    found = _year(wallet, str(year))
    rows = [_year_row(wallet, month) for month in reversed(found.months)]
    return csv_file(f"statements-{slug}-{year}.csv", YEAR_HEAD, rows)


def _year(wallet: Wallet, asked: str) -> Year:
    """Return the statements of a year.

    Raise Http404 for a text that is no year, a year in the future or before the first.
    """
    number = number_of(asked) if asked else 0
    if number is None or not (number == 0 or 2000 <= number <= 9998) or asked == "0":
        raise Http404
    return year_asked(wallet, number)


def _year_row(wallet: Wallet, found: Statement) -> list[str]:
    by_mode = {line.name: line.units for line in found.modes}
    other = sum(units for mode, units in by_mode.items() if mode not in MODES)
    state = "final" if found.is_final else "closing" if found.is_over else "running"
    amounts = [
        *(found.opening, found.top_ups.units, found.charges.units),
        *(by_mode.get(mode, 0) for mode in MODES),
        *(other, found.adjusted, found.closing, found.available, found.held, found.owed),
    ]
    account = wallet.account
    told = [account.name, account.currency, found.month.name, state]
    return [*told, *map(money.plain, amounts)]
