"""One entry as the tables of all ledgers show it: breakdown, all entries, and live movements.

static/js/billing/wallet_lines.js draws the live movements, with the same texts.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from itertools import groupby
from urllib.parse import urlencode

from django.utils.translation import gettext as _

from billing.models import JournalEntry, Recharge, Wallet
from billing.presentation import LEDGER_WORDS, exact, kind_word, mode_word
from billing.presentation import amount as money
from billing.selectors.breakdown import DaySums, sums_of_days
from billing.services.days import zone_of
from billing.topics.lines import OF_MESSAGES, Moved
from billing.topics.wallets import names_of
from billing.views.common import link
from poolsite.moments import moment_of

NBSP = "\N{NO-BREAK SPACE}"


@dataclass(frozen=True)
class Part:
    """One entry, its part of the table's figure, and the figure after it.

    `balance` is None if unknown. `entry` is None until the books have it.
    """

    moved: Moved
    amount: int
    balance: int | None = None
    entry: JournalEntry | None = None


@dataclass(frozen=True)
class LedgerRow:
    """A part as text: `type` is the chip's label, `what` the purpose, `url` the page of the cause.

    `at` is in the account's time zone. `details` has the mode, and the figures that the amount does
    not show.
    """

    part: Part
    at: datetime
    chip: str
    type: str
    what: str
    reference: str
    url: str
    details: str = ""


@dataclass(frozen=True)
class Day:
    """The rows of one day of the account, under a heading that links to the day's breakdown.

    `sums` are of the whole day, including its rows on other pages; None if rows are filtered.
    """

    on: date
    url: str
    rows: list[LedgerRow]
    sums: DaySums | None = None


def ledger(wallet: Wallet, parts: Iterable[Part]) -> list[LedgerRow]:
    """Return the parts as rows, in order; three queries for the names of all causes."""
    listed = list(parts)
    names = names_of(wallet.pk, {part.moved.cause for part in listed})
    return [_row(wallet, part, names.get(part.moved.cause, "")) for part in listed]


def by_day(
    wallet: Wallet, rows: Sequence[LedgerRow], leg: str = "spendable", *, summed: bool = False
) -> list[Day]:
    """Return the rows by day; `summed` adds what each day moved of the balance."""
    sums = sums_of_days(wallet, {row.at.date() for row in rows}) if summed else {}
    return [
        Day(day, _breakdown(wallet, leg, day), list(its), sums.get(day))
        for day, its in groupby(rows, key=lambda row: row.at.date())
    ]


def _breakdown(wallet: Wallet, leg: str, day: date) -> str:
    days = urlencode({"from": day.isoformat(), "until": day.isoformat()})
    return f"{link('explain', wallet.slug, leg)}?{days}"


def _row(wallet: Wallet, part: Part, name: str) -> LedgerRow:
    moved = part.moved
    chip, word, what = _words(moved, name, wallet.account.currency)
    reference, url = _reference(wallet, moved)
    at = moment_of(moved.at_us).astimezone(zone_of(wallet.account))
    return LedgerRow(part, at, chip, word, what, reference, url, _beside(part.entry))


def _beside(entry: JournalEntry | None) -> str:
    """Native card · Held −0.0800 · Charged +0.0600; "" if the amount and its purpose show all."""
    if entry is None:
        return ""
    legs = ((_("Held"), entry.held), (_("Charged"), entry.revenue), (_("Owed"), -entry.receivable))
    moved = [f"{word}{NBSP}{exact(units, signed=True)}" for word, units in legs if units]
    if len(moved) + bool(entry.cash) < 2:
        return ""
    return " · ".join(filter(None, (mode_word(entry.mode), *moved)))


def _words(moved: Moved, name: str, currency: str) -> tuple[str, str, str]:
    """Return the chip, its label, and the purpose."""
    kind = moved.words
    if kind not in LEDGER_WORDS:
        return "", kind_word(kind), name or (_("1 message sent") if kind == "sent" else "")
    chip, word, one = LEDGER_WORDS[kind]
    text = str(one).replace("%(charged)s", money(moved.charged, currency))
    if name and moved.kind in OF_MESSAGES:
        text = _("%(name)s: %(text)s") % {"name": name, "text": text}
    elif name:
        text = name
    return chip, str(word), text


def _reference(wallet: Wallet, moved: Moved) -> tuple[str, str]:
    """Return what people call the entry, and the address of the page of its cause, or ""."""
    operation = moved.operation_id
    if not operation:
        return "–", ""
    if moved.kind in OF_MESSAGES:
        return operation, link("message", wallet.slug) + "?" + urlencode({"id": operation})
    word, _colon, key = operation.partition(":")
    if word == "recharge" and key.isdecimal() and len(key) < 19:
        return Recharge(pk=int(key)).number, link("recharge", wallet.slug, key)
    named = f"A-{key[:8]}" if word == "adjust" and key else operation
    return named, link("entries", wallet.slug) + "?" + urlencode({"q": operation})
