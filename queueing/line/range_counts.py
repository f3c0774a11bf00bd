"""Outcomes of the wait ranges that visitors were shown, counted by the database.

The rules are those of the wallboard, for any time span. A range counts once it is known whether it
held. A visitor who gave up before the range's end proves nothing and is left out. A visitor who
still waits counts when the wait is over.
"""

from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Expression, F, Q, QuerySet

from poolsite.sql_functions import Elapsed, Seconds
from queueing.line.definitions import SERVED
from queueing.line.models import Visit


@dataclass(frozen=True, slots=True)
class Ranges:
    """Counts of ranges: served inside, sooner, later, and given up after the range's end."""

    inside: int = 0
    sooner: int = 0
    later: int = 0
    gave_up_past: int = 0

    @property
    def told(self) -> int:
        """The number of all counted ranges."""
        return self.inside + self.sooner + self.later + self.gave_up_past

    def share(self, count: int) -> float | None:
        """Return a count as a share of all ranges, 0 to 1, or None if there are none."""
        return count / self.told if self.told else None


NO_RANGES = Ranges()
_TOLD = Q(predicted_low_seconds__isnull=False, predicted_high_seconds__isnull=False)
_GONE = Q(matched_at=None, ended_at__isnull=False)
_SOONER = _TOLD & SERVED & Q(range_wait__lt=F("range_low"))
_LATER = _TOLD & SERVED & Q(range_wait__gt=F("range_high"))
_INSIDE = _TOLD & SERVED & Q(range_wait__gte=F("range_low"), range_wait__lte=F("range_high"))
_MISSED = _TOLD & _GONE & Q(range_gone__gt=F("range_high"))


def range_counts(visits: "QuerySet[Visit]", key: Expression | F) -> dict[Any, Ranges]:
    """Return the visits' ranges for each value of the key. Values without ranges are absent."""
    rows = (
        visits.filter(_TOLD)
        .annotate(
            key=key,
            range_wait=Elapsed("joined_at", "matched_at"),
            range_gone=Elapsed("joined_at", "ended_at"),
            range_low=Seconds("predicted_low_seconds"),
            range_high=Seconds("predicted_high_seconds"),
        )
        .values("key")
        .order_by()
        .annotate(
            inside=Count("pk", filter=_INSIDE),
            sooner=Count("pk", filter=_SOONER),
            later=Count("pk", filter=_LATER),
            gave_up_past=Count("pk", filter=_MISSED),
        )
    )
    return {
        row["key"]: Ranges(row["inside"], row["sooner"], row["later"], row["gave_up_past"])
        for row in rows
    }
