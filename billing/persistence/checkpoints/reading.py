"""Sums over any period of a journal: whole stretches, and the entries outside of these."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from django.db.models import Count, OuterRef, Q, QuerySet, Sum

from billing.models import JournalCheckpoint, JournalEntry

LEGS: Final = ("spendable", "held", "receivable", "revenue", "cash")
LINES: Final = ("kind", "mode", "chatbot")
Lines = dict[str, dict[str, list[int]]]


@dataclass
class Sums:
    """The sum of each leg, and the number of entries that change it."""

    amounts: dict[str, int] = field(default_factory=lambda: dict.fromkeys(LEGS, 0))
    counts: dict[str, int] = field(default_factory=lambda: dict.fromkeys(LEGS, 0))

    def add(self, leg: str, amount: int, count: int) -> None:
        """Add the sum and number of some entries to a leg."""
        self.amounts[leg] += amount
        self.counts[leg] += count


def sums(wallet_id: int, since_us: int = 0, until_us: int = 0) -> Sums:
    """Sum the wallet's entries of [since, until), by stretches where possible. 0 means no limit."""
    whole, rest = _cover(of_wallet(wallet_id).defer("lines"), wallet_id, since_us, until_us)
    found = Sums()
    for checkpoint in whole:
        for leg in LEGS:
            found.add(leg, getattr(checkpoint, leg), checkpoint.counts[leg])
    asked: dict[str, Any] = {}
    for leg in LEGS:
        asked[f"{leg}_sum"] = Sum(leg)
        asked[f"{leg}_count"] = Count("pk", filter=~Q(**{leg: 0}))
    told = rest.aggregate(**asked)
    for leg in LEGS:
        found.add(leg, int(told[f"{leg}_sum"] or 0), int(told[f"{leg}_count"]))
    return found


def moved(amounts: Mapping[str, int]) -> int:
    """Return how much entries moved the balance: available, plus held, less what is owed."""
    return amounts["spendable"] + amounts["held"] + amounts["receivable"]


def add_line(found: dict[str, list[int]], name: str, figures: Sequence[int]) -> None:
    before = found.get(name, [0, 0, 0, 0])
    found[name] = [one + other for one, other in zip(before, figures, strict=True)]


def _cover(
    checkpoints: Iterable[JournalCheckpoint], wallet_id: int, since_us: int, until_us: int
) -> tuple[list[JournalCheckpoint], QuerySet[JournalEntry]]:
    """Return the stretches completely in [since, until), and the other entries of that period."""
    rest = Q()
    whole: list[JournalCheckpoint] = []
    last: JournalCheckpoint | None = None
    for checkpoint in checkpoints:
        last = checkpoint
        begins_in = checkpoint.first_us >= since_us
        ends_in = not until_us or checkpoint.last_us < until_us
        if begins_in and ends_in:
            whole.append(checkpoint)
        elif checkpoint.last_us >= since_us and (not until_us or checkpoint.first_us < until_us):
            span = (checkpoint.first_seq, checkpoint.last_seq)
            rest |= Q(generation=checkpoint.generation, seq__range=span)
    rows = JournalEntry.objects.filter(wallet_id=wallet_id)
    if last is not None:
        rows = rows.filter(rest | after(last))
    if since_us:
        rows = rows.filter(at_us__gte=since_us)
    if until_us:
        rows = rows.filter(at_us__lt=until_us)
    return whole, rows


def of_wallet(wallet_id: int | OuterRef) -> QuerySet[JournalCheckpoint]:
    """Return a wallet's checkpoints in the order of its journal."""
    rows = JournalCheckpoint.objects.filter(wallet_id=wallet_id)
    return rows.order_by("generation", "first_seq")


def after(checkpoint: JournalCheckpoint) -> Q:
    """Return the condition for entries after a checkpoint."""
    return Q(generation__gt=checkpoint.generation) | Q(
        generation=checkpoint.generation, seq__gt=checkpoint.last_seq
    )
