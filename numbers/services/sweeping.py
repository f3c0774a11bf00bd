"""What time brings: leases, registrations, waiters, restarts, a new day."""

from numbers import pool as door
from numbers.models import Pool
from poolsite.jobs.shards import slugs_of_shard, sweep_round

DONE = ("shortened", "released", "renewed", "suspected", "lapsed", "expired")
ROUNDS = 40  # 20 000 calls of one pool in one tick; the next tick goes on


def sweep_pools(shard: int, shards: int) -> dict[str, int]:
    """Sweep the pools of a shard; returns what was done, summed."""
    slugs = slugs_of_shard(Pool.objects.all(), shard, shards)
    done = dict.fromkeys(("pools", *DONE, "failed"), 0)
    done["pools"] = len(slugs)
    for _ in range(ROUNDS):
        if not slugs:
            break
        slugs = sweep_round("numbers", slugs, door.sweep, _counts, done)
    return done


def _counts(swept: door.Swept) -> dict[str, int]:
    return {name: getattr(swept, name) for name in DONE}
