"""Groups with their live figures."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db.models import QuerySet

from poolsite import access, hotpath
from poolsite.access import Principal
from poolsite.aggregates.minutes import hour_sums as sums_of
from poolsite.hotpath import rows
from queueing.dispatch import dispatcher as door
from queueing.dispatch.models import Group, MinuteSample
from queueing.dispatch.services.groups import SETTINGS

HOUR_COUNTERS = ("started", "refused")
COUNTS = (
    *("sessions", "active", "pending", "names", "clearing", "started", "ended", "refused"),
    *("messages", "delivered", "cleared", "expired", "restored", "freed", "dropped"),
    *("retried", "ejections", "ejected"),
)


@dataclass(frozen=True, slots=True)
class GroupNow:
    """A group, and its figures in Redis; None = Redis has no such group at the moment."""

    group: Group
    figures: door.Figures | None
    hour: dict[str, int] = field(default_factory=dict)  # HOUR_COUNTERS, where they are read

    @property
    def status(self) -> str:
        """open, recovering, or missing while Redis has none."""
        return self.figures.status if self.figures else "missing"


def figures_of(found: door.Figures | None) -> dict[str, Any]:
    """Return a group's figures as pages get them; `status` "missing" while Redis has none.

    lag: history entries that SQL has not yet. dropped: entries that it will never get.
    """
    if found is None:
        return {"status": "missing"}
    counts = {name: getattr(found, name) for name in COUNTS}
    return {"status": found.status, **counts, "lag": found.seq - found.drained}


def visible_groups(principal: Principal) -> "QuerySet[Group]":
    """The groups that the reader may see."""
    groups = Group.objects.select_related("account").order_by("slug")
    return access.visible(groups, principal, "dispatch.view")


def group_get(principal: Principal, slug: str, action: str = "dispatch.view") -> Group:
    """One group. Raises access.Hidden when there is none or it is a foreign one, else Forbidden."""
    groups = Group.objects.select_related("account").filter(slug=slug)
    return access.require_one(groups, principal, action)


def group_list(principal: Principal) -> list[GroupNow]:
    """Every group that the principal may see, with its figures. Raises the runner's errors."""
    return with_figures(list(visible_groups(principal)))


def with_figures(groups: Sequence[Group], *, patient: bool = False) -> list[GroupNow]:
    """The groups with their figures, read at once. patient: None in place of an error."""
    found = rows.with_figures(groups, door.show, patient=patient)
    return [GroupNow(group, figures) for group, figures in found]


def hour_sums(groups: Sequence[Group]) -> dict[int, dict[str, int]]:
    """What the last hour counted of each group, by key."""
    keys = [group.pk for group in groups]
    return sums_of(keys, MinuteSample.objects.all(), "group_id", HOUR_COUNTERS)


def with_hours(groups: Sequence[Group]) -> list[GroupNow]:
    """The groups with their figures and what the last hour counted; None in place of an error."""
    sums = hour_sums(groups)
    found = with_figures(groups, patient=True)
    return [GroupNow(each.group, each.figures, sums[each.group.pk]) for each in found]


def group_now(group: Group) -> GroupNow:
    """A group with its figures."""
    return GroupNow(group, hotpath.run(door.show(group.slug)))


def group_out(now: GroupNow) -> dict[str, Any]:
    """A group as the interface tells it."""
    group, figures = now.group, figures_of(now.figures)
    return {
        "slug": group.slug,
        "status": figures["status"],
        **{name: getattr(group, name) for name in SETTINGS},
        **{name: figures.get(name, 0) for name in COUNTS if name != "dropped"},
    }


def samples(group: Group, since: datetime) -> list[MinuteSample]:
    """A group's minutes since then, oldest first."""
    return list(MinuteSample.objects.filter(group=group, minute__gte=since).order_by("minute"))
