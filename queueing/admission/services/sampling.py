"""What a gate looked like at each minute's end, and what it did within that minute."""

from datetime import UTC, datetime, timedelta

from django.db import IntegrityError, transaction

from poolsite import hotpath
from queueing.admission import gate as door
from queueing.admission.models import Gate, MinuteSample

LATE_SECONDS = 90  # a sample of an earlier minute is no start for this one's figures
COUNTERS = ("granted", "refused", "expired", "done", "failed", "late", "overrun")


def sample_take(now: datetime | None = None) -> dict[str, int]:
    """Sample every gate for the minute that has just begun; a minute that is there stays."""
    minute = (now or datetime.now(UTC)).replace(second=0, microsecond=0)
    gates = list(Gate.objects.order_by("pk"))
    figures = hotpath.run_batch([door.show(gate.slug) for gate in gates])
    done = {"samples": 0, "failed": 0}
    for gate, its in zip(gates, figures, strict=True):
        if its is None or isinstance(its, hotpath.HotPathError):
            done["failed"] += 1
        elif _sample(gate, minute, its):
            done["samples"] += 1
    return done


def _sample(gate: Gate, minute: datetime, now: door.Figures) -> bool:
    before = MinuteSample.objects.filter(gate=gate, minute__lt=minute).order_by("-minute").first()
    fresh = (
        before is not None
        and before.generation == now.generation
        and minute - before.minute <= timedelta(seconds=LATE_SECONDS)
    )
    totals = {name: getattr(now, name) for name in COUNTERS}
    base = before.totals if fresh and before is not None else totals
    row = MinuteSample(
        gate=gate,
        minute=minute,
        cap=now.cap,
        used=now.used,
        waiting=now.waiting,
        hold_ms=now.hold_us // 1_000,
        totals=totals,
        generation=now.generation,
        **{name: max(0, totals[name] - base.get(name, totals[name])) for name in COUNTERS},
    )
    try:
        with transaction.atomic():
            row.save(force_insert=True)
    except IntegrityError:
        return False  # another beat ticked first
    return True
