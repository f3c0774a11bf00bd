"""The pools' kind of history: which streams there are, and what becomes of their entries."""

from collections.abc import Sequence

from django.conf import settings

from numbers.models import (
    CallRecord,
    HealthAction,
    HealthSlot,
    MinuteSample,
    Pool,
    PoolEvent,
    SpamLabel,
)
from poolsite.aggregates.sources import AggregateSource
from poolsite.history import Aggregate, Entry, Retained

HEALTH_KEEP_DAYS = 8  # the longest window of number health, and a day


class PoolSource(AggregateSource):
    """Registered in AppConfig.ready()."""

    kind = "numbers.pool"
    model = Pool
    prefix = ""

    def write(self, aggregate: Aggregate, generation: int, entries: Sequence[Entry]) -> None:
        from numbers.services.records import write_entries

        write_entries(aggregate.object_id, generation, entries)

    def behind(self, aggregate: Aggregate, reason: str) -> None:
        from numbers.services.healing import heal_pool

        heal_pool(aggregate.object_id, reason)

    def retained(self) -> Sequence[Retained]:
        return (
            Retained(PoolEvent, keep_days=settings.CALLS_KEEP_DAYS),
            Retained(CallRecord, "ended_at", settings.CALLS_KEEP_DAYS),
            Retained(MinuteSample, "minute"),
            Retained(HealthSlot, "slot_us", HEALTH_KEEP_DAYS),
            Retained(HealthAction, "returned_at"),
            Retained(SpamLabel, "created_at"),
        )
