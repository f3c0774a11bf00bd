"""Explain a balance: any figure as the exact list of entries that sum to it, page by page."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from django.db.models import Count, QuerySet, Sum

from billing.models import JournalEntry, Wallet
from billing.persistence import checkpoints
from billing.selectors.cursors import cursor_of, place_of
from poolsite.paging import keyset_page

LEGS: Final = ("spendable", "held", "receivable", "revenue", "cash")
PAGE_ROWS: Final = 50
MOST_ROWS: Final = 1_000


@dataclass(frozen=True)
class Figure:
    """A figure: one leg of one wallet, and the entries it counts. Empty fields count all entries.

    `since` and `until` are µs, [since, until). The current figures of a customer have no filter.
    """

    leg: str = "spendable"
    since: int = 0
    until: int = 0
    kinds: tuple[str, ...] = ()
    chatbot: str = ""
    mode: str = ""
    operation_id: str = ""

    def __post_init__(self) -> None:
        if self.leg not in LEGS:
            raise ValueError(f"no such leg: {self.leg!r}")

    @property
    def is_whole(self) -> bool:
        """Whether every entry counts, so that the opening balance counts, too."""
        return self == Figure(self.leg)

    @property
    def is_a_time(self) -> bool:
        """Whether every entry of a time counts; then checkpoints can replace the entries."""
        return self == Figure(self.leg, self.since, self.until)


@dataclass(frozen=True)
class ExplainedEntry:
    """One entry: its part of the figure, and the figure after it."""

    entry: JournalEntry
    amount: int
    after: int


@dataclass(frozen=True)
class Explanation:
    """A page, newest first. opening + every page's amounts = total. `next` is "" on the last."""

    figure: Figure
    opening: int
    total: int
    count: int
    rows: Sequence[ExplainedEntry]
    next: str


def explain(
    wallet: Wallet, figure: Figure, *, after: str = "", limit: int = PAGE_ROWS
) -> Explanation:
    """Return the entries that sum to the figure according to SQL, newest first.

    `after` is `next` of the page before; raise ValueError if it is not. Entries that have not
    reached SQL are `wallet.entries(slug, since=wallet.seq)`. Entries whose leg is 0 are left out.
    """
    limit = max(1, min(limit, MOST_ROWS))
    entries = entries_of(wallet, figure)
    opening = wallet.opening if figure.leg == "spendable" and figure.is_whole else 0
    sign = -1 if figure.leg == "receivable" else 1
    moved, count = _sum(wallet, figure, entries)
    total = opening + sign * moved
    place = place_of(wallet, repr(figure), after) if after else None
    running = total if place is None or place.running is None else place.running
    page = entries.order_by("-generation", "-seq")
    if place:
        page = page.filter(place.older)
    found, last = keyset_page(page, limit)
    rows = []
    for entry in found:
        amount = sign * getattr(entry, figure.leg)
        rows.append(ExplainedEntry(entry, amount, running))
        running -= amount
    following = cursor_of(wallet, repr(figure), last, running) if last else ""
    return Explanation(figure, opening, total, count, rows, following)


def _sum(wallet: Wallet, figure: Figure, entries: QuerySet[JournalEntry]) -> tuple[int, int]:
    """Return the sum of the figure's entries, and their number."""
    if figure.is_a_time:
        found = checkpoints.sums(wallet.pk, figure.since, figure.until)
        return found.amounts[figure.leg], found.counts[figure.leg]
    told = entries.aggregate(total=Sum(figure.leg), count=Count("pk"))
    return int(told["total"] or 0), int(told["count"])


def entries_of(wallet: Wallet, figure: Figure) -> QuerySet[JournalEntry]:
    """Return the entries that sum to the figure, in no order."""
    rows = JournalEntry.objects.filter(wallet=wallet).exclude(**{figure.leg: 0})
    if figure.since:
        rows = rows.filter(at_us__gte=figure.since)
    if figure.until:
        rows = rows.filter(at_us__lt=figure.until)
    if figure.kinds:
        rows = rows.filter(kind__in=figure.kinds)
    for name in ("chatbot", "mode", "operation_id"):
        if getattr(figure, name):
            rows = rows.filter(**{name: getattr(figure, name)})
    return rows
