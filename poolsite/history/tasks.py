"""Sweeps: drain every stream every other second, and delete history past its retention."""

from collections.abc import Iterator

import structlog
from django.conf import settings
from django.db import InterfaceError, OperationalError
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext_lazy

from poolsite import hotpath
from poolsite.history import refusals, retention, stream
from poolsite.history.draining import drain_aggregate
from poolsite.history.models import Cursor
from poolsite.history.registry import Aggregate, Source, sources
from poolsite.history.reporting import DrainAlarms, load_alarms
from poolsite.jobs import SweepDescription, sweep

# A twelfth of the shortest retention, so that a table is hardly larger than what it must keep.
RETENTION_SECONDS = max(60, min(3_600, round(settings.CALLS_KEEP_DAYS * 86_400 / 12)))
PASSING = (OperationalError, InterfaceError, hotpath.HotPathError)
LOG = structlog.get_logger(__name__)


def drain_all(shard: int, shards: int) -> dict[str, int]:
    """Drain the new entries of this shard's streams; one that fails does not stop the others."""
    done = {"aggregates": 0, "entries": 0, "lag": 0, "gaps": 0, "failed": 0}
    alarms = load_alarms()
    for source in sources():
        for aggregate in _dirty(source, shard, shards):
            done["aggregates"] += 1
            _drain_one(source, aggregate, alarms, done)
    return done


sweep(
    "history.drain",
    drain_all,
    every_seconds=settings.HISTORY_DRAIN_SECONDS,
    shards=settings.HISTORY_SHARDS,
    description=SweepDescription(
        _("History to SQL"),
        _("Writes new changes from Redis to the database."),
        {
            "aggregates": ngettext_lazy("%(n)s object read", "%(n)s objects read", "n"),
            "entries": ngettext_lazy("%(n)s entry written", "%(n)s entries written", "n"),
            "lag": ngettext_lazy("%(n)s entry waiting", "%(n)s entries waiting", "n"),
            "gaps": ngettext_lazy("%(n)s gap found", "%(n)s gaps found", "n"),
        },
    ),
)


def delete_old(shard: int, shards: int) -> dict[str, int]:
    """Delete history past its retention, in bounded batches and by the month."""
    return retention.delete_expired()


sweep(
    "history.retention",
    delete_old,
    every_seconds=RETENTION_SECONDS,
    description=SweepDescription(
        _("Old history"),
        _("Deletes history that is past its retention period."),
        {
            "rows": ngettext_lazy("%(n)s row deleted", "%(n)s rows deleted", "n"),
            "months": ngettext_lazy(
                "%(n)s month of events deleted", "%(n)s months of events deleted", "n"
            ),
        },
    ),
)


def _drain_one(
    source: Source, aggregate: Aggregate, alarms: DrainAlarms, done: dict[str, int]
) -> None:
    try:
        drained = drain_aggregate(source, aggregate, alarms)
    except Exception as error:
        done["failed"] += 1
        if refusals.note(error) or isinstance(error, PASSING):
            LOG.warning("history.not_drained", tag=aggregate.tag, error=str(error))
        else:
            LOG.exception("history.fault", tag=aggregate.tag)
            alarms.fault(aggregate.tag, str(error))
    else:
        done["entries"] += drained.count
        done["lag"] += drained.lag
        done["gaps"] += drained.gaps


def _dirty(source: Source, shard: int, shards: int) -> Iterator[Aggregate]:
    """Yield the shard's aggregates whose counters in Redis differ from SQL's cursor."""
    mine = list(source.aggregates(shard, shards))
    rows = Cursor.objects.filter(kind=source.kind).values_list("tag", "generation", "seq")
    cursors = {tag: (generation, seq) for tag, generation, seq in rows}
    states = stream.states(mine)
    for aggregate in mine:
        state, cursor = states[aggregate.tag], cursors.get(aggregate.tag)
        if state.generation is None and cursor is None:
            continue
        in_order = cursor == (state.generation, state.seq) and state.drained == state.seq
        if not in_order:
            yield aggregate
