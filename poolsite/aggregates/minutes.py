"""Takes samples of aggregates at each minute's end, and reads those of the last hour."""

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
LATE_SECONDS = 90  # an older sample does not count as the start of this minute's figures


def minute_of(moment: datetime | None = None) -> datetime:
    """Return the start of the current minute, or of a moment's minute, in UTC."""
    return (moment or timezone.now()).astimezone(UTC).replace(second=0, microsecond=0)


def take_samples(
    rows: QuerySet[Row],
    show: Callable[[str], hotpath.Command[T | None]],
    sample: Callable[[Row, datetime, T], Model],
    now: datetime | None,
) -> dict[str, int]:
    """Sample every row for the minute that has just begun. A sample that exists stays.

    show: returns the command for a slug's figures. sample: makes the sample, saved here.
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
        return False  # another run of the task was first
    return True


def sample_before(samples: QuerySet[Sample], minute: datetime, generation: int) -> Sample | None:
    """Return the sample from which this minute's counts start, or None without one of the
    generation.
    """
    before: Any = samples.filter(minute__lt=minute).order_by("-minute").first()
    if before is None or before.generation != generation:
        return None
    return before if minute - before.minute <= timedelta(seconds=LATE_SECONDS) else None


def counted(totals: Mapping[str, int], before: Mapping[str, int] | None) -> dict[str, int]:
    """Return what was added within the minute, by counter, or 0 if that is not known."""
    base = totals if before is None else before
    return {name: max(0, total - base.get(name, total)) for name, total in totals.items()}


def hour_values(
    samples: Callable[[datetime], Iterable[Any]], names: Sequence[str]
) -> dict[str, Any]:
    """Return the last hour for a chart: `at` in ms, and each name's values. None marks a gap.

    samples: returns those since a moment.
    """
    last = minute_of()
    minutes = [last - timedelta(minutes=n) for n in reversed(range(HOUR_MINUTES))]
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
    """Return the sums of the last hour's samples by key and counter, or 0 without samples."""
    since = minute_of() - timedelta(minutes=HOUR_MINUTES)
    sums = {each: dict.fromkeys(names, 0) for each in keys}
    found = samples.filter(**{f"{key}__in": list(sums)}, minute__gt=since).order_by()
    for row in found.values(key).annotate(**{f"sum_{name}": Sum(name) for name in names}):
        sums[row[key]] = {name: row[f"sum_{name}"] for name in names}
    return sums


def hour_trends(
    keys: Iterable[int], samples: QuerySet[Any], key: str, value: Any, now: datetime
) -> dict[int, list[float | None]]:
    """Return a value at each minute of the last hour for each key, or None without a sample.

    samples: those of these keys and perhaps of others. key, value: the columns, or an annotation's
    name.
    """
    last = minute_of(now)
    since = last - timedelta(minutes=HOUR_MINUTES)
    trends: dict[int, list[float | None]] = {each: [None] * HOUR_MINUTES for each in keys}
    found = samples.filter(**{f"{key}__in": list(trends)}, minute__gt=since, minute__lte=last)
    for each, minute, figure in found.values_list(key, "minute", value):
        place = round((minute - since).total_seconds() / 60) - 1
        trends[each][place] = None if figure is None else float(figure)
    return trends
