"""Samples that aggregates leave at each minute's end: taken, and read as the last hour."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

from django.db import IntegrityError, transaction
from django.db.models import Model, QuerySet, Sum
from django.utils import timezone

from poolsite import hotpath
from poolsite.hotpath.rows import AggregateRow, with_figures

Row = TypeVar("Row", bound=AggregateRow)
Sample = TypeVar("Sample", bound=Model)
T = TypeVar("T")
HOUR_MINUTES = 60
LATE_SECONDS = 90  # a sample of an earlier minute is no start for this one's figures


def minute_of(moment: datetime | None = None) -> datetime:
    """The minute that has just begun, or that of a moment, in UTC."""
    return (moment or timezone.now()).astimezone(UTC).replace(second=0, microsecond=0)


def take_samples(
    rows: QuerySet[Row],
    show: Callable[[str], hotpath.Command[T | None]],
    sample: Callable[[Row, datetime, T], Model],
    now: datetime | None,
) -> dict[str, int]:
    """Sample every row for the minute that has just begun; a minute that is there stays.

    show: the command for the figures of a slug. sample: makes the sample, which is saved here.
    """
    minute = minute_of(now)
    done = {"samples": 0, "failed": 0}
    for row, its in with_figures(rows.order_by("pk"), show, patient=True):
        if its is None:
            done["failed"] += 1
        else:
            done["samples"] += _insert(sample(row, minute, its))
    return done


def _insert(sample: Model) -> bool:
    try:
        with transaction.atomic():
            sample.save(force_insert=True)
    except IntegrityError:
        return False  # another beat ticked first
    return True


def sample_before(samples: QuerySet[Sample], minute: datetime, generation: int) -> Sample | None:
    """The sample that this minute's counts are since; None = there is none of the same life."""
    before: Any = samples.filter(minute__lt=minute).order_by("-minute").first()
    if before is None or before.generation != generation:
        return None
    return before if minute - before.minute <= timedelta(seconds=LATE_SECONDS) else None


def counted(totals: Mapping[str, int], before: Mapping[str, int] | None) -> dict[str, int]:
    """What came within the minute, by counter; 0 where nothing can be said."""
    base = totals if before is None else before
    return {name: max(0, total - base.get(name, total)) for name, total in totals.items()}


def hour_values(
    samples: Callable[[datetime], Iterable[Any]], names: Sequence[str]
) -> dict[str, Any]:
    """The last hour for a chart: `at` in ms, and each name's values; null = a gap in the data.

    samples: those since a moment.
    """
    last = minute_of()
    minutes = [last - timedelta(minutes=n) for n in reversed(range(HOUR_MINUTES + 1))]
    known = {sample.minute: sample for sample in samples(minutes[0])}
    return {
        "at": [int(at.timestamp() * 1_000) for at in minutes],
        "values": {
            name: [getattr(known[at], name) if at in known else None for at in minutes]
            for name in names
        },
    }


def hour_sums(
    keys: Iterable[int], samples: QuerySet[Any], key: str, names: Sequence[str]
) -> dict[int, dict[str, int]]:
    """What the samples of the last hour add up to, by key and counter; 0 without samples."""
    since = minute_of() - timedelta(minutes=HOUR_MINUTES)
    sums = {each: dict.fromkeys(names, 0) for each in keys}
    found = samples.filter(**{f"{key}__in": list(sums)}, minute__gte=since).order_by()
    for row in found.values(key).annotate(**{f"sum_{name}": Sum(name) for name in names}):
        sums[row[key]] = {name: row[f"sum_{name}"] for name in names}
    return sums


def hour_trends(
    keys: Iterable[int], samples: QuerySet[Any], key: str, value: Any, now: datetime
) -> dict[int, list[float | None]]:
    """A value at each minute of the last hour for each key; None = no sample.

    samples: of these keys and perhaps others. key, value: the columns, or an annotation's name.
    """
    last = minute_of(now)
    since = last - timedelta(minutes=HOUR_MINUTES)
    trends: dict[int, list[float | None]] = {each: [None] * HOUR_MINUTES for each in keys}
    found = samples.filter(**{f"{key}__in": list(trends)}, minute__gt=since, minute__lte=last)
    for each, minute, figure in found.values_list(key, "minute", value):
        trends[each][round((minute - since).total_seconds() / 60) - 1] = float(figure)
    return trends
