"""What time brings: leases, registrations, waiters, restarts, a new day."""

import logging

from numbers import pool as door
from numbers.models import Pool
from poolsite import hotpath

logger = logging.getLogger(__name__)

BATCH = 500
ROUNDS = 40  # 20 000 calls of one pool in one tick; the next tick goes on


def sweep_pools(shard: int, shards: int) -> dict[str, int]:
    """Sweep the pools of a shard; returns what was done, summed."""
    slugs = [
        slug
        for key, slug in Pool.objects.order_by("pk").values_list("pk", "slug")
        if key % shards == shard
    ]
    done = dict.fromkeys(
        ("pools", "released", "renewed", "suspected", "lapsed", "expired", "failed"), 0
    )
    done["pools"] = len(slugs)
    for _ in range(ROUNDS):
        if not slugs:
            break
        slugs = _round(slugs, done)
    return done


def _round(slugs: list[str], done: dict[str, int]) -> list[str]:
    """One bounded sweep of each; returns the pools that have more to do."""
    more = []
    results = hotpath.run_batch([door.sweep(slug, BATCH) for slug in slugs])
    for slug, swept in zip(slugs, results, strict=True):
        if isinstance(swept, hotpath.HotPathError):
            done["failed"] += 1
            logger.warning("numbers: sweep of %s: %s", slug, swept)
            continue
        if swept is None:
            continue
        for name in ("released", "renewed", "suspected", "lapsed", "expired"):
            done[name] += getattr(swept, name)
        if swept.more:
            more.append(slug)
    return more
