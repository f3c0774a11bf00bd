"""Finds lost, half-sent and contradictory data, and repairs it automatically."""

from functools import partial

from django.db.models import Q
from django.utils import timezone

from poolsite.aggregates.services.recovering import finish_deletions, try_each, watch_each
from poolsite.hotpath.rows import resend
from poolsite.jobs.shards import of_shard
from queueing.admission import gate as commands
from queueing.admission.models import Gate, TaskBatch, UnsentChange
from queueing.admission.services.batches import apply_batch
from queueing.admission.services.gates import apply_pause, apply_settings, destroy_in_redis
from queueing.admission.services.loading import resume_loads
from queueing.admission.services.rebuilding import gate_check


def watch_gates(shard: int, shards: int) -> dict[str, int]:
    """Check every gate of a shard. Return counts of what was done."""
    gates = of_shard(Gate.objects.select_related("account").order_by("pk"), shard, shards)
    done = {"gates": len(gates), "rebuilt": 0, "resent": 0, "failed": 0, "loads": 0}

    def look(gate: Gate, figures: commands.GateFigures | None) -> None:
        if gate_check(gate, figures):
            done["rebuilt"] += 1
        elif figures is not None and figures.status != "recovering":
            marks = UnsentChange.objects.filter(gate=gate)
            done["resent"] += resend(marks, partial(bring_to_redis, gate))

    watch_each(gates, commands.show, look, done)
    finish_deletions(Gate.all_objects.all(), destroy_in_redis, shard, shards, done)
    if shard == 0:
        done["loads"] = resume_loads()
    return done


def bring_to_redis(gate: Gate) -> None:
    """Write settings, pause and batches from SQL to Redis. This is repeatable.

    Raise the runner's errors.
    """
    apply_settings(gate)
    apply_pause(gate)
    cancelled = Q(cancelled_at__isnull=False, closes_at__gt=timezone.now())
    told = TaskBatch.objects.filter(Q(finished_at=None) | cancelled, gate=gate)
    for batch in told.select_related("gate"):
        apply_batch(batch)


def apply_all_settings() -> dict[str, int]:
    """Write every gate's settings and pause to Redis. This is cheap and repeatable."""
    done = {"gates": 0, "failed": 0}

    def apply(gate: Gate) -> None:
        apply_settings(gate)
        apply_pause(gate)
        done["gates"] += 1

    try_each(Gate.objects.select_related("account"), apply, done, said="waits for its settings")
    return done
