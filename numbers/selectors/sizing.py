"""How many numbers a pool needs: measured load, Erlang B, and the effect of more numbers."""

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.db.models import Avg, Count
from django.utils import timezone

from numbers import erlang
from numbers.models import CallRecord, MinuteSample, Pool
from poolsite.sql_functions import Elapsed

WINDOW_MINUTES = 30
TARGET_BLOCKING = 0.01
CURVE_POINTS = 60


@dataclass(frozen=True, slots=True)
class Sizing:
    """A pool's busiest half hour and the resulting advice.

    `offered_erlangs`: offered calls × mean length ÷ 30 min. Blocking figures are shares, 0 to 1.
    `needed` numbers bring the blocking under 1 %. `curve` holds (numbers, blocking).
    """

    window_start: datetime
    window_minutes: int
    offered: int
    carried: int
    blocked: int
    mean_call_seconds: float
    offered_erlangs: float
    pickable: int
    blocking_expected: float
    blocking_measured: float
    needed: int
    curve: Sequence[tuple[int, float]]

    @property
    def missing(self) -> int:
        """How many numbers to add. A negative value counts the numbers beyond the need."""
        return self.needed - self.pickable


def busiest(samples: Iterable[MinuteSample], minutes: int) -> tuple[datetime, int, int, int] | None:
    """Return start, offered, carried and blocked of the window with the most offered calls.

    The window is in time, not in rows: minutes without a sample count as empty.
    """
    window: deque[MinuteSample] = deque()
    best: tuple[datetime, int, int, int] | None = None
    span = timedelta(minutes=minutes)
    for sample in samples:
        window.append(sample)
        while sample.minute - window[0].minute >= span:
            window.popleft()
        offered = sum(row.offered for row in window)
        if best is None or offered > best[1]:
            carried = sum(row.carried for row in window)
            blocked = sum(row.blocked for row in window)
            best = (sample.minute - span + timedelta(minutes=1), offered, carried, blocked)
    return best


def size(pool: Pool, pickable: int, *, start: datetime, end: datetime) -> Sizing | None:
    """Return the advice for a pool with `pickable` numbers, or None if no call was offered.

    Uses only minutes whose calls are still stored, because the mean length needs the calls.
    """
    start = max(start, timezone.now() - timedelta(days=settings.CALLS_KEEP_DAYS))
    samples = MinuteSample.objects.filter(pool=pool, minute__gte=start, minute__lt=end)
    found = busiest(samples.order_by("minute"), WINDOW_MINUTES)
    if found is None or not found[1]:
        return None
    window_start, offered, carried, blocked = found
    mean = _mean_call_seconds(pool, window_start)
    load = offered * mean / (WINDOW_MINUTES * 60)
    needed = erlang.lines_needed(load, TARGET_BLOCKING)
    last = max(needed, pickable, 1) * 5 // 4 + 2
    step = max(1, last // CURVE_POINTS)
    lines = sorted({*range(0, last + 1, step), pickable, needed})
    return Sizing(
        window_start=window_start,
        window_minutes=WINDOW_MINUTES,
        offered=offered,
        carried=carried,
        blocked=blocked,
        mean_call_seconds=mean,
        offered_erlangs=load,
        pickable=pickable,
        blocking_expected=erlang.blocking(load, pickable),
        blocking_measured=blocked / offered,
        needed=needed,
        curve=erlang.curve(load, lines),
    )


def _mean_call_seconds(pool: Pool, window_start: datetime) -> float:
    """The mean length of the calls that began in the window and have ended. One query."""
    found = CallRecord.objects.filter(
        pool=pool,
        started_at__gte=window_start,
        started_at__lt=window_start + timedelta(minutes=WINDOW_MINUTES),
        ended_at__isnull=False,
    ).aggregate(mean=Avg(Elapsed("started_at", "ended_at")), count=Count("pk"))
    mean: timedelta | None = found["mean"]
    return mean.total_seconds() if mean is not None else 0.0
