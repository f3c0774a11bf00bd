"""What time brings: permits' ends, silent ones, batches' ends, openings, adaptive caps."""

from functools import partial

from poolsite.jobs.shards import slugs_of_shard, sweep_round
from queueing.admission import gate as door
from queueing.admission.models import Gate
from queueing.admission.services.clock import confirmed_us

DONE = ("expired", "silent", "closed", "opened", "doubt")
ROUNDS = 40


def sweep_gates(shard: int, shards: int) -> dict[str, int]:
    """Sweep the gates of a shard; returns what was done, summed.

    While the clock is in doubt nothing is swept ("doubt"): a step must end nobody's permit.
    """
    slugs = slugs_of_shard(Gate.objects.all(), shard, shards)
    counted = ("gates", "expired", "silent", "closed", "opened", "failed", "doubt")
    done = dict.fromkeys(counted, 0)
    done["gates"] = len(slugs)
    for _ in range(ROUNDS):
        if not slugs:
            break
        checked_us = confirmed_us()
        if checked_us is None:
            done["doubt"] += len(slugs)
            break
        sweep = partial(door.sweep, checked_us=checked_us)
        slugs = sweep_round("admission", slugs, sweep, _counts, done)
    return done


def _counts(swept: door.Swept) -> dict[str, int]:
    return {name: int(getattr(swept, name)) for name in DONE}
