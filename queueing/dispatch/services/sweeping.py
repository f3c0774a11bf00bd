"""What time brings: missed heartbeats, disconnect timers, routes' ends."""

from poolsite.jobs.shards import slugs_of_shard, sweep_round
from queueing.dispatch import dispatcher as door
from queueing.dispatch.models import Group

ROUNDS = 40


def sweep_groups(shard: int, shards: int) -> dict[str, int]:
    """Sweep the groups of a shard; returns what was done, summed."""
    slugs = slugs_of_shard(Group.objects.all(), shard, shards)
    done = dict.fromkeys(("groups", "pending", "stopped", "cleared", "expired", "failed"), 0)
    done["groups"] = len(slugs)
    for _ in range(ROUNDS):
        if not slugs:
            break
        slugs = sweep_round("dispatch", slugs, door.sweep, _counts, done)
    return done


def _counts(swept: door.Swept) -> dict[str, int]:
    return {
        "pending": len(swept.pending),
        "stopped": len(swept.stopped),
        "cleared": swept.cleared,
        "expired": swept.expired,
    }
