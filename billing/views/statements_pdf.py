"""The statement of a finished month as a document: sums by mode and day, never each message."""

from collections.abc import Sequence
from datetime import datetime

from django.conf import settings
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from billing.models import Wallet
from billing.presentation import exact, kind_word, mode_word
from billing.selectors.calls_charged import Calls
from billing.selectors.statements import Opened, Statement
from billing.selectors.statements_days import Days
from billing.selectors.statements_entries import Move
from billing.services.days import zone_of
from poolsite import dates
from poolsite.paper import Column, Paper, labelled

MOVES_LIMIT = 200  # listed individually; the rest is counted


def statement_document(opened: Opened) -> bytes:
    """Return the PDF, in the active language. The same month gives the same bytes."""
    wallet, found, days = opened.wallet, opened.statement, opened.days
    account, zone = wallet.account, zone_of(wallet.account)
    closed = datetime.fromtimestamp(found.month.end_us / 1_000_000, tz=zone)
    name = dates.month(found.month.first)
    title = _("Statement for %(month)s") % {"month": name}
    footer = f"{settings.PLATFORM_NAME} · {account.name} · {title}"
    paper = Paper(f"{title} · {account.name}", closed, footer)
    paper.text(title, 18, bold=True)
    paper.text(account.name, 12)
    paper.space(4)
    as_of = f"{date_format(closed, 'DATETIME_EXACT_FORMAT')} ({account.zone})"
    paper.facts(
        (
            (_("Period"), f"{date_format(days.days[0])} – {date_format(days.days[-1])}"),
            (_("Currency"), account.currency),
            (_("Time zone"), account.zone),
            (_("Generated as of"), as_of),
        )
    )
    _sums(paper, wallet, found)
    _modes(paper, found)
    _calls(paper, opened.calls)
    _moves(paper, wallet, opened.moves, opened.moves_count)
    _by_day(paper, days, found)
    return paper.finish()


def _sums(paper: Paper, wallet: Wallet, found: Statement) -> None:
    paper.heading(_("Summary"), rows=6)
    rows = [
        (_("Opening balance"), exact(found.opening)),
        (pgettext("money", "Top-ups"), exact(found.top_ups.units, signed=True)),
        (_("Charges"), exact(-found.charges.units, signed=True)),
        *((kind_word(line.name), exact(line.units, signed=True)) for line in found.adjustments),
        (_("Closing balance"), exact(found.closing)),
    ]
    columns = [Column("", 3), Column(wallet.account.currency, 1, is_figure=True)]
    paper.table(columns, rows, last_is_total=True)
    parts = [(_("Available"), found.available), (_("Held"), found.held)]
    if found.owed:
        parts.append((_("Owed"), found.owed))
    told = (labelled(label, exact(units)) for label, units in parts)
    paper.text(" · ".join(told), 8, muted=True)


def _modes(paper: Paper, found: Statement) -> None:
    paper.heading(_("Charged by mode"))
    if not found.modes:
        paper.text(_("No charges this month."), muted=True)
        return
    columns = [
        Column(_("Mode"), 3),
        Column(_("Count"), 1, is_figure=True),
        Column(_("Amount"), 1, is_figure=True),
    ]
    rows = [
        (mode_word(line.name) or _("Other"), f"{line.count:,}", exact(line.units))
        for line in found.modes
    ]
    rows.append((_("Total"), f"{found.charges.count:,}", exact(found.charges.units)))
    paper.table(columns, rows, last_is_total=True)


def _calls(paper: Paper, calls: Calls) -> None:
    """Add a row for each destination with its rate; nothing for a month without calls."""
    if not calls.lines:
        return
    paper.heading(_("Calls by destination"))
    columns = [
        Column(_("Destination and rate"), 4),
        Column(_("Calls"), 1, is_figure=True),
        Column(_("Seconds"), 1, is_figure=True),
        Column(_("Amount"), 1, is_figure=True),
    ]
    rows = [
        (line.explanation, f"{line.calls:,}", f"{line.seconds:,}", exact(line.units))
        for line in calls.lines
    ]
    rows.append((_("Total"), f"{calls.calls:,}", f"{calls.seconds:,}", exact(calls.units)))
    paper.table(columns, rows, last_is_total=True)
    if calls.more:
        text = ngettext(
            "%(count)s more destination is in the total.",
            "%(count)s more destinations are in the total.",
            calls.more,
        )
        paper.text(text % {"count": f"{calls.more:,}"}, muted=True)


def _moves(paper: Paper, wallet: Wallet, moves: Sequence[Move], count: int) -> None:
    paper.heading(_("Top-ups and adjustments"))
    if not moves:
        paper.text(_("No top-ups or adjustments this month."), muted=True)
        return
    columns = [
        Column(_("When"), 1.6),
        Column(_("Type"), 1.4),
        Column(_("Reference"), 2.6),
        Column(_("Amount"), 1.2, is_figure=True),
    ]
    zone = zone_of(wallet.account)
    rows = [
        (
            date_format(
                datetime.fromtimestamp(move.at_us / 1_000_000, tz=zone), "DATETIME_EXACT_FORMAT"
            ),
            kind_word(move.kind),
            move.name,
            exact(move.units, signed=True),
        )
        for move in moves
    ]
    paper.table(columns, rows)
    more = count - len(moves)
    if more:
        text = ngettext(
            "%(count)s more entry is in the CSV file.",
            "%(count)s more entries are in the CSV file.",
            more,
        )
        paper.text(text % {"count": f"{more:,}"}, muted=True)


def _by_day(paper: Paper, days: Days, found: Statement) -> None:
    """Add a row per day with the charges by mode; nothing for a month without charges."""
    modes = [line.name for line in found.modes if line.name in days.by_mode]
    if not modes:
        return
    paper.heading(_("Charges by day"))
    columns = [
        Column(_("Day"), 1),
        *(Column(mode_word(mode) or _("Other"), 1, is_figure=True) for mode in modes),
        Column(_("Total"), 1, is_figure=True),
    ]
    rows = [
        (date_format(day), *(exact(days.by_mode[mode][place]) for mode in modes), exact(total))
        for place, (day, total) in enumerate(zip(days.days, days.totals, strict=True))
    ]
    sums = (exact(sum(days.by_mode[mode])) for mode in modes)
    rows.append((_("Total"), *sums, exact(sum(days.totals))))
    paper.table(columns, rows, size=7.5, last_is_total=True)
