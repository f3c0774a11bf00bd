"""The hit rate of wait ranges: whether visitors were served when they were told."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from django.core.cache import cache
from django.utils import timezone

from queueing.line.models import Queue, Visit

LOOK_BACK = timedelta(days=1)
LOOKED_AT = 500  # the newest ranges of a queue
ENOUGH = 10  # ranges needed before a share is shown
FRESH_SECONDS = 60


@dataclass(frozen=True, slots=True)
class Promises:
    """Visitors who were shown a range: how many were served inside it, or before it.

    The others were served later, or gave up or still wait after its end. A visitor who gave up
    before its end proves nothing and is not counted. An accurate range has about eight tenths
    inside.
    """

    of: int
    inside: int
    sooner: int

    @property
    def enough(self) -> bool:
        """Whether there are enough visitors for a meaningful share."""
        return self.of >= ENOUGH


def promises_of(queue: Queue) -> Promises:
    """Return the figures of a queue's 500 newest ranges of the last day. Cached for a minute."""
    key = f"line:promises:{queue.pk}"
    known: Sequence[int] | None = cache.get(key)
    if known is None:
        known = _count(queue)
        cache.set(key, known, timeout=FRESH_SECONDS)
    return Promises(*known)


def _count(queue: Queue) -> tuple[int, int, int]:
    now = timezone.now()
    told = Visit.objects.filter(
        queue=queue,
        joined_at__gte=now - LOOK_BACK,
        predicted_low_seconds__isnull=False,
        predicted_high_seconds__isnull=False,
    )
    names = ("predicted_low_seconds", "predicted_high_seconds", "joined_at", "matched_at")
    inside = sooner = of = 0
    rows = told.order_by("-joined_at").values_list(*names, "ended_at")
    for low, high, joined, matched, ended in rows[:LOOKED_AT]:
        waited = ((matched or ended or now) - joined).total_seconds()
        if low is None or high is None or (matched is None and waited <= high):
            continue
        of += 1
        inside += matched is not None and low <= waited <= high
        sooner += waited < low
    return of, inside, sooner
