"""Minute samples, prepared for charts and figures."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from django.db.models import F, Sum

from numbers.models import MinuteSample, Pool

STATES = ("busy_up", "busy_down", "idle_up", "idle_down", "quarantined")
CALLS = ("offered", "carried", "blocked")
POINTS = 240
MINUTE = timedelta(minutes=1)


@dataclass
class Series:
    """Points at equal steps. None means that there is no sample: a gap in the data.

    States are counts at the step's end, with quarantined numbers counted separately. Calls are per
    minute; `mean` is in seconds per call.
    """

    start: datetime
    step_seconds: int
    at: list[datetime] = field(default_factory=list)
    values: dict[str, list[float | None]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class LastHour:
    """The figures next to the live ones: the last full minute, and shares of the last hour."""

    offered: int
    blocked: int
    offered_per_minute: float | None
    carried_per_minute: float | None
    mean_call_seconds: float | None

    @property
    def blocked_share(self) -> float | None:
        """The blocked share of the offered calls, 0 to 1, or None if no call was offered."""
        return self.blocked / self.offered if self.offered else None


def step_for(seconds: int) -> int:
    """Return the step in seconds, a multiple of a minute, that gives up to 240 points."""
    return max(60, -(-seconds // POINTS // 60) * 60)


def pool_series(pool: Pool, seconds: int, *, now: datetime) -> Series:
    """Return the samples of the last `seconds`, in steps of `step_for`. One query."""
    step = step_for(seconds)
    last = int(now.timestamp()) // step * step
    end = datetime.fromtimestamp(last, UTC)
    start = end - timedelta(seconds=seconds)
    rows = MinuteSample.objects.filter(pool=pool, minute__gte=start, minute__lt=end)
    return _in_steps(rows.order_by("minute").iterator(), start, step, seconds // step)


def _in_steps(
    rows: Iterable[MinuteSample], start: datetime, step_seconds: int, count: int
) -> Series:
    buckets: list[list[MinuteSample]] = [[] for _ in range(count)]
    for row in rows:
        place = int((row.minute - start).total_seconds()) // step_seconds
        if 0 <= place < count:
            buckets[place].append(row)
    series = Series(start, step_seconds)
    series.at = [start + timedelta(seconds=step_seconds * (n + 1)) for n in range(count)]
    shown = [_shown_states(bucket[-1]) if bucket else None for bucket in buckets]
    for name in STATES:
        series.values[name] = [None if states is None else states[name] for states in shown]
    for name in CALLS:
        series.values[name] = [_per_minute(bucket, name) for bucket in buckets]
    series.values["mean"] = [_mean_call(bucket) for bucket in buckets]
    return series


def _shown_states(row: MinuteSample) -> dict[str, int]:
    """The counts as tiles show them: quarantine takes precedence over the other states.

    Samples count a quarantined number in its state as well. Most are idle, so the quarantined are
    subtracted there.
    """
    idle_up = max(0, row.idle_up - row.quarantined)
    left = row.quarantined - (row.idle_up - idle_up)
    return {
        "busy_up": row.busy_up,
        "busy_down": row.busy_down,
        "idle_up": idle_up,
        "idle_down": max(0, row.idle_down - left),
        "quarantined": row.quarantined,
    }


def _per_minute(bucket: Sequence[MinuteSample], name: str) -> float | None:
    if not bucket:
        return None
    counts: list[int] = [getattr(row, name) for row in bucket]
    return round(sum(counts) / len(counts), 2)


def _mean_call(bucket: Sequence[MinuteSample]) -> float | None:
    carried = sum(row.carried for row in bucket)
    return round(sum(row.call_seconds for row in bucket) / carried, 1) if carried else None


def last_hour(pool: Pool, *, now: datetime) -> LastHour:
    """Return the figures of one pool's last hour. One query."""
    return last_hours([pool], now=now)[pool.pk][0]


def last_hours(
    pools: Sequence[Pool], *, now: datetime, points: int = 60
) -> dict[int, tuple[LastHour, list[float | None]]]:
    """Return each pool's figures of the last hour, and its occupancy per minute (0 to 1).

    One query for all pools.
    """
    end = now.replace(second=0, microsecond=0)
    start = end - timedelta(minutes=points)
    samples: dict[int, list[MinuteSample]] = {pool.pk: [] for pool in pools}
    rows = MinuteSample.objects.filter(pool__in=pools, minute__gte=start, minute__lt=end)
    for row in rows.order_by("minute"):
        samples[row.pool_id].append(row)
    return {
        key: (_figures(found, end), _occupancies(found, start, points))
        for key, found in samples.items()
    }


def totals_by_minute(
    pools: Sequence[Pool], *, now: datetime, points: int = 60
) -> dict[str, list[float | None]]:
    """Return busy numbers, offered and blocked calls of all these pools per minute. One query."""
    end = now.replace(second=0, microsecond=0)
    start = end - timedelta(minutes=points)
    sums = (
        MinuteSample.objects.filter(pool__in=pools, minute__gte=start, minute__lt=end)
        .values("minute")
        .annotate(
            busy=Sum(F("busy_up") + F("busy_down")), tried=Sum("offered"), lost=Sum("blocked")
        )
    )
    values: dict[str, list[float | None]] = {
        name: [None] * points for name in ("busy", "offered", "blocked")
    }
    for row in sums:
        place = int((row["minute"] - start).total_seconds()) // 60
        values["busy"][place] = row["busy"]
        values["offered"][place] = row["tried"]
        values["blocked"][place] = row["lost"]
    return values


def _figures(rows: Sequence[MinuteSample], end: datetime) -> LastHour:
    offered = sum(row.offered for row in rows)
    blocked = sum(row.blocked for row in rows)
    last = rows[-1] if rows and rows[-1].minute >= end - 2 * MINUTE else None
    return LastHour(
        offered=offered,
        blocked=blocked,
        offered_per_minute=last.offered if last else None,
        carried_per_minute=last.carried if last else None,
        mean_call_seconds=_mean_call(rows),
    )


def _occupancies(rows: Sequence[MinuteSample], start: datetime, points: int) -> list[float | None]:
    values: list[float | None] = [None] * points
    for row in rows:
        busy = row.busy_up + row.busy_down
        usable = busy + row.idle_up
        values[int((row.minute - start).total_seconds()) // 60] = (
            round(busy / usable, 4) if usable else 0.0
        )
    return values
