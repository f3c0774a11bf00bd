"""Groups with their live figures."""

from typing import Any

from poolsite.aggregates.reading import Now, Reader
from queueing.dispatch import dispatcher as commands
from queueing.dispatch.models import Group, MinuteSample
from queueing.dispatch.services.groups import SETTINGS

COUNTS = (
    *("sessions", "active", "pending", "names", "clearing", "started", "ended", "refused"),
    *("messages", "delivered", "cleared", "expired", "restored", "freed", "dropped"),
    *("retried", "ejections", "ejected"),
)


class GroupNow(Now[Group, commands.GroupFigures]):
    """A group, and its figures in Redis."""

    @property
    def group(self) -> Group:
        """The group."""
        return self.row


def figures_of(found: commands.GroupFigures | None) -> dict[str, Any]:
    """Return a group's figures for pages. `status` is "missing" while Redis has none.

    lag: history entries that are not in SQL yet. dropped: entries that SQL will never get.
    """
    if found is None:
        return {"status": "missing"}
    counts = {name: getattr(found, name) for name in COUNTS}
    return {"status": found.status, **counts, "lag": found.seq - found.drained}


GROUPS = Reader(
    model=Group,
    right="dispatch.view",
    show=commands.show,
    now_of=GroupNow,
    sample=MinuteSample,
    part="group",
    counters=("started", "refused"),
)


def group_out(now: GroupNow) -> dict[str, Any]:
    """Return a group as the API shows it."""
    group, figures = now.group, figures_of(now.figures)
    return {
        "slug": group.slug,
        "status": figures["status"],
        **{name: getattr(group, name) for name in SETTINGS},
        **{name: figures.get(name, 0) for name in COUNTS if name != "dropped"},
    }
