"""What became of the ranges that visitors were told, counted by the database.

The same counting as on the wallboard, for any time: told are those whose range is known to have
held or not. Who gave up before the range's end tells nothing and is left out; who still waits
counts when the wait is over.
"""

from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Expression, F, Q, QuerySet

from poolsite.sql_functions import Elapsed, Seconds
from queueing.line.definitions import SERVED
from queueing.line.models import Visit


@dataclass(frozen=True, slots=True)
class Ranges:
    """Of the ranges told: served inside, sooner, later, and given up past the range's end."""

    inside: int = 0
    sooner: int = 0
    later: int = 0
    gave_up_past: int = 0

    @property
    def told(self) -> int:
        """All of them."""
        return self.inside + self.sooner + self.later + self.gave_up_past

    def share(self, count: int) -> float | None:
        """Of all, 0 to 1; None = nobody was told one."""
        return count / self.told if self.told else None


NO_RANGES = Ranges()
_TOLD = Q(predicted_low_seconds__isnull=False, predicted_high_seconds__isnull=False)
_GONE = Q(matched_at=None, ended_at__isnull=False)
_SOONER = _TOLD & SERVED & Q(range_wait__lt=F("range_low"))
_LATER = _TOLD & SERVED & Q(range_wait__gt=F("range_high"))
_INSIDE = _TOLD & SERVED & Q(range_wait__gte=F("range_low"), range_wait__lte=F("range_high"))
_MISSED = _TOLD & _GONE & Q(range_gone__gt=F("range_high"))


def range_counts(visits: "QuerySet[Visit]", key: Expression | F) -> dict[Any, Ranges]:
    """The visits' ranges for each value of the key; a value without any is not there."""
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
