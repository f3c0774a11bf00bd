"""What the groups put on the overview: the busiest groups, and the first group."""

from typing import Any

from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext, pgettext

from poolsite import access, console
from poolsite.aggregates.minutes import hour_trends
from poolsite.console.templatetags.console import figure
from queueing.dispatch import selectors
from queueing.dispatch.models import Group, MinuteSample
from queueing.dispatch.selectors import GroupNow
from queueing.dispatch.services.groups import group_configure

MOST_GROUPS = 200
BUSIEST = 5


def register() -> None:
    """Called once, by AppConfig.ready()."""
    console.register_card(
        console.Card(
            "dispatch.groups",
            gettext_lazy("Dispatcher"),  # type: ignore[arg-type]  # translated where it is shown
            groups_card,
            order=35,
            icon="hub",
        )
    )
    console.register_managed(
        console.ManagedKind(
            "group",
            gettext_lazy("Group"),  # type: ignore[arg-type]
            gettext_lazy("Visible to everyone who can view the group."),  # type: ignore[arg-type]
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


def groups_card(principal: Any) -> console.CardData | None:
    """The busiest groups: sessions, and links that are pending."""
    if not access.decide(principal, "dispatch.view"):
        return None
    url = reverse("dispatch:groups")
    groups = list(selectors.visible_groups(principal)[:MOST_GROUPS])
    if not groups:
        empty = _("No groups yet. Create a group to keep each session on one instance.")
        return console.CardData([], empty=empty, url=url)
    rows = selectors.with_figures(groups, patient=True)
    ranked = sorted(rows, key=lambda row: -(row.figures.sessions if row.figures else 0))[:BUSIEST]
    keys = [row.group.pk for row in ranked]
    trends = hour_trends(keys, MinuteSample.objects.all(), "group_id", "sessions", timezone.now())
    hint = ngettext("%(n)s group", "%(n)s groups", len(rows)) % {"n": len(rows)}
    return console.CardData(
        [],
        columns=[_("Group"), _("Sessions"), pgettext("link", "Pending")],
        rows=[_card_row(row, trends[row.group.pk]) for row in ranked],
        hint=hint,
        url=url,
    )


def _card_row(row: GroupNow, trend: list[float | None]) -> dict[str, Any]:
    words = {"recovering": _("Recovering"), "missing": _("No data")}
    sessions: dict[str, Any] = {"text": figure(row.figures.sessions if row.figures else None)}
    if row.status in words:
        sessions = {"text": words[row.status], "severity": "warning"}
    pending: dict[str, Any] = {"text": figure(row.figures.pending if row.figures else None)}
    if row.figures and row.figures.pending:
        pending["severity"] = "warning"
    return {
        "name": row.group.name,
        "url": reverse("dispatch:group", args=[row.group.slug]),
        "cells": [sessions, pending],
        "trend": trend,
    }
