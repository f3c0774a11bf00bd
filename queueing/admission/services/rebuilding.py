"""Rebuilds a gate that Redis lost or that went back in time: its tasks are loaded again.

Its whole cap counts as used. No permit is granted before every permit of the previous generation
has certainly ended, but a holder that reports keeps its slot. An operator may open the gate early.
Any number of workers may find the loss at the same time: the worker that increments SQL's
generation does the work, and if it dies, another one continues.
"""

import logging
from datetime import timedelta
from math import ceil

from django.db.models import Max
from django.utils import timezone

from poolsite import hotpath
from poolsite.access.models import AuditEntry
from poolsite.access.services.aggregates import Act, begin_anew
from poolsite.aggregates.services.recovering import check_life, failed_over, go_on
from poolsite.history.models import Cursor
from queueing.admission import gate as commands
from queueing.admission.gate.settings import DAY_SECONDS
from queueing.admission.models import Gate, GateEvent, Task
from queueing.admission.services.common import KIND, settings_of
from queueing.admission.services.gates import create_in_redis
from queueing.admission.services.loading import load_after_loss
from queueing.admission.services.records import say_recovering

logger = logging.getLogger(__name__)

FRESH_SECONDS = 60  # an older gate may have granted permits that no drain has seen


def gate_check(gate: Gate, figures: commands.GateFigures | None) -> bool:
    """Compare a gate's data with SQL, and rebuild it if it was lost.

    figures: as just read from Redis. Return whether anything was done.
    """
    return check_life(gate, figures, gate_rebuild, _closed)


def _closed(gate: Gate, figures: commands.GateFigures) -> bool:
    return figures.status == "recovering" and (
        go_on(gate, _load) or failed_over(gate, commands.show, gate_rebuild)
    )


def gate_rebuild(gate: Gate, why: str, found_generation: int = 0) -> bool:
    """Start a new generation of the gate's data and load its tasks.

    Return False if another worker does it. Raise the runner's errors; the next check then continues
    what was started.
    """
    cursor = Cursor.objects.filter(kind=KIND, tag=gate.tag).first()
    never = cursor is None and not GateEvent.objects.filter(aggregate=gate).exists()
    fresh = gate.created_at > timezone.now() - timedelta(seconds=FRESH_SECONDS)
    if never and fresh and not found_generation:
        create_in_redis(gate)  # its first generation: nothing was lost, it was not yet created
        return True
    act = Act("admission.rebuild", "admission.gate_rebuild", why)
    drained = cursor.generation if cursor else 0
    moments = ("recovering_since", "loading_at")
    if begin_anew(gate, act, found_generation, drained, moments=moments) is None:
        return False
    logger.warning("admission: gate %s is rebuilt from SQL: %s", gate.slug, why)
    say_recovering(gate, why)
    hotpath.run(
        commands.recover(
            gate.slug,
            gate.generation,
            settings_of(gate),
            open_after_seconds=_longest_left(gate),
            paused=gate.paused_at is not None,
        )
    )
    _load(gate)
    return True


def _longest_left(gate: Gate) -> int:
    """Return the seconds after which every permit of the previous generation has ended.

    A permit that was granted before the permit duration was shortened keeps its deadline.
    """
    now = timezone.now()
    ends = [now + timedelta(seconds=gate.permit_seconds)]
    tasks = Task.objects.filter(batch__gate=gate, state=Task.State.ISSUED)
    if last := tasks.aggregate(last=Max("deadline_at"))["last"]:
        ends.append(last)
    changes = AuditEntry.objects.filter(
        thing_kind=Gate.access_kind,
        thing_id=gate.slug,
        action="admission.gate_configure",
        at__gt=now - timedelta(seconds=DAY_SECONDS),  # no permit is longer
    )
    for at, before in changes.values_list("at", "before"):
        ends.append(at + timedelta(seconds=(before or {}).get("permit_seconds", 0)))
    return ceil((max(ends) - now).total_seconds())


def _load(gate: Gate) -> None:
    load_after_loss(gate)
    hotpath.run(commands.loaded(gate.slug, paused=gate.paused_at is not None))
    Gate.objects.filter(pk=gate.pk).update(loading_at=None)
