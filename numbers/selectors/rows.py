"""Pools with their figures of now and their last hour: for lists, cards and headlines."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.urls import reverse
from django.utils import timezone

from numbers import pool as door
from numbers.models import Pool
from numbers.selectors.charts import LastHour, last_hours
from poolsite import hotpath


@dataclass(frozen=True)
class PoolRow:
    """One pool as the list shows it; figures are None while Redis cannot be read."""

    pool: Pool
    figures: door.Figures | None
    hour: LastHour
    trend: list[float | None]

    @property
    def status(self) -> str:
        """A word for the chip; "" = open."""
        if self.figures is None:
            return "unavailable"
        return "" if self.figures.status == "open" else self.figures.status

    @property
    def busy(self) -> int | None:
        """Numbers in a call."""
        return None if self.figures is None else self.figures.busy_up + self.figures.busy_down

    @property
    def usable(self) -> int | None:
        """Numbers that are in a call or could be picked, now or after their rest."""
        if self.figures is None or self.busy is None:
            return None
        return self.busy + self.figures.pickable + self.figures.resting

    @property
    def occupancy(self) -> float | None:
        """Share of the usable numbers that are in a call."""
        return self.busy / self.usable if self.usable and self.busy is not None else None

    @property
    def over(self) -> bool:
        """Whether the last hour's blocking passed the pool's own mark."""
        share = self.hour.blocked_share
        return share is not None and share * 100 > self.pool.blocking_alarm_percent

    @property
    def url(self) -> str:
        """Its page."""
        return reverse("numbers:pool", args=[self.pool.slug])


def pool_rows(pools: Sequence[Pool]) -> list[PoolRow]:
    """The pools with their figures: one query, one round trip to each Redis node."""
    hours = last_hours(pools, now=timezone.now())
    found = hotpath.run_batch([door.show(pool.slug) for pool in pools])
    rows = []
    for pool, figures in zip(pools, found, strict=True):
        known = None if isinstance(figures, hotpath.HotPathError) else figures
        rows.append(PoolRow(pool, known, *hours[pool.pk]))
    return rows
