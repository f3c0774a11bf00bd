"""Recovers aggregates whose data Redis lost or never received.

Any number of workers may find a loss at once, and each may die: the next check does what is left
undone.
"""

import logging
from collections.abc import Callable, Iterable, Sequence
from datetime import timedelta
from functools import partial
from typing import Any, TypeVar

from django.db.models import QuerySet
from django.utils import timezone
from redis.exceptions import RedisError

from poolsite import hotpath
from poolsite.hotpath.aggregates import AggregateFigures
from poolsite.hotpath.rows import RedisRow, closed_by_promotion, resend
from poolsite.jobs.shards import of_shard

A = TypeVar("A", bound=RedisRow)
F = TypeVar("F", bound=AggregateFigures)
STALE_LOAD_SECONDS = 15  # then the worker that loads is considered dead
logger = logging.getLogger(__name__)


def try_each(
    rows: Iterable[A],
    work: Callable[[A], object],
    done: dict[str, int],
    *refusals: type[Exception],
    said: str = "is not healed yet",
) -> None:
    """Do the work for each row. If Redis is away or refuses (`refusals`), count it as `failed`."""
    failures: tuple[type[Exception], ...] = (hotpath.HotPathError, RedisError, *refusals)
    for row in rows:
        try:
            work(row)
        except failures as error:
            done["failed"] += 1
            logger.warning("%s %s: %s", row.tag, said, error)


def watch_each(
    rows: Sequence[A],
    show: Callable[[str], hotpath.Command[F | None]],
    look: Callable[[A, F | None], object],
    done: dict[str, int],
    *refusals: type[Exception],
) -> None:
    """Check each row with its figures, read in one batch. Count failures like `try_each`."""
    answers = hotpath.run_batch([show(row.slug) for row in rows])
    seen: list[tuple[A, F | None]] = []
    for row, its in zip(rows, answers, strict=True):
        if isinstance(its, hotpath.HotPathError):
            done["failed"] += 1
        else:
            seen.append((row, its))
    figures = {row.pk: its for row, its in seen}
    try_each([row for row, _its in seen], lambda row: look(row, figures[row.pk]), done, *refusals)


def finish_deletions(
    rows: QuerySet[Any],
    destroy: Callable[[Any], object],
    shard: int,
    shards: int,
    done: dict[str, int],
) -> None:
    """Remove deleted aggregates that are still in Redis: Redis was away, or the process died.

    rows: of the kind, including the deleted ones; `unsent` are a row's marks of unsent changes.
    destroy: removes a row's data. Count removed rows as `resent`, and failures like `try_each`.
    """
    left = rows.exclude(deleted_at=None).filter(unsent__isnull=False).distinct().order_by("pk")

    def finish(row: Any) -> None:
        done["resent"] += resend(row.unsent.all(), partial(destroy, row))

    try_each(of_shard(left, shard, shards), finish, done, said="is not removed yet")


def check_life(
    row: A,
    figures: F | None,
    rebuild: Callable[[A, str, int], bool],
    closed: Callable[[A, F], bool],
) -> bool:
    """Compare an aggregate's data with what SQL remembers, and rebuild it if it was lost.

    figures: just read from Redis.
    rebuild: begins a new generation, for a reason, later than the one found in Redis; returns False
        if another worker does it.
    closed: handles data of the current generation, which may not be open.

    Return whether something was done.
    """
    if figures is not None and figures.generation == row.generation:
        return closed(row, figures)
    found = figures.generation if figures is not None else 0
    if found > row.generation:
        row.refresh_from_db(fields=["generation"])
        if row.generation == found:
            return False  # another worker has rebuilt it since this row was read
    return rebuild(row, "lost", found)


def failed_over(
    row: A, show: Callable[[str], hotpath.Command[Any]], rebuild: Callable[[A, str, int], bool]
) -> bool:
    """Rebuild an aggregate that was closed because its server was promoted.

    Return False if it was not, or if another worker does it.
    """
    return closed_by_promotion(row, show) and rebuild(row, "failed over", row.generation)


def go_on(row: A, load: Callable[[A], object]) -> bool:
    """Continue a load (`loading_at`) whose worker died. Return False if no load is so old."""
    row.refresh_from_db(fields=["loading_at", "generation"])
    now, rows = timezone.now(), type(row)._default_manager
    stale = now - timedelta(seconds=STALE_LOAD_SECONDS)
    taken = rows.filter(pk=row.pk, loading_at__lt=stale).update(loading_at=now)
    if taken:
        load(row)
    return bool(taken)
