"""Samples of each pool at a minute's end, with its calls within that minute."""

from datetime import datetime

from numbers import pool as commands
from numbers.models import MinuteSample, Pool
from poolsite.aggregates import minutes

COUNTERS = ("offered", "carried", "blocked")


def sample_take(now: datetime | None = None) -> dict[str, int]:
    """Sample every pool for the minute that has just begun. An existing sample stays."""
    return minutes.take_samples(Pool.objects.all(), commands.show, _sample, now)


def _sample(pool: Pool, minute: datetime, now: commands.PoolFigures) -> MinuteSample:
    samples = MinuteSample.objects.filter(pool=pool)
    base = minutes.sample_before(samples, minute, now.generation)
    totals = {name: getattr(now, name) for name in COUNTERS}
    before = {name: getattr(base, f"{name}_total") for name in COUNTERS} if base else None
    busy = now.busy_up + now.busy_down
    busy_before = base.busy_up + base.busy_down if base is not None else busy
    return MinuteSample(
        pool=pool,
        minute=minute,
        idle_up=now.idle_up,
        idle_down=now.idle_down,
        busy_up=now.busy_up,
        busy_down=now.busy_down,
        quarantined=now.quarantined,
        resting=now.resting,
        call_seconds=(busy + busy_before) * 30,
        offered_total=now.offered,
        carried_total=now.carried,
        blocked_total=now.blocked,
        generation=now.generation,
        **minutes.counted(totals, before),
    )
