"""What time brings: permits' ends, silent ones, batches' ends, openings, adaptive caps."""

import logging

from poolsite import hotpath
from queueing.admission import gate as door
from queueing.admission.models import Gate

logger = logging.getLogger(__name__)

BATCH = 500
ROUNDS = 40


def sweep_gates(shard: int, shards: int) -> dict[str, int]:
    """Sweep the gates of a shard; returns what was done, summed."""
    slugs = [
        slug
        for key, slug in Gate.objects.order_by("pk").values_list("pk", "slug")
        if key % shards == shard
    ]
    done = dict.fromkeys(("gates", "expired", "silent", "closed", "opened", "failed"), 0)
    done["gates"] = len(slugs)
    for _ in range(ROUNDS):
        if not slugs:
            break
        slugs = _round(slugs, done)
    return done


def _round(slugs: list[str], done: dict[str, int]) -> list[str]:
    """One bounded sweep of each; returns the gates that have more to do."""
    more = []
    results = hotpath.run_batch([door.sweep(slug, BATCH) for slug in slugs])
    for slug, swept in zip(slugs, results, strict=True):
        if isinstance(swept, hotpath.HotPathError):
            done["failed"] += 1
            logger.warning("admission: sweep of %s: %s", slug, swept)
            continue
        if swept is None:
            continue
        for name in ("expired", "silent", "closed", "opened"):
            done[name] += int(getattr(swept, name))
        if swept.more:
            more.append(slug)
    return more
