"""Sums over consecutive periods of a journal: the months of a year by three queries."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Case, Count, IntegerField, Q, QuerySet, Sum, Value, When

from billing.models import JournalCheckpoint, JournalEntry
from billing.persistence.checkpoints.reading import LEGS, LINES, Lines, add_line, after, of_wallet


@dataclass
class Span:
    """The sums of a period. The period before the first bound has no lines.

    `lines`: by kind, mode and chatbot: name → count, spendable, revenue, cash.
    """

    amounts: dict[str, int] = field(default_factory=lambda: dict.fromkeys(LEGS, 0))
    lines: Lines = field(default_factory=lambda: {by: {} for by in LINES})


def spans(wallet_id: int, bounds: Sequence[int]) -> list[Span]:
    """Sum the journal up to bounds[0], between the bounds, and from the last bound on.

    `bounds`: µs, ascending. A stretch inside a single span is used in place of its entries.
    """
    found = [Span() for _ in range(len(bounds) + 1)]
    checkpoints = of_wallet(wallet_id)
    _add_earlier(found[0], checkpoints, bounds[0])
    cut = Q()
    for checkpoint in checkpoints.filter(last_us__gte=bounds[0]):
        place = bisect_right(bounds, checkpoint.first_us)
        if place == bisect_right(bounds, checkpoint.last_us):
            _add_checkpoint(found[place], checkpoint)
        else:
            stretch = (checkpoint.first_seq, checkpoint.last_seq)
            cut |= Q(generation=checkpoint.generation, seq__range=stretch)
    last = checkpoints.defer("lines").last()
    rest = JournalEntry.objects.filter(wallet_id=wallet_id)
    if last is not None:
        rest = rest.filter(cut | after(last))
    _add_entries(found, rest, bounds)
    return found


def _add_earlier(span: Span, checkpoints: QuerySet[JournalCheckpoint], until_us: int) -> None:
    told = checkpoints.filter(last_us__lt=until_us).order_by()
    sums = told.aggregate(**{f"{leg}_sum": Sum(leg) for leg in LEGS})
    for leg in LEGS:
        span.amounts[leg] += int(sums[f"{leg}_sum"] or 0)


def _add_checkpoint(span: Span, checkpoint: JournalCheckpoint) -> None:
    for leg in LEGS:
        span.amounts[leg] += getattr(checkpoint, leg)
    for by in LINES:
        for name, figures in checkpoint.lines[by].items():
            add_line(span.lines[by], name, figures)


def _add_entries(found: list[Span], rest: QuerySet[JournalEntry], bounds: Sequence[int]) -> None:
    """Add the entries that are in no stretch, grouped by the database."""
    earlier = [When(at_us__lt=bound, then=Value(place)) for place, bound in enumerate(bounds)]
    span = Case(*earlier, default=Value(len(bounds)), output_field=IntegerField())
    costs = Case(When(revenue=0, then=Value(0)), default=Value(1), output_field=IntegerField())
    told: dict[str, Any] = {"n": Count("pk"), **{f"{leg}_sum": Sum(leg) for leg in LEGS}}
    rows = rest.order_by().annotate(span=span, costs=costs)
    rows = rows.values("span", "costs", *LINES).annotate(**told)
    for row in rows:
        amounts = {leg: int(row[f"{leg}_sum"] or 0) for leg in LEGS}
        into = found[row["span"]]
        for leg in LEGS:
            into.amounts[leg] += amounts[leg]
        sums = [row["n"], amounts["spendable"], amounts["revenue"], amounts["cash"]]
        for by in LINES:
            # A mode counts only for entries with revenue, a chatbot only if there is one.
            if by == "kind" or (row[by] and (by == "chatbot" or row["costs"])):
                add_line(into.lines[by], row[by], sums)
