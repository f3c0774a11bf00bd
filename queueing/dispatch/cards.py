"""The groups' card on the overview, with the busiest groups or a hint to create the first one."""

from functools import partial
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext, pgettext

from poolsite import console
from poolsite.aggregates.cards import MOST, AggregateCard
from poolsite.console.templatetags.console import figure
from queueing.dispatch.models import Group
from queueing.dispatch.selectors import GROUPS, GroupNow
from queueing.dispatch.services import group_configure


def _cells(row: GroupNow) -> list[dict[str, Any]]:
    labels = {"recovering": _("Recovering"), "missing": _("No data")}
    sessions: dict[str, Any] = {"text": figure(row.figures.sessions if row.figures else None)}
    if row.status in labels:
        sessions = {"text": labels[row.status], "severity": "warning"}
    pending: dict[str, Any] = {"text": figure(row.figures.pending if row.figures else None)}
    if row.figures and row.figures.pending:
        pending["severity"] = "warning"
    return [sessions, pending]


CARD = AggregateCard(
    name="dispatch.groups",
    title=gettext_lazy("Dispatcher"),
    icon="hub",
    order=35,
    right="dispatch.view",
    url="dispatch:groups",
    page="dispatch:group",
    rows=lambda reader: GROUPS.with_figures(GROUPS.visible(reader)[:MOST], patient=True),
    rank=lambda row: row.figures.sessions if row.figures else 0,
    trends=partial(GROUPS.trends, value="sessions"),
    columns=lambda: [_("Group"), _("Sessions"), pgettext("link", "Pending")],
    cells=_cells,
    empty=gettext_lazy("No groups yet. Create a group to keep each session on one instance."),
    counted=lambda n: ngettext("%(n)s group", "%(n)s groups", n) % {"n": n},
)


def register() -> None:
    """Register the card and the managed kind. AppConfig.ready() calls this once."""
    CARD.register()
    console.register_managed(
        console.ManagedKind(
            "group",
            gettext_lazy("Group"),
            gettext_lazy("Visible to everyone who can view the group."),
            Group.objects.all,
            lambda group: reverse("dispatch:group", args=[group.slug]),
            "dispatch.view",
            "dispatch.configure",
            console.Undo(
                "dispatch.group_configure",
                console.through(group_configure, "group"),
            ),
        )
    )
