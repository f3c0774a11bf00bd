"""Numbers that the Redis command line added to a pool although SQL has them elsewhere.

Elsewhere is another pool, or another format in the same pool.
"""

import logging
from collections.abc import Sequence

from django.utils.translation import gettext_noop
from redis.exceptions import RedisError

from numbers import pool as commands
from numbers.models import Pool
from numbers.services.common import chunks
from numbers.services.owners import place_of, twins_known
from poolsite import hotpath
from poolsite.operations import incidents

logger = logging.getLogger(__name__)

INCIDENT = "numbers.foreign"
CALLS_NAMED = 20


def note_foreign(pool_id: int, values: Sequence[str]) -> None:
    """Quarantine the numbers here and open an incident. Reconcile lists them until removed.

    If Redis is unavailable, the next reconcile repeats the quarantine.
    """
    pool = Pool.all_objects.get(pk=pool_id)
    by_home: dict[str, list[str]] = {}
    for value, owner in twins_known(pool, values).items():
        by_home.setdefault(place_of(value, owner), []).append(value)
    for home, its in by_home.items():
        _hold(pool, its, home)
    if by_home:
        found = [value for its in by_home.values() for value in its]
        open_incident(pool, len(found), min(by_home), _running(pool, found))


def _hold(pool: Pool, values: Sequence[str], home: str) -> None:
    try:
        for chunk in chunks(values, commands.ROWS_LIMIT):
            hotpath.run(commands.quarantine(pool.slug, chunk, f"in pool {home}"[:200]))
    except (hotpath.HotPathError, RedisError) as error:
        logger.warning("numbers: foreign numbers of %s stay open: %s", pool.slug, error)


def _running(pool: Pool, values: Sequence[str]) -> list[str]:
    """Calls in progress on them, `number (call id)`: picked before SQL could refuse the number."""
    calls = []
    try:
        for chunk in chunks(values, commands.ROWS_LIMIT):
            states = hotpath.run(commands.states(pool.slug, chunk))
            for number, state in (states.by_number if states else {}).items():
                if state.call is not None:
                    calls.append(f"{number} ({state.call.call_id or '-'})")
    except (hotpath.HotPathError, RedisError) as error:
        logger.warning("numbers: calls of foreign numbers of %s unknown: %s", pool.slug, error)
    return calls


def open_incident(pool: Pool, count: int, home: str, calls: Sequence[str]) -> None:
    """Report that numbers of another pool are in this pool's data, with their calls in progress."""
    detail = gettext_noop(
        "Added from the Redis command line, but already stored in %(home)s. Quarantined here."
    )
    if calls:
        detail = gettext_noop(
            "Added from the Redis command line, but already stored in %(home)s. Quarantined "
            "here. Calls still in progress on them here: %(calls)s."
        )
    incidents.open(
        type=INCIDENT,
        object=pool.slug,
        severity="warning",
        title=gettext_noop("Numbers in %(pool)s already stored elsewhere: %(count)s"),
        detail=detail,
        remedy=gettext_noop(
            "Delete them from this pool in Redis, or move the stored numbers to this pool first."
        ),
        url=f"/pools/{pool.slug}/",
        account=pool.account_id,
        params={
            "count": count,
            "pool": pool.slug,
            "home": home,
            "calls": ", ".join(calls[:CALLS_NAMED]) + (" …" if len(calls) > CALLS_NAMED else ""),
        },
    )
