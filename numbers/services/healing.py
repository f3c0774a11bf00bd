"""The loop that finds and mends lost, half-sent and contradicting data automatically."""

from numbers import pool as commands
from numbers.models import Number, Pool, UnsentChange
from numbers.services.common import settings_of
from numbers.services.confirming import confirm_waiting
from numbers.services.pools import apply_pause, apply_settings, destroy_in_redis
from numbers.services.rebuilding import pool_check
from numbers.services.reconciling import pool_reconcile
from poolsite.aggregates.services.recovering import finish_deletions, try_each, watch_each
from poolsite.hotpath.rows import resend
from poolsite.jobs.shards import of_shard

_LOOKED: dict[int, tuple[int, int, int]] = {}  # pool → the difference reconciled last


def watch_pools(shard: int, shards: int, *, counting: bool) -> dict[str, int]:
    """Check every pool of a shard. Return counts of what was done.

    `counting`: also compare the numbers of SQL and Redis, which costs SQL a count.
    """
    pools = of_shard(Pool.objects.select_related("account").order_by("pk"), shard, shards)
    done = {"pools": len(pools), "rebuilt": 0, "resent": 0, "mended": 0, "failed": 0}
    confirm_waiting(pools)

    def look(pool: Pool, figures: commands.PoolFigures | None) -> None:
        _watch(pool, figures, done, counting=counting)

    watch_each(pools, commands.show, look, done, commands.PoolRefusedError)
    finish_deletions(Pool.all_objects.all(), destroy_in_redis, shard, shards, done)
    return done


def _watch(
    pool: Pool, figures: commands.PoolFigures | None, done: dict[str, int], *, counting: bool
) -> None:
    if pool_check(pool, figures):
        done["rebuilt"] += 1
        return
    if figures is None or figures.status == "recovering":
        return

    def mend() -> None:
        done["mended"] += len(pool_reconcile(pool=pool, check=False))

    if counting and figures.settings.beside() != settings_of(pool).beside():
        apply_settings(pool)  # an earlier release wrote the data, or its worker rebuilt it
        done["mended"] += 1
    resent = resend(UnsentChange.objects.filter(pool=pool), mend)
    done["resent"] += resent
    if not resent and counting and _count_differs(pool, figures):
        mend()


def _count_differs(pool: Pool, figures: commands.PoolFigures) -> bool:
    """Whether SQL and Redis have different counts of numbers while no change is in progress."""
    if figures.seq != figures.drained or UnsentChange.objects.filter(pool=pool).exists():
        return False
    count = Number.objects.filter(pool=pool).count()
    if count == figures.numbers:
        return False
    looked = (figures.generation, figures.seq, count)
    if _LOOKED.get(pool.pk) == looked:
        return False  # numbers of other pools are here: reported, but not removed
    _LOOKED[pool.pk] = looked
    return True


def apply_all_settings() -> dict[str, int]:
    """Write every pool's settings, coming midnights and pause to Redis. Cheap and repeatable."""
    done = {"pools": 0, "failed": 0}

    def apply(pool: Pool) -> None:
        apply_settings(pool)
        apply_pause(pool)
        done["pools"] += 1

    pools = Pool.objects.select_related("account")
    try_each(pools, apply, done, commands.PoolRefusedError, said="waits for its settings")
    return done
