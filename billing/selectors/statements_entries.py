"""A month's entries: all of them for a file, and those that people made for a page."""

from collections.abc import Iterator
from dataclasses import dataclass

from django.db.models import Q, QuerySet

from billing.models import JournalEntry, Recharge, Wallet
from billing.models.books import MOVES
from billing.persistence import checkpoints
from billing.services.days import Month

CHUNK = 2_000
Row = JournalEntry


@dataclass(frozen=True, slots=True)
class Move:
    """A top-up or an adjustment: its effect on the balance, and its name for people.

    `recharge` is the ID of the top-up if it has a page.
    """

    at_us: int
    kind: str
    units: int
    name: str
    recharge: int | None


def statement_chunks(wallet: Wallet, month: Month) -> Iterator[list[tuple[JournalEntry, int]]]:
    """Yield every entry in order with the available balance after it, in chunks by key."""
    before = checkpoints.sums(wallet.pk, until_us=month.start_us).amounts
    balance = wallet.opening + before["spendable"]
    last_us, last_pk = month.start_us - 1, 0
    while True:
        behind = Q(at_us__gt=last_us) | Q(at_us=last_us, pk__gt=last_pk)
        chunk = list(_entries(wallet, month).filter(behind).order_by("at_us", "pk")[:CHUNK])
        told = []
        for entry in chunk:
            balance += entry.spendable
            told.append((entry, balance))
        if told:
            yield told
        if len(chunk) < CHUNK:
            return
        last_us, last_pk = chunk[-1].at_us, chunk[-1].pk


def moves_of(wallet: Wallet, month: Month, limit: int) -> tuple[list[Move], int]:
    """Return the month's first `limit` top-ups and adjustments, and the number of all."""
    rows = _entries(wallet, month).filter(kind__in=MOVES)
    entries = list(rows.order_by("at_us", "pk")[:limit])
    count = len(entries) if len(entries) < limit else rows.count()
    operations = [entry.operation_id for entry in entries]
    orders = wallet.orders.filter(operation_id__in=operations)
    references = dict(orders.values_list("operation_id", "reference"))
    return [_move(entry, references) for entry in entries], count


def _move(entry: JournalEntry, references: dict[str, str]) -> Move:
    word, _, key = entry.operation_id.partition(":")
    recharge = int(key) if word == "recharge" and key.isdecimal() and len(key) < 19 else None
    name = references.get(entry.operation_id) or entry.operation_id
    return Move(
        entry.at_us,
        entry.kind,
        entry.spendable + entry.held + entry.receivable,
        name if recharge is None else Recharge(pk=recharge).number,
        recharge,
    )


def _entries(wallet: Wallet, month: Month) -> QuerySet[JournalEntry]:
    return JournalEntry.objects.filter(
        wallet=wallet, at_us__gte=month.start_us, at_us__lt=month.end_us
    )
