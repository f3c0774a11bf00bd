"""The loop that finds lost, half-sent and contradicting data, and mends it without a hand."""

import logging
from datetime import timedelta

from django.utils import timezone
from redis.exceptions import RedisError

from poolsite import hotpath
from poolsite.history.models import Cursor
from queueing.admission import gate as door
from queueing.admission.models import Gate, TaskBatch, UnsentChange
from queueing.admission.services.batches import apply_batch
from queueing.admission.services.gates import apply_pause, apply_settings
from queueing.admission.services.loading import OPEN_IN_REDIS, resume_loads
from queueing.admission.services.rebuilding import KIND, gate_check, gate_rebuild

logger = logging.getLogger(__name__)

UNSENT_SECONDS = 15  # a change that is not sent by then belongs to a process that died


def heal_gate(gate_id: int, reason: str) -> None:
    """The drain found Redis behind SQL: rebuild, unless another worker has done it since."""
    gate = Gate.objects.select_related("account").filter(pk=gate_id).first()
    if gate is None:
        return
    figures = hotpath.run(door.show(gate.slug))
    known = Cursor.objects.filter(kind=KIND, tag=gate.tag).values_list("generation", flat=True)
    if figures is not None and figures.generation == gate.generation == known.first():
        # The same life, but entries that SQL has are missing: a failover lost them.
        gate_rebuild(gate, reason, figures.generation)
        return
    gate_check(gate, figures)


def watch_gates(shard: int, shards: int) -> dict[str, int]:
    """One look at every gate of a shard; returns what was done, in numbers."""
    done = {"gates": 0, "rebuilt": 0, "resent": 0, "failed": 0, "loads": 0}
    gates = [
        gate
        for gate in Gate.objects.select_related("account").order_by("pk")
        if gate.pk % shards == shard
    ]
    figures = hotpath.run_batch([door.show(gate.slug) for gate in gates])
    for gate, its in zip(gates, figures, strict=True):
        done["gates"] += 1
        if isinstance(its, hotpath.HotPathError):
            done["failed"] += 1
            continue
        try:
            if gate_check(gate, its):
                done["rebuilt"] += 1
            elif its is not None and its.status != "recovering":
                done["resent"] += _resend(gate)
        except (hotpath.HotPathError, RedisError) as error:
            done["failed"] += 1
            logger.warning("admission: gate %s is not healed yet: %s", gate.slug, error)
    if shard == 0:
        done["loads"] = resume_loads()
    return done


def _resend(gate: Gate) -> int:
    """Bring Redis to what SQL says where a change was left unsent."""
    stale = timezone.now() - timedelta(seconds=UNSENT_SECONDS)
    left = list(
        UnsentChange.objects.filter(gate=gate, created_at__lt=stale).values_list("pk", flat=True)
    )
    if left:
        bring_to_redis(gate)
        UnsentChange.objects.filter(pk__in=left).delete()
    return len(left)


def bring_to_redis(gate: Gate) -> None:
    """Settings, pause and batches as SQL says. Repeatable; raises the runner's errors."""
    gate.refresh_from_db()
    apply_settings(gate)
    apply_pause(gate)
    unfinished = TaskBatch.objects.filter(gate=gate, finished_at=None, state__in=OPEN_IN_REDIS)
    for batch in unfinished.select_related("gate"):
        apply_batch(batch)


def apply_all_settings() -> dict[str, int]:
    """Bring every gate's settings and pause to Redis; cheap and repeatable."""
    done = {"gates": 0, "failed": 0}
    for gate in Gate.objects.select_related("account"):
        try:
            apply_settings(gate)
            apply_pause(gate)
            done["gates"] += 1
        except (hotpath.HotPathError, RedisError) as error:
            done["failed"] += 1
            logger.info("admission: settings of %s: %s", gate.slug, error)
    return done
