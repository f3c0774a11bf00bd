"""Pools with their current figures and their last hour: for lists, cards and headlines."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.urls import reverse
from django.utils import timezone

from numbers import pool as commands
from numbers.models import Pool
from numbers.selectors.charts import LastHour, last_hours
from numbers.selectors.pools import PoolNow
from numbers.selectors.states import pool_live


@dataclass(frozen=True)
class PoolRow:
    """One pool as lists and cards show it. Figures are None while Redis can't be read."""

    now: PoolNow
    hour: LastHour
    trend: list[float | None]

    @property
    def pool(self) -> Pool:
        """The pool's row in SQL."""
        return self.now.pool

    @property
    def figures(self) -> commands.PoolFigures | None:
        """The pool's counts in Redis."""
        return self.now.live

    @property
    def status(self) -> str:
        """The status for the chip, or "" if the pool is open."""
        return "" if self.now.status == "open" else self.now.status

    @property
    def busy(self) -> int | None:
        """Numbers in a call."""
        return None if self.figures is None else self.now.in_use

    @property
    def usable(self) -> int | None:
        """Numbers in a call, or free to be picked."""
        return None if self.figures is None else self.now.usable

    @property
    def occupancy(self) -> float | None:
        """The share of the usable numbers that are in a call."""
        return self.now.occupancy if self.usable else None

    @property
    def over(self) -> bool:
        """Whether the last hour's blocking exceeded the pool's alert threshold."""
        share = self.hour.blocked_share
        return share is not None and share * 100 > self.pool.blocking_alarm_percent

    @property
    def url(self) -> str:
        """The URL of the pool's page."""
        return reverse("numbers:pool", args=[self.pool.slug])


def pool_rows(pools: Sequence[Pool]) -> list[PoolRow]:
    """Return the pools with their figures. One query, one round trip to each Redis node."""
    hours = last_hours(pools, now=timezone.now())
    live = pool_live([pool.slug for pool in pools])
    return [PoolRow(PoolNow(pool, live[pool.slug]), *hours[pool.pk]) for pool in pools]
