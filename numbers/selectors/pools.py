"""Queries about pools: settings, figures, samples, sizing advice. Tenant-safe."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, TypeVar

from django.db.models import Model, QuerySet

from numbers import pool as commands
from numbers.models import CallRecord, MinuteSample, Pool
from numbers.selectors.sizing import Sizing, size
from numbers.selectors.states import pool_live
from poolsite import access
from poolsite.access import Principal
from poolsite.aggregates.reading import Visible

M = TypeVar("M", bound=Model)
Status = Literal["open", "paused", "recovering", "lost"]
STATUSES: dict[str, Status] = {"open": "open", "paused": "paused", "recovering": "recovering"}


@dataclass(frozen=True, slots=True)
class PoolNow:
    """A pool from SQL with its live figures, or None while Redis lost it or is unavailable."""

    pool: Pool
    live: commands.PoolFigures | None

    @property
    def status(self) -> Status:
        """The pool's status. `lost`: Redis does not have the pool, or can't be read."""
        return "lost" if self.live is None else STATUSES[self.live.status]

    @property
    def status_reason(self) -> str:
        """Why the pool is not open."""
        if self.status == "paused":
            return self.pool.paused_reason
        if self.status == "recovering" and self.live is not None:
            return ", ".join(self.live.awaiting)
        return ""

    @property
    def in_use(self) -> int:
        """Numbers in a call."""
        return self.live.busy_up + self.live.busy_down if self.live is not None else 0

    @property
    def usable(self) -> int:
        """Numbers that calls can use: pickable ones, and those in a call."""
        return self.live.pickable + self.in_use if self.live is not None else 0

    @property
    def occupancy(self) -> float:
        """The share of the usable numbers that are in a call, 0 to 1."""
        return self.in_use / self.usable if self.usable else 0.0


POOLS = Visible(Pool, "numbers.view")
visible_pools, pool_get = POOLS.visible, POOLS.get


def in_visible_pools(rows: QuerySet[M], principal: Principal, pool: str = "pool") -> QuerySet[M]:
    """The rows whose pool this principal may see. `pool` names the rows' field."""
    return access.visible(
        rows,
        principal,
        "numbers.view",
        account_field=f"{pool}__account",
        slug_field=f"{pool}__slug",
        kind="pool",
    )


def pool_list(principal: Principal) -> list[PoolNow]:
    """The pools that the principal may see, by slug, with their figures."""
    pools = list(visible_pools(principal).order_by("slug"))
    live = pool_live([pool.slug for pool in pools])
    return [PoolNow(pool, live[pool.slug]) for pool in pools]


def pool_now(pool: Pool) -> PoolNow:
    """A pool with its figures."""
    return PoolNow(pool, pool_live([pool.slug])[pool.slug])


def pool_samples(pool: Pool, *, start: datetime, end: datetime) -> list[MinuteSample]:
    """The samples of [start, end), oldest first."""
    rows = MinuteSample.objects.filter(pool=pool, minute__gte=start, minute__lt=end)
    return list(rows.order_by("minute"))


def pool_sizing(
    pool: Pool, live: commands.PoolFigures | None, *, start: datetime, end: datetime
) -> Sizing | None:
    """The sizing advice from the pool's busiest half hour, or None if nothing is known."""
    now = PoolNow(pool, live)
    return size(pool, now.usable, start=start, end=end) if live is not None else None


def pool_live_calls(pool: Pool, *, after: str = "", limit: int = 100) -> list[CallRecord]:
    """Calls in progress by number, as far as the history is drained. `after` continues the list."""
    rows = CallRecord.objects.filter(pool=pool, ended_at=None, number__gt=after)
    return list(rows.order_by("number")[:limit])
