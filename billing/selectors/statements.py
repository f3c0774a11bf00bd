"""Monthly statements, straight from the journal: opening + entries = closing, exactly.

The balance of a statement is what we owe the customer: the available amount and the holds, less the
amount owed. A hold does not change it; a charge, a top-up and an adjustment do.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Final

from django.db import connection, transaction
from django.utils import timezone
from redis.exceptions import RedisError

from billing import servers
from billing import wallet as commands
from billing.models import JournalEntry, Wallet
from billing.models.books import CHARGED
from billing.persistence import checkpoints
from billing.persistence.entries import PROMOTION_KINDS
from billing.pricing.modes import MODES
from billing.selectors.calls_charged import Calls, calls_of
from billing.selectors.promotions import used_between
from billing.selectors.statements_days import Days, charges_by_day
from billing.selectors.statements_entries import Move, moves_of
from billing.services.days import Month, month_at, month_of
from poolsite import hotpath
from poolsite.moments import moment_of

TOP_UP: Final = "recharge"
CALLS_LIMIT: Final = 50  # destinations in one statement


@dataclass(frozen=True, slots=True)
class StatementLine:
    """The entries of one kind, mode or chatbot: their number and their sum."""

    name: str
    count: int
    units: int


@dataclass(frozen=True)
class Statement:
    """One month. `charges` is positive and lowers the balance; `adjustments` have their sign.

    `is_final`: the month is over and all its entries are in SQL.
    """

    month: Month
    opening: int
    closing: int
    held: int
    owed: int
    top_ups: StatementLine
    charges: StatementLine
    adjustments: list[StatementLine]
    modes: list[StatementLine]
    chatbots: list[StatementLine]
    is_over: bool
    is_final: bool

    @property
    def adjusted(self) -> int:
        """The sum of credits, debits, refunds, chargebacks and promotional credits."""
        return sum(line.units for line in self.adjustments)

    @property
    def available(self) -> int:
        """What could be spent at the end of the month."""
        return self.closing - self.held + self.owed

    @property
    def difference(self) -> int:
        """The closing balance less the sum of the lines: 0 unless the books are damaged."""
        lines = self.opening + self.top_ups.units - self.charges.units + self.adjusted
        return self.closing - lines


@dataclass(frozen=True)
class Opened:
    """One month in full. `moves` are the first of `moves_count`.

    `opening_by_sum` is the balance before the month, summed without the month before. `calls` are
    listed by rate, the first CALLS_LIMIT. `promotional` is the part of the charges that was paid
    with promotional credit.
    """

    wallet: Wallet
    statement: Statement
    days: Days
    moves: list[Move]
    moves_count: int
    opening_by_sum: int
    calls: Calls
    promotional: int = 0


@dataclass(frozen=True)
class Year:
    """The statements of one year, newest first, as the books are at one moment.

    `opened` is the month that was asked for. `unexplained` is the wallet's own balance less that of
    its journal, 0 unless damaged.
    """

    wallet: Wallet
    year: int
    years: Sequence[int]
    months: Sequence[Statement]
    unexplained: int
    opened: Opened | None

    @property
    def balance(self) -> int:
        """The balance that the wallet itself records."""
        return _of_wallet(self.wallet)


@contextmanager
def one_moment() -> Iterator[None]:
    """Read everything inside the block as of one moment, even while the books change."""
    with transaction.atomic():
        if connection.vendor == "postgresql" and len(connection.atomic_blocks) == 1:
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        yield


def statements_of(wallet: Wallet, year: int, asked: Month | None, moves: int) -> Year:
    """Return the year's statements (0: the year of `asked`, or this year), and `asked` in full.

    `moves` limits the listed top-ups and adjustments of that month.
    """
    complete = _complete_until(wallet)
    with one_moment():
        wallet = Wallet.objects.select_related("account").get(pk=wallet.pk)
        begun = month_at(wallet.account, _begun(wallet)).first
        now = month_at(wallet.account).first
        begun = min(begun, now, asked.first if asked else now)
        years = range(now.year, begun.year - 1, -1)
        year = year or (asked.first.year if asked else now.year)
        months = _months(wallet, year, begun, now)
        found, unexplained = _statements(wallet, months, complete) if months else ([], 0)
        opened = next((each for each in found if each.month == asked), None)
        full = _opened(wallet, opened, moves) if opened else None
    return Year(wallet, year, years, found[::-1], unexplained, full)


def statement_of(wallet: Wallet, month: Month, moves: int) -> Opened:
    """Return one month in full."""
    complete = _complete_until(wallet)
    with one_moment():
        wallet = Wallet.objects.select_related("account").get(pk=wallet.pk)
        return _opened(wallet, _statements(wallet, [month], complete)[0][0], moves)


def _opened(wallet: Wallet, found: Statement, moves: int) -> Opened:
    month = found.month
    listed, count = moves_of(wallet, month, moves)
    before = checkpoints.sums(wallet.pk, until_us=month.start_us).amounts
    by_sum = wallet.opening + checkpoints.moved(before)
    days, calls = charges_by_day(wallet, month), calls_of(wallet, month, CALLS_LIMIT)
    used = used_between(wallet, *(moment_of(us) for us in (month.start_us, month.end_us)))
    return Opened(wallet, found, days, listed, count, by_sum, calls, used)


def _statements(
    wallet: Wallet, months: Sequence[Month], complete: datetime | None
) -> tuple[list[Statement], int]:
    """Return the statements of consecutive months, and the wallet's balance less its journal's."""
    bounds = [month.start_us for month in months] + [months[-1].end_us]
    before, *within, after = checkpoints.spans(wallet.pk, bounds)
    held, owed = before.amounts["held"], -before.amounts["receivable"]
    closing = wallet.opening + checkpoints.moved(before.amounts)
    found = []
    for month, span in zip(months, within, strict=True):
        opening, closing = closing, closing + checkpoints.moved(span.amounts)
        held += span.amounts["held"]
        owed -= span.amounts["receivable"]
        found.append(_statement(month, span, (opening, closing, held, owed), complete))
    return found, _of_wallet(wallet) - closing - checkpoints.moved(after.amounts)


def _statement(
    month: Month,
    span: checkpoints.Span,
    figures: tuple[int, int, int, int],
    complete: datetime | None,
) -> Statement:
    end = datetime.fromtimestamp(month.end_us / 1_000_000, tz=UTC)
    is_over = end <= timezone.now()
    kinds = {
        name: StatementLine(name, count, moved if name in PROMOTION_KINDS else -(revenue + cash))
        for name, (count, moved, revenue, cash) in span.lines["kind"].items()
    }
    charged = [line for name, line in kinds.items() if name in CHARGED]
    others = [line for name, line in kinds.items() if name not in CHARGED and name != TOP_UP]
    modes = _modes(span, -sum(line.units for line in charged))
    return Statement(
        month,
        *figures,
        top_ups=kinds.get(TOP_UP, StatementLine(TOP_UP, 0, 0)),
        charges=StatementLine("", sum(m.count for m in modes), sum(m.units for m in modes)),
        adjustments=sorted((line for line in others if line.units), key=lambda line: line.name),
        modes=modes,
        chatbots=sorted(_lines(span, "chatbot"), key=lambda line: (-line.units, line.name)),
        is_over=is_over,
        is_final=is_over and complete is not None and complete >= end,
    )


def _modes(span: checkpoints.Span, charged: int) -> list[StatementLine]:
    """Return the charges by mode in their fixed order; charges without a mode come last."""
    by_name = {line.name: line for line in _lines(span, "mode")}
    known = [by_name.pop(mode) for mode in MODES if mode in by_name]
    found = [*known, *sorted(by_name.values(), key=lambda line: line.name)]
    rest = charged - sum(line.units for line in found)
    by_hand = span.lines["kind"].get("by_hand", [0])[0]
    return [*found, StatementLine("", by_hand, rest)] if rest else found


def _lines(span: checkpoints.Span, by: str) -> list[StatementLine]:
    return [
        StatementLine(name, count, units) for name, (count, _, units, _c) in span.lines[by].items()
    ]


def _of_wallet(wallet: Wallet) -> int:
    return wallet.spendable + wallet.held - wallet.receivable


def _months(wallet: Wallet, year: int, first: date, last: date) -> list[Month]:
    """Return the months of a year that lie in [first, last], oldest first."""
    days = [date(year, number, 1) for number in range(1, 13)]
    return [month_of(wallet.account, f"{d:%Y-%m}") for d in days if first <= d <= last]


def _begun(wallet: Wallet) -> datetime:
    first = JournalEntry.objects.filter(wallet=wallet).order_by("at_us").first()
    if first is None:
        return wallet.created_at
    return min(datetime.fromtimestamp(first.at_us / 1_000_000, tz=UTC), wallet.created_at)


def _complete_until(wallet: Wallet) -> datetime | None:
    """Return the time up to which SQL has every entry. Call this before reading SQL."""
    newest = JournalEntry.objects.filter(wallet=wallet).order_by("-generation", "-seq").first()
    written = None if newest is None else datetime.fromtimestamp(newest.at_us / 1_000_000, tz=UTC)
    if newest is not None and newest.at_us >= month_at(wallet.account).start_us:
        return written
    try:
        live = servers.path(wallet).run(commands.balance(wallet.slug))
    except (hotpath.HotPathError, RedisError, OSError):
        return written
    # By the clock that times the entries: on another machine's, the month may have ended before.
    return moment_of(live.as_of_us) if live is not None and live.backlog == 0 else written
