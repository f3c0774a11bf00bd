"""Monthly statements, straight from the journal: opening + entries = closing, to the unit."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

from django.db.models import Q, QuerySet
from django.utils import timezone
from redis.exceptions import RedisError

from billing import servers
from billing import wallet as door
from billing.models import JournalEntry, Wallet
from billing.persistence import checkpoints
from billing.services.days import Month, month_at, month_of
from poolsite import hotpath

MOVES_LIMIT = 500  # movements listed one by one on the page; the CSV has every entry
CHUNK = 2_000
Row = JournalEntry


@dataclass(frozen=True, slots=True)
class Line:
    """The entries of one kind (or mode, or chatbot), summed up."""

    name: str
    count: int
    spendable: int
    revenue: int
    cash: int


@dataclass(frozen=True)
class Statement:
    """One month. `opening + Σ lines.spendable = closing` holds by construction and by a test.

    `is_final`: the month is over and everything of it is in SQL; else as of `as_of`.
    """

    wallet: Wallet
    month: Month
    opening: int
    closing: int
    held: int
    receivable: int
    kinds: list[Line]
    modes: list[Line]
    chatbots: list[Line]
    moves: list[JournalEntry]
    more_moves: bool
    is_final: bool
    as_of: datetime | None

    @property
    def change(self) -> int:
        """What the month did to the balance."""
        return self.closing - self.opening

    @property
    def entries(self) -> int:
        """How many entries stand in the month."""
        return sum(line.count for line in self.kinds)


def months_of(wallet: Wallet) -> list[Month]:
    """The months that have a statement, newest first: from the wallet's first to this one."""
    now, found = month_at(wallet.account), []
    oldest = month_at(wallet.account, _begun(wallet))
    while now.first >= oldest.first:
        found.append(now)
        year, month = divmod(now.first.year * 12 + now.first.month - 2, 12)
        now = month_of(wallet.account, f"{year:04d}-{month + 1:02d}")
    return found


def _begun(wallet: Wallet) -> datetime:
    first = JournalEntry.objects.filter(wallet=wallet).order_by("at_us").first()
    if first is None:
        return wallet.created_at
    at = datetime.fromtimestamp(first.at_us / 1_000_000, tz=timezone.get_default_timezone())
    return min(at, wallet.created_at)


def statement(wallet: Wallet, month: Month) -> Statement:
    """The statement of one month, by checkpoints of the journal: whatever its length."""
    before = checkpoints.sums(wallet.pk, until_us=month.start_us).amounts
    within = checkpoints.sums(wallet.pk, month.start_us, month.end_us).amounts
    lines = checkpoints.lines(wallet.pk, month.start_us, month.end_us)
    opening = wallet.opening + before["spendable"]
    moves = list(_moves(_entries(wallet, month))[: MOVES_LIMIT + 1])
    return Statement(
        wallet=wallet,
        month=month,
        opening=opening,
        closing=opening + within["spendable"],
        held=before["held"] + within["held"],
        receivable=-(before["receivable"] + within["receivable"]),
        kinds=_lines(lines["kind"]),
        modes=_lines(lines["mode"]),
        chatbots=_lines(lines["chatbot"]),
        moves=moves[:MOVES_LIMIT],
        more_moves=len(moves) > MOVES_LIMIT,
        is_final=_is_final(wallet, month),
        as_of=wallet.persisted_at,
    )


def _is_final(wallet: Wallet, month: Month) -> bool:
    """The month is over, and the books have passed its end or Redis has nothing they lack."""
    end = datetime.fromtimestamp(month.end_us / 1_000_000, tz=UTC)
    if timezone.now() < end:
        return False
    if wallet.persisted_at is not None and wallet.persisted_at >= end:
        return True
    try:
        live = servers.path(wallet).run(door.balance(wallet.slug))
    except (hotpath.HotPathError, RedisError, OSError):
        return False
    return live is not None and live.backlog == 0


def statement_rows(wallet: Wallet, month: Month) -> Iterator[tuple[JournalEntry, int]]:
    """Every entry of the month in order, with the balance after it; chunk by chunk, by its key."""
    before = checkpoints.sums(wallet.pk, until_us=month.start_us).amounts
    balance = wallet.opening + before["spendable"]
    last_us, last_pk = month.start_us - 1, 0
    while True:
        behind = Q(at_us__gt=last_us) | Q(at_us=last_us, pk__gt=last_pk)
        chunk = list(_entries(wallet, month).filter(behind).order_by("at_us", "pk")[:CHUNK])
        for entry in chunk:
            balance += entry.spendable
            yield entry, balance
        if len(chunk) < CHUNK:
            return
        last_us, last_pk = chunk[-1].at_us, chunk[-1].pk


def _entries(wallet: Wallet, month: Month) -> QuerySet[JournalEntry]:
    return JournalEntry.objects.filter(
        wallet=wallet, at_us__gte=month.start_us, at_us__lt=month.end_us
    )


def _moves(entries: QuerySet[JournalEntry]) -> QuerySet[JournalEntry]:
    """What moved money in or out, one by one: top-ups, credits, debits, refunds."""
    return entries.filter(~Q(cash=0) | ~Q(receivable=0)).order_by("at_us", "pk")


def _lines(found: dict[str, list[int]]) -> list[Line]:
    return [Line(name, *figures) for name, figures in sorted(found.items())]
