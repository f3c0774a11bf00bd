"""One page of the number list, for its template and its JavaScript module."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import OuterRef, Subquery
from django.urls import reverse

from numbers import pool as commands
from numbers.models import CallRecord, Number
from numbers.presentation import IN_CALL, word_of
from poolsite import hotpath


@dataclass
class NumberRow:
    """One number: its row in SQL, and its state in Redis."""

    number: Number
    letter: str = "-"
    used_today: int = 0
    last_call: datetime | None = None

    @property
    def word(self) -> str:
        return word_of(self.letter)

    @property
    def in_call(self) -> bool:
        return self.letter in IN_CALL

    @property
    def url(self) -> str:
        return reverse("numbers:number", args=[self.number.value])

    @property
    def full(self) -> bool:
        """Whether the daily cap is nearly used up."""
        cap = self.number.pool.daily_cap
        return bool(cap) and self.used_today >= cap * 0.95

    def as_json(self) -> dict[str, Any]:
        """The fields that change while the page is open."""
        return {
            "value": self.number.value,
            "letter": self.letter,
            "word": self.word,
            "in_call": self.in_call,
            "used": self.used_today,
            "last": self.last_call.isoformat() if self.last_call else "",
        }


def rows_of(numbers: Sequence[Number], *, last_calls: bool = True) -> list[NumberRow]:
    """Return the rows with live states and last calls: one query, one round trip per node."""
    rows = [NumberRow(number) for number in numbers]
    _take_states(rows)
    if not last_calls:
        return rows
    # Calls in other pools may be another account's.
    calls = CallRecord.objects.filter(number=OuterRef("value"), pool=OuterRef("pool"))
    latest = calls.order_by("-started_at")
    last = dict(
        Number.objects.filter(pk__in=[number.pk for number in numbers])
        .annotate(last=Subquery(latest.values("started_at")[:1]))
        .values_list("pk", "last")
    )
    for row in rows:
        row.last_call = last.get(row.number.pk)
    return rows


def _take_states(rows: Sequence[NumberRow]) -> None:
    """Set the live states. While Redis is unavailable, every state is shown as unknown."""
    by_pool: dict[str, list[NumberRow]] = {}
    for row in rows:
        by_pool.setdefault(row.number.pool.slug, []).append(row)
    to_run = [
        commands.states(slug, [row.number.value for row in group])
        for slug, group in by_pool.items()
    ]
    for group, found in zip(by_pool.values(), hotpath.run_batch(to_run), strict=True):
        if isinstance(found, hotpath.HotPathError) or found is None:
            continue
        for row in group:
            state = found.by_number.get(row.number.value)
            if state is not None:
                row.letter = shown_letter(state, found.as_of_us)
                today = found.as_of_us // 1_000_000 < state.day
                row.used_today = state.used_today if today else 0


def shown_letter(state: commands.NumberState, now_us: int) -> str:
    """The letter with which pages draw a state. An offered number is shown as ready."""
    return {"o": "R", "?": "-"}.get(state.letter(now_us), state.letter(now_us))
