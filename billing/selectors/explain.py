"""Explain this balance: any figure as the exact list of entries that sum to it, page by page."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from django.db.models import Count, QuerySet, Sum

from billing.models import Adjustment, JournalEntry, Message, MoneyOrder, Recharge, Wallet
from billing.persistence import checkpoints
from billing.persistence.entries import MONEY_KINDS
from billing.selectors.cursors import cursor_of, place_of

LEGS: Final = ("spendable", "held", "receivable", "revenue", "cash")
PAGE_ROWS: Final = 50
MOST_ROWS: Final = 1_000


@dataclass(frozen=True)
class Figure:
    """Which figure: one leg of one wallet, and which entries it counts. Empty = all of them.

    `since` and `until` are µs, [since, until). The customer's figures of now have no filter.
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
        """Whether every entry counts, so that the opening balance does too."""
        return self == Figure(self.leg)

    @property
    def is_a_time(self) -> bool:
        """Whether every entry of some time counts: then checkpoints stand for what they sum up."""
        return self == Figure(self.leg, self.since, self.until)


@dataclass(frozen=True)
class Explained:
    """One entry: its part of the figure, the figure after it, and what it belongs to."""

    entry: JournalEntry
    amount: int
    after: int
    message: Message | None = None
    recharge: Recharge | None = None
    order: MoneyOrder | None = None
    adjustment: Adjustment | None = None

    @property
    def operators(self) -> tuple[str, ...]:
        """Who asked for it and who approved it, when people did."""
        if self.adjustment is None:
            return (self.recharge.requested_by,) if self.recharge else ()
        people = (self.adjustment.asked_by, self.adjustment.decided_by)
        return tuple(str(person) for person in people if person is not None)


@dataclass(frozen=True)
class Explanation:
    """A page, newest first. opening + every page's amounts = total. `next` = "" on the last."""

    figure: Figure
    opening: int
    total: int
    count: int
    rows: Sequence[Explained]
    next: str


def explain(
    wallet: Wallet, figure: Figure, *, after: str = "", limit: int = PAGE_ROWS
) -> Explanation:
    """Return the entries that sum to the figure as SQL knows it, newest first.

    after: `next` of the page before; ValueError when it is none. Entries that SQL does not have
    yet are `wallet.entries(slug, since=wallet.seq)`. Entries whose leg is 0 are left out.
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
    found = list(page[: limit + 1])
    rows = []
    for entry in found[:limit]:
        amount = sign * getattr(entry, figure.leg)
        rows.append(Explained(entry, amount, running))
        running -= amount
    more = len(found) > limit
    last = rows[-1].entry if rows else None
    following = cursor_of(wallet, repr(figure), last, running) if more and last else ""
    return Explanation(figure, opening, total, count, _linked(wallet, rows), following)


def _sum(wallet: Wallet, figure: Figure, entries: QuerySet[JournalEntry]) -> tuple[int, int]:
    """The sum of the figure's entries, and how many there are."""
    if figure.is_a_time:
        found = checkpoints.sums(wallet.pk, figure.since, figure.until)
        return found.amounts[figure.leg], found.counts[figure.leg]
    told = entries.aggregate(total=Sum(figure.leg), count=Count("pk"))
    return int(told["total"] or 0), int(told["count"])


def entries_of(wallet: Wallet, figure: Figure) -> QuerySet[JournalEntry]:
    """The entries that sum to the figure, in no order."""
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


def _linked(wallet: Wallet, rows: Sequence[Explained]) -> list[Explained]:
    """Put the message, the recharge and the people beside each entry: four queries a page."""
    ids = {row.entry.operation_id for row in rows if row.entry.kind not in MONEY_KINDS}
    operations = {row.entry.operation_id for row in rows if row.entry.kind in MONEY_KINDS}
    messages = Message.objects.filter(wallet=wallet, message_id__in=ids)
    by_id = {message.message_id: message for message in messages}
    orders = {
        order.operation_id: order
        for order in MoneyOrder.objects.filter(wallet=wallet, operation_id__in=operations)
    }
    adjustments = {
        row.operation_id: row
        for row in Adjustment.objects.filter(
            wallet=wallet, operation_id__in=operations
        ).select_related("asked_by", "decided_by")
    }
    recharges = _recharges(wallet, operations)
    return [
        replace(
            row,
            message=by_id.get(row.entry.operation_id) if row.entry.operation_id in ids else None,
            order=orders.get(row.entry.operation_id),
            adjustment=adjustments.get(row.entry.operation_id),
            recharge=recharges.get(row.entry.operation_id),
        )
        for row in rows
    ]


def _recharges(wallet: Wallet, operations: Iterable[str]) -> dict[str, Recharge]:
    """By operation id, which is `recharge:<id>` for what a customer paid."""
    keys = {}
    for operation in operations:
        word, _, key = operation.partition(":")
        if word == "recharge" and key.isdecimal() and len(key) < 19:
            keys[int(key)] = operation
    rows = Recharge.objects.filter(wallet=wallet, pk__in=keys)
    return {keys[row.pk]: row for row in rows}
