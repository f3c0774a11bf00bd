"""Samples each group at the end of every minute, with its counts within that minute."""

from datetime import datetime

from poolsite.aggregates import minutes
from queueing.dispatch import dispatcher as commands
from queueing.dispatch.models import Group, MinuteSample

COUNTERS = ("started", "ended", "refused", "messages")


def sample_take(now: datetime | None = None) -> dict[str, int]:
    """Sample every group for the minute that has just begun. Existing samples are kept."""
    return minutes.take_samples(Group.objects.all(), commands.show, _sample, now)


def _sample(group: Group, minute: datetime, now: commands.GroupFigures) -> MinuteSample:
    samples = MinuteSample.objects.filter(group=group)
    before = minutes.sample_before(samples, minute, now.generation)
    totals = {name: getattr(now, name) for name in COUNTERS}
    return MinuteSample(
        group=group,
        minute=minute,
        sessions=now.sessions,
        totals=totals,
        generation=now.generation,
        **minutes.counted(totals, before.totals if before is not None else None),
    )
