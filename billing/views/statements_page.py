"""The content of the page of statements: the months' bars, and one opened month with checks."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _

from billing.models import Chatbot, Wallet
from billing.presentation import MODE_LOOKS, amount, mode_word
from billing.selectors.statements import Opened, Statement, StatementLine, Year
from billing.selectors.statements_days import Days
from billing.services.days import month_after, month_before, zone_of
from billing.views.common import link
from billing.views.usage import series_of
from poolsite import dates

BAR = 148  # px of the most expensive month
MOVES_LIMIT = 50  # top-ups and adjustments listed on the page


@dataclass(frozen=True, slots=True)
class Segment:
    """A part of a bar, in px as SVG writes them."""

    look: str
    x: str
    width: str


@dataclass(frozen=True, slots=True)
class MonthRow:
    """A month in the list."""

    statement: Statement
    bar: list[Segment]
    bar_words: str
    pdf_from: str

    @property
    def anchor(self) -> str:
        """The row's anchor on the page."""
        return f"month-{self.statement.month.name}"


@dataclass(frozen=True, slots=True)
class StatementCheck:
    """Something that must hold, and the difference if it does not."""

    words: str
    difference: int


def look_of(mode: str) -> str:
    """Return how a mode is drawn; modes without their own colour share one."""
    return MODE_LOOKS.get(mode, "other")


def rows_of(year: Year) -> list[MonthRow]:
    """Return the year's months, newest first, with bars on one scale."""
    most = max((found.charges.units for found in year.months), default=0)
    return [
        MonthRow(found, _bar(found.modes, most), _bar_words(found), _pdf_from(found))
        for found in year.months
    ]


def legend_of(year: Year) -> list[tuple[str, str]]:
    """Return look and label of each mode with charges in the year, in the order of the bars."""
    names = dict.fromkeys(line.name for found in year.months for line in found.modes)
    ordered = [mode for mode in MODE_LOOKS if mode in names]
    ordered += [mode for mode in names if mode not in MODE_LOOKS]
    return [(look_of(mode), mode_word(mode) or _("Other")) for mode in ordered]


def form_of(year: Year) -> str:
    """Return the format of the columns: four digits where cents would hide money, else two."""
    figures = [
        units
        for found in year.months
        for units in (found.opening, found.top_ups.units, found.charges.units, found.closing)
    ]
    return "4" if any(units % 100 for units in figures) else ""


def totals_of(year: Year) -> dict[str, int]:
    """Return the row below the months."""
    months = year.months
    return {
        "opening": months[-1].opening,
        "top_ups": sum(found.top_ups.units for found in months),
        "charges": sum(found.charges.units for found in months),
        "adjusted": sum(found.adjusted for found in months),
        "closing": months[0].closing,
    }


def opened_of(year: Year, opened: Opened) -> dict[str, Any]:
    """Return one month in full."""
    wallet, found, days = opened.wallet, opened.statement, opened.days
    checks = _checks(year, opened)
    zone = zone_of(wallet.account)
    return {
        "statement": found,
        "checks": checks,
        "difference": next((check.difference for check in checks if check.difference), 0),
        "modes": [(look_of(m.name), mode_word(m.name) or _("Other"), m) for m in found.modes],
        "day_modes": [mode_word(m.name) or _("Other") for m in found.modes],
        "days": _day_rows(days, found.modes),
        "moves": [
            (
                datetime.fromtimestamp(move.at_us / 1_000_000, tz=zone),
                move,
                "" if move.recharge is None else link("recharge", wallet.slug, move.recharge),
            )
            for move in opened.moves
        ],
        "more_moves": opened.moves_count - len(opened.moves),
        "chart": _chart(wallet, days),
        "chatbots": _chatbots(wallet, found.chatbots),
        "calls": opened.calls,
        "promotional": opened.promotional,
    }


def _checks(year: Year, opened: Opened) -> list[StatementCheck]:
    """Return the comparisons, each with its difference."""
    found = opened.statement
    before = month_before(found.month.first)
    difference = found.opening - opened.opening_by_sum
    words = _("Opens with the closing balance of %(month)s") % {"month": dates.month(before)}
    if not found.opening and not opened.opening_by_sum:  # there may be no month before
        words = _("Opens at zero")
    checks = [
        StatementCheck(_("The lines add up to the closing balance"), found.difference),
        StatementCheck(words, difference),
        StatementCheck(
            _("The days add up to the charges"), found.charges.units - sum(opened.days.totals)
        ),
    ]
    if not found.is_over:
        checks.append(StatementCheck(_("Closes with the balance of the account"), year.unexplained))
    return checks


def _chatbots(wallet: Wallet, lines: Sequence[StatementLine]) -> list[tuple[str, StatementLine]]:
    """Return the charges of each chatbot, by name; a deleted chatbot keeps its slug."""
    charged = [line for line in lines if line.units]
    rows = Chatbot.objects.filter(account=wallet.account_id, slug__in=[e.name for e in charged])
    names = dict(rows.values_list("slug", "name"))
    return [(names.get(line.name) or line.name or _("Other"), line) for line in charged]


def _day_rows(days: Days, modes: Sequence[StatementLine]) -> list[tuple[Any, list[int], int]]:
    none = [0] * len(days.days)
    return [
        (day, [days.by_mode.get(line.name, none)[place] for line in modes], total)
        for place, (day, total) in enumerate(zip(days.days, days.totals, strict=True))
    ]


def _chart(wallet: Wallet, days: Days) -> dict[str, Any]:
    """Return the data that static/js/billing/usage.js draws."""
    names = [day.isoformat() for day in days.days]
    return {
        "currency": wallet.account.currency,
        "explain_url": reverse("billing:explain", args=[wallet.slug, "revenue"]),
        "data": {
            "days": names,
            "untils": names,
            "labels": [str(day.day) for day in days.days],
            "titles": [dates.weekday(day) for day in days.days],
            "step_word": _("Day"),
            "series": series_of(days.by_mode, {}),
            "totals": days.totals,
        },
    }


def _bar(modes: Sequence[StatementLine], most: int) -> list[Segment]:
    """Return the segments of a month, 1 px apart; those thinner than a pixel are left out."""
    segments, x = [], 0.0
    for line in modes:
        width = BAR * line.units / most if most > 0 else 0
        if width >= 1:
            segments.append(Segment(look_of(line.name), f"{x:.1f}", f"{width - 1:.1f}"))
        x += max(width, 0)
    return segments


def _bar_words(found: Statement) -> str:
    return ", ".join(f"{mode_word(m.name) or _('Other')} {amount(m.units)}" for m in found.modes)


def _pdf_from(found: Statement) -> str:
    """Return when a month gets its PDF, as text; "" once it has one."""
    if found.is_final:
        return ""
    if found.is_over:
        return _("PDF soon")
    return _("PDF on %(day)s") % {"day": dates.day(month_after(found.month.first))}
