"""What a pool looked like at each minute's end, and what it did within that minute."""

from datetime import UTC, datetime, timedelta

from django.db import IntegrityError, transaction

from numbers import pool as door
from numbers.models import MinuteSample, Pool
from poolsite import hotpath

LATE_SECONDS = 90  # a sample of an earlier minute is no start for this one's figures


def sample_take(now: datetime | None = None) -> dict[str, int]:
    """Sample every pool for the minute that has just begun; a minute that is there stays."""
    minute = (now or datetime.now(UTC)).replace(second=0, microsecond=0)
    pools = list(Pool.objects.order_by("pk"))
    figures = hotpath.run_batch([door.show(pool.slug) for pool in pools])
    done = {"samples": 0, "failed": 0}
    for pool, its in zip(pools, figures, strict=True):
        if its is None or isinstance(its, hotpath.HotPathError):
            done["failed"] += 1
        elif _sample(pool, minute, its):
            done["samples"] += 1
    return done


def _sample(pool: Pool, minute: datetime, now: door.Figures) -> bool:
    before = MinuteSample.objects.filter(pool=pool, minute__lt=minute).order_by("-minute").first()
    fresh = (
        before is not None
        and before.generation == now.generation
        and minute - before.minute <= timedelta(seconds=LATE_SECONDS)
    )
    base = before if fresh else None
    busy = now.busy_up + now.busy_down
    busy_before = base.busy_up + base.busy_down if base is not None else busy
    row = MinuteSample(
        pool=pool,
        minute=minute,
        idle_up=now.idle_up,
        idle_down=now.idle_down,
        busy_up=now.busy_up,
        busy_down=now.busy_down,
        quarantined=now.quarantined,
        resting=now.resting,
        offered=_since(now.offered, base.offered_total if base else None),
        carried=_since(now.carried, base.carried_total if base else None),
        blocked=_since(now.blocked, base.blocked_total if base else None),
        call_seconds=(busy + busy_before) * 30,
        offered_total=now.offered,
        carried_total=now.carried,
        blocked_total=now.blocked,
        generation=now.generation,
    )
    try:
        with transaction.atomic():
            row.save(force_insert=True)
    except IntegrityError:
        return False  # another beat ticked first
    return True


def _since(total: int, before: int | None) -> int:
    """What came since the sample before; without one nothing can be said."""
    return 0 if before is None else max(0, total - before)
