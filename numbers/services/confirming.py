"""Numbers that a script added to a pool that confirms them: Redis is notified once SQL has them.

The drain notes each number in the transaction that writes it to SQL, where no two pools can have
the same number. If Redis was unavailable or the process died, the watch repeats the notification. A
number whose old call is still in progress in another pool waits until that call has ended, also one
that was moved here.
"""

import logging
from collections.abc import Iterable, Mapping, Sequence
from functools import partial

from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet
from redis.exceptions import RedisError

from numbers import pool as commands
from numbers.models import CallRecord, Number, Pool, UnconfirmedNumber
from numbers.services.adding import load_numbers
from numbers.services.common import chunks
from numbers.services.owners import calls_of_others
from poolsite import hotpath

logger = logging.getLogger(__name__)
NOT_ADDED = 0  # the time of the add of a number that is not in Redis yet


def confirm_after_commit(pool_id: int, added: Mapping[str, int]) -> None:
    """Confirm the numbers that SQL has for this pool, after the transaction is committed.

    `added`: number → the µs of its add.
    """
    if not added:
        return
    UnconfirmedNumber.objects.bulk_create(
        [
            UnconfirmedNumber(pool_id=pool_id, value=value, added_us=us)
            for value, us in added.items()
        ],
        batch_size=500,
        update_conflicts=True,
        unique_fields=["pool", "value"],
        update_fields=["added_us"],
    )
    transaction.on_commit(partial(_confirm_noted, pool_id, list(added)))


def load_when_free(pool: Pool, rows: Sequence[Number]) -> None:
    """Add SQL's rows to Redis, each as soon as it has no old call in another pool."""
    busy = calls_of_others(pool, [row.value for row in rows])
    load_numbers(pool, [row for row in rows if row.value not in busy])
    notes = [UnconfirmedNumber(pool=pool, value=one, added_us=NOT_ADDED) for one in busy]
    UnconfirmedNumber.objects.bulk_create(notes, batch_size=500, ignore_conflicts=True)


def _confirm_noted(pool_id: int, values: Sequence[str]) -> None:
    pool = Pool.all_objects.get(pk=pool_id)
    for chunk in chunks(values, commands.ROWS_LIMIT):
        _confirm(pool, list(UnconfirmedNumber.objects.filter(pool=pool, value__in=chunk)))


def confirm_waiting(pools: Iterable[Pool]) -> int:
    """Repeat what was not confirmed immediately. Return how many notes are completed."""
    by_id = {pool.pk: pool for pool in pools}
    waiting: dict[int, list[UnconfirmedNumber]] = {}
    for row in _free_to_confirm().filter(pool__in=by_id)[: commands.ROWS_LIMIT]:
        waiting.setdefault(row.pool_id, []).append(row)
    return sum(_confirm(by_id[pool_id], rows) for pool_id, rows in waiting.items())


def _free_to_confirm() -> QuerySet[UnconfirmedNumber]:
    calls = CallRecord.objects.filter(number=OuterRef("value"), ended_at=None)
    elsewhere = calls.exclude(pool_id=OuterRef("pool_id"))
    return UnconfirmedNumber.objects.exclude(Exists(elsewhere)).order_by("pk")


def _confirm(pool: Pool, rows: Sequence[UnconfirmedNumber]) -> int:
    if not rows:
        return 0
    busy = calls_of_others(pool, [row.value for row in rows])  # in another format, too
    rows = [row for row in rows if row.value not in busy]
    values = [row.value for row in rows]
    ours = {row.value: row for row in Number.objects.filter(pool=pool, value__in=values)}
    added = {row.value: row.added_us for row in rows if row.value in ours}
    missing = [ours[value] for value, added_us in added.items() if added_us == NOT_ADDED]
    try:
        if added:
            hotpath.run(commands.confirm(pool.slug, added))
        load_numbers(pool, missing)
    except (hotpath.HotPathError, RedisError, commands.PoolRefusedError) as error:
        logger.warning("numbers: added numbers of %s stay unconfirmed: %s", pool.slug, error)
        return 0
    # A number that was added again meanwhile has a later time, so its note stays.
    UnconfirmedNumber.objects.filter(
        pk__in=[row.pk for row in rows], added_us__in=[row.added_us for row in rows]
    ).delete()
    return len(rows)


def confirm_states(pool: Pool, states: Iterable[commands.NumberState]) -> None:
    """Confirm numbers that SQL has in this pool, with the states that Redis just returned."""
    rows = [(state.number, state.since_us) for state in states]
    for chunk in chunks(rows, commands.ROWS_LIMIT):
        hotpath.run(commands.confirm(pool.slug, dict(chunk)))
