"""The pools' kind of history: its streams, and the tables that their entries are written to."""

from django.conf import settings

from numbers import pool as commands
from numbers.models import (
    CallRecord,
    HealthAction,
    HealthSlot,
    MinuteSample,
    Pool,
    PoolEvent,
    SpamLabel,
)
from numbers.services.common import KIND
from numbers.services.rebuilding import pool_check, pool_rebuild
from numbers.services.records import write_entries
from poolsite.aggregates.sources import AggregateSource
from poolsite.history import Retained

HEALTH_KEEP_DAYS = 8  # the longest window of number health, plus a day

POOL_HISTORY = AggregateSource(
    kind=KIND,
    model=Pool,
    keys=commands.PoolKeys,
    write_entries=write_entries,
    show=commands.show,
    check=pool_check,
    rebuild=pool_rebuild,
    tables=lambda: (
        Retained(PoolEvent, keep_days=settings.CALLS_KEEP_DAYS),
        Retained(CallRecord, "ended_at", settings.CALLS_KEEP_DAYS),
        Retained(MinuteSample, "minute"),
        Retained(HealthSlot, "slot_us", HEALTH_KEEP_DAYS),
        Retained(HealthAction, "returned_at"),
        Retained(SpamLabel, "created_at"),
    ),
)
