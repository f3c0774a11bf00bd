"""Rebuilds a pool's data from SQL when Redis lost it or went back in time. The pool stays closed.

Numbers are lent again when every switch that may have calls has reported them or restarted, or when
the longest lease has passed. An operator can open the pool early. Several workers may find the loss
at the same time: the one that increments SQL's generation does the work. If it dies while loading,
the next one continues.
"""

import logging
from collections.abc import Iterator
from datetime import timedelta

from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_noop

from numbers import pool as commands
from numbers.models import CallRecord, Number, Pool, Switch
from numbers.services.adding import redis_rows, register_contacts, write_aliases
from numbers.services.common import KIND, settings_of
from numbers.services.opening import INCIDENT
from numbers.services.pools import create_in_redis
from poolsite import hotpath
from poolsite.access.services.aggregates import Act, begin_anew
from poolsite.aggregates.services.recovering import check_life, failed_over, go_on
from poolsite.history.models import Cursor
from poolsite.operations import incidents

logger = logging.getLogger(__name__)

LOADS_AT_ONCE = 4
NO_NAME = "calls without a switch"  # awaited but never reports, so only time opens the pool


def pool_check(pool: Pool, figures: commands.PoolFigures | None) -> bool:
    """Compare a pool's data with SQL, and rebuild it if it was lost. Return whether it did.

    `figures`: as Redis just returned them.
    """
    return check_life(pool, figures, pool_rebuild, _closed)


def _closed(pool: Pool, figures: commands.PoolFigures) -> bool:
    return figures.status == "recovering" and (
        go_on(pool, load_all) or failed_over(pool, commands.show, pool_rebuild)
    )


def pool_rebuild(pool: Pool, why: str, found_generation: int = 0) -> bool:
    """Begin a new generation of the pool's data, load it, and await the switches.

    Return False if another worker does it. Raise the runner's errors; the next check then continues
    the work.
    """
    cursor = Cursor.objects.filter(kind=KIND, tag=pool.tag).first()
    used = (
        cursor is not None
        or bool(found_generation)
        or CallRecord.objects.filter(pool=pool).exists()
        or Switch.objects.filter(pool=pool).exists()  # its calls may be missing from the history
    )
    if not used:
        create_in_redis(pool)  # its first generation: nothing was lost, it was only not created
        load_all(pool)
        return True
    act = Act("numbers.rebuild", "numbers.pool_rebuild", why)
    drained = cursor.generation if cursor else 0
    moments = ("recovering_since", "loading_at")
    if begin_anew(pool, act, found_generation, drained, moments=moments) is None:
        return False
    logger.warning("numbers: pool %s is rebuilt from SQL: %s", pool.slug, why)
    _say_recovering(pool, why)
    _begin(pool)
    load_all(pool)
    return True


def _begin(pool: Pool) -> None:
    outcome = hotpath.run(
        commands.recover(
            pool.slug,
            pool.generation,
            settings_of(pool),
            open_after_seconds=pool.lease_seconds,
            switches=awaited_switches(pool),
        )
    )
    if not outcome.ok:
        raise commands.PoolRefusedError(outcome.reason)


def awaited_switches(pool: Pool) -> dict[str, str]:
    """Return name → incarnation of every switch that may still have calls.

    This includes new switches that SQL has not heard from: their first calls may have been lost
    with the entries that were not drained.
    """
    longest = timezone.now() - timedelta(seconds=pool.lease_seconds + pool.suspect_seconds)
    heard = Q(last_heard__gte=longest) | Q(last_heard=None, created_at__gte=longest)
    switches = dict(Switch.objects.filter(heard, pool=pool).values_list("name", "incarnation"))
    running = CallRecord.objects.filter(pool=pool, ended_at=None).values_list("switch", flat=True)
    known = dict(Switch.objects.filter(pool=pool).values_list("name", "incarnation"))
    for name in set(running):
        switches.setdefault(name or NO_NAME, known.get(name, ""))
    return switches


def load_all(pool: Pool) -> int:
    """Load every number from SQL into Redis, then mark the pool as complete. Safe to repeat."""
    put = 0
    for rows in _pages(pool):
        write_aliases(pool, rows)
        to_run = [
            commands.load(
                pool.slug, redis_rows(pool, rows[start : start + commands.ROWS_LIMIT]), event=""
            )
            for start in range(0, len(rows), commands.ROWS_LIMIT)
        ]
        for result in hotpath.run_batch(to_run):
            if isinstance(result, hotpath.HotPathError):
                raise result
            put += result
        register_contacts(pool, rows)
        Pool.objects.filter(pk=pool.pk).update(loading_at=timezone.now())
    outcome = hotpath.run(commands.loaded(pool.slug, paused=pool.paused_at is not None))
    if not outcome.ok:
        raise commands.PoolRefusedError(outcome.reason)
    waiting = outcome.reason == "waiting"
    changes: dict[str, object] = {"loading_at": None}
    if not waiting:
        changes["recovering_since"] = None
        incidents.close(type=INCIDENT, object=pool.slug)
    Pool.objects.filter(pk=pool.pk).update(**changes)
    return put


def _pages(pool: Pool) -> Iterator[list[Number]]:
    """Yield every number of a pool, a few thousand at a time, by keyset: memory does not grow."""
    size = LOADS_AT_ONCE * commands.ROWS_LIMIT
    after = ""
    numbers = Number.objects.filter(pool=pool).only(
        *("value", "canonical", "is_up", "contact"),
        *("quarantined_at", "quarantined_reason", "pool_id"),
    )
    while True:
        rows = list(numbers.filter(value__gt=after).order_by("value")[:size])
        if rows:
            yield rows
            after = rows[-1].value
        if len(rows) < size:
            return


def _say_recovering(pool: Pool, why: str) -> None:
    incidents.open(
        type=INCIDENT,
        object=pool.slug,
        severity="critical",
        title=gettext_noop("Pool %(pool)s is recovering"),
        detail=gettext_noop(
            "Redis lost its data (%(why)s). The pool was rebuilt from SQL. No number is "
            "given out until every switch has reported its calls."
        ),
        remedy=gettext_noop("Wait for the switches, or open the pool early and give a reason."),
        url=f"/pools/{pool.slug}/",
        account=pool.account_id,
        params={"pool": pool.slug, "why": why},
    )
