"""Groups of duplicates: a row with a canonical form and its duplicates; tenant-safe."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import QuerySet

from numbers.models import Number
from numbers.selectors.lists import visible_numbers
from poolsite.access import Principal


@dataclass(frozen=True, slots=True)
class TwinGroup:
    """One line: the row that keeps it, and the duplicates that the user may see."""

    keeper: Number
    twins: Sequence[Number]
    hidden: int  # duplicates in pools that the user may not see

    @property
    def rows(self) -> list[Number]:
        """Every shown row, the keeper first."""
        return [self.keeper, *self.twins]


def keepers(principal: Principal | None = None) -> QuerySet[Number]:
    """The rows that have duplicates, oldest first. Without a principal, those of all accounts."""
    rows = Number.objects.all() if principal is None else visible_numbers(principal)
    with_twins = Number.objects.filter(twin_of__isnull=False).values("twin_of")
    return rows.filter(pk__in=with_twins).select_related("pool__account").order_by("pk")


def groups_of(principal: Principal, found: Sequence[Number]) -> list[TwinGroup]:
    """Return the groups of some keepers, with a fixed number of queries."""
    twins = Number.objects.filter(twin_of__in=[row.pk for row in found]).order_by("pk")
    seen = set(
        visible_numbers(principal).filter(pk__in=twins.values("pk")).values_list("pk", flat=True)
    )
    by_keeper: dict[int, list[Number]] = {}
    for row in twins.select_related("pool__account").prefetch_related("tags"):
        by_keeper.setdefault(row.twin_of_id or 0, []).append(row)
    groups = []
    for keeper in found:
        its = by_keeper.get(keeper.pk, [])
        shown = [row for row in its if row.pk in seen]
        groups.append(TwinGroup(keeper, shown, len(its) - len(shown)))
    return groups
