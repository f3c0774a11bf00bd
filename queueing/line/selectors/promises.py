"""Whether visitors were served when they had been told: the hit rate of the estimates."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from django.core.cache import cache
from django.utils import timezone

from queueing.line.models import Queue, Visit

LOOK_BACK = timedelta(days=1)
LOOKED_AT = 500  # the newest promises of a queue
ENOUGH = 10  # before their share is told
FRESH_SECONDS = 60


@dataclass(frozen=True, slots=True)
class Promises:
    """Of so many visitors who were shown a range and served: `kept` within its end, `sooner` than
    its beginning. An honest range has nine tenths kept, half sooner."""

    of: int
    kept: int
    sooner: int

    @property
    def enough(self) -> bool:
        """Whether the share says anything."""
        return self.of >= ENOUGH


def promises_of(queue: Queue) -> Promises:
    """The last day's promises of a queue, the newest 500; kept for a minute."""
    key = f"line:promises:{queue.pk}"
    known: Sequence[int] | None = cache.get(key)
    if known is None:
        known = _count(queue)
        cache.set(key, known, timeout=FRESH_SECONDS)
    return Promises(*known)


def _count(queue: Queue) -> tuple[int, int, int]:
    told = Visit.objects.filter(
        queue=queue,
        joined_at__gte=timezone.now() - LOOK_BACK,
        matched_at__isnull=False,
        predicted_low_seconds__isnull=False,
        predicted_high_seconds__isnull=False,
    )
    rows = told.order_by("-joined_at").values_list(
        "joined_at", "matched_at", "predicted_low_seconds", "predicted_high_seconds"
    )
    kept = sooner = of = 0
    for joined, matched, low, high in rows[:LOOKED_AT]:
        if matched is None or low is None or high is None:
            continue
        waited = (matched - joined).total_seconds()
        of, kept, sooner = of + 1, kept + (waited <= high), sooner + (waited <= low)
    return of, kept, sooner
