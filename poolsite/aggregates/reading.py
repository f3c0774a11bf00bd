"""Reads aggregates: the rows that a reader may see, each with its live figures."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Generic, TypeVar

from django.db.models import Model, QuerySet

from poolsite import access, hotpath
from poolsite.access import Principal
from poolsite.aggregates import minutes
from poolsite.hotpath import rows
from poolsite.hotpath.aggregates import AggregateFigures
from poolsite.hotpath.rows import RedisRow

A = TypeVar("A", bound=RedisRow)
F = TypeVar("F", bound=AggregateFigures)
N = TypeVar("N", bound="Now[Any, Any]")
M = TypeVar("M", bound=Model)
S = TypeVar("S", bound=Model)


@dataclass(frozen=True)
class Now(Generic[A, F]):
    """An aggregate with its figures in Redis. figures: None if Redis has none at the moment.

    hour: the counts of the last hour, if they were read.
    """

    row: A
    figures: F | None
    hour: dict[str, int] = field(default_factory=dict)

    @property
    def status(self) -> str:
        """The status in Redis, or "missing" while Redis has no figures."""
        return self.figures.status if self.figures else "missing"


@dataclass(frozen=True)
class Visible(Generic[M]):
    """The rows of one kind that aren't deleted, safe for tenants.

    right: the action to view one. slug: the path to its slug.
    """

    model: type[M]
    right: str
    slug: str = "slug"

    def visible(self, principal: Principal, action: str = "") -> QuerySet[M]:
        """Return the rows with which the principal may do the action, by slug. "": view them."""
        # In the model's own order: an explicit order would be part of every GROUP BY.
        return access.visible(self._rows(), principal, action or self.right, slug_field=self.slug)

    def get(self, principal: Principal, slug: str, action: str = "") -> M:
        """Return the row with which the principal may do the action. "": view it.

        Raise access.Hidden if there is none or it belongs to another account, otherwise Forbidden.
        """
        found = self._rows().filter(**{self.slug: slug})
        return access.require_one(found, principal, action or self.right)

    def has_any(self, principal: Principal) -> bool:
        """Return whether the menu shows the kind. Most customers have none, and no menu entry."""
        return principal.is_operator or self.visible(principal).exists()

    def _rows(self) -> QuerySet[M]:
        living: QuerySet[M] = self.model._default_manager.select_related("account")
        return living


@dataclass(frozen=True, kw_only=True)
class Reader(Visible[A], Generic[A, F, N, S]):
    """One kind with its figures and minutes.

    show: returns the command for the figures of a slug.
    now_of: makes the `Now` of a row with its figures.
    sample: the model of its minutes, whose key to the aggregate is `part`.
    counters: the names of the counts that are summed up for the last hour.
    """

    show: Callable[[str], hotpath.Command[F | None]]
    now_of: Callable[..., N]
    sample: type[S]
    part: str
    counters: Sequence[str]

    def every(self, principal: Principal) -> list[N]:
        """Return all rows that the principal may see, with figures. Raise the runner's errors."""
        return self.with_figures(self.visible(principal))

    def now(self, row: A) -> N:
        """Return one row with its figures. Raise the runner's errors."""
        return self.with_figures([row])[0]

    def with_figures(self, aggregates: Iterable[A], *, patient: bool = False) -> list[N]:
        """Return these rows with their figures, read in one batch. patient: None instead of an
        error.
        """
        found = rows.with_figures(aggregates, self.show, patient=patient)
        return [self.now_of(row, figures) for row, figures in found]

    def with_hours(self, aggregates: Sequence[A]) -> list[N]:
        """Return these rows with figures (None on an error) and the last hour's counts."""
        found, sums = rows.with_figures(aggregates, self.show, patient=True), self.hours(aggregates)
        return [self.now_of(row, figures, sums[row.pk]) for row, figures in found]

    def hours(self, aggregates: Iterable[A]) -> dict[int, dict[str, int]]:
        """Return the counts of the last hour of each aggregate, by key."""
        keys = [row.pk for row in aggregates]
        return minutes.hour_sums(keys, self._minutes(), f"{self.part}_id", self.counters)

    def samples(self, row: A, since: datetime) -> list[S]:
        """Return the aggregate's minutes since then, oldest first."""
        found = self._minutes().filter(**{self.part: row}, minute__gte=since)
        return list(found.order_by("minute"))

    def trends(
        self, aggregates: Iterable[A], now: datetime, value: str
    ) -> dict[int, list[float | None]]:
        """Return a value for every minute of the last hour, by aggregate's key. None: no sample."""
        keys = [row.pk for row in aggregates]
        return minutes.hour_trends(keys, self._minutes(), f"{self.part}_id", value, now)

    def _minutes(self) -> QuerySet[S]:
        return self.sample._default_manager.all()
