"""Samples each gate at the end of every minute, with its counts within that minute."""

from datetime import datetime

from poolsite.aggregates import minutes
from queueing.admission import gate as commands
from queueing.admission.models import Gate, MinuteSample

COUNTERS = ("granted", "refused", "expired", "done", "failed", "late", "overrun")


def sample_take(now: datetime | None = None) -> dict[str, int]:
    """Sample every gate for the minute that has just begun. Existing samples are kept."""
    return minutes.take_samples(Gate.objects.all(), commands.show, _sample, now)


def _sample(gate: Gate, minute: datetime, now: commands.GateFigures) -> MinuteSample:
    samples = MinuteSample.objects.filter(gate=gate)
    before = minutes.sample_before(samples, minute, now.generation)
    totals = {name: getattr(now, name) for name in COUNTERS}
    return MinuteSample(
        gate=gate,
        minute=minute,
        cap=now.cap,
        used=now.used,
        waiting=now.waiting,
        hold_ms=now.hold_us // 1_000,
        totals=totals,
        generation=now.generation,
        **minutes.counted(totals, before.totals if before is not None else None),
    )
