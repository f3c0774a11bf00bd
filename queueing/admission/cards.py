"""What the gates put on the overview: the fullest gates, and the first gate."""

from typing import Any

from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from poolsite import access, console
from poolsite.aggregates.minutes import hour_trends
from poolsite.console.templatetags.console import figure
from queueing.admission import selectors
from queueing.admission.models import Gate, MinuteSample
from queueing.admission.selectors import GateNow
from queueing.admission.services.gates import gate_configure

MOST_GATES = 200
FULLEST = 5


def register() -> None:
    """Called once, by AppConfig.ready()."""
    console.register_card(
        console.Card(
            "admission.gates",
            gettext_lazy("Gates"),  # type: ignore[arg-type]  # translated where it is shown
            gates_card,
            order=30,
            icon="traffic",
        )
    )
    console.register_managed(
        console.ManagedKind(
            "gate",
            gettext_lazy("Gate"),  # type: ignore[arg-type]
            gettext_lazy("Visible to everyone who can view the gate."),  # type: ignore[arg-type]
            Gate.objects.all,
            lambda gate: reverse("admission:gate", args=[gate.slug]),
            "admission.view",
            "admission.operate",
            console.Undo(
                "admission.gate_configure",
                console.through(gate_configure, "gate"),
            ),
        )
    )


def gates_card(principal: Any) -> console.CardData | None:
    """The fullest gates: use of the cap, who waits."""
    if not access.decide(principal, "admission.view"):
        return None
    url = reverse("admission:gates")
    gates = list(selectors.visible_gates(principal)[:MOST_GATES])
    if not gates:
        empty = _(
            "No gates yet. Create a gate to limit how many devices use an external system at once."
        )
        return console.CardData([], empty=empty, url=url)
    rows = selectors.with_figures(gates, patient=True)
    ranked = sorted(rows, key=lambda row: -(row.share or 0))[:FULLEST]
    keys = [row.gate.pk for row in ranked]
    trends = hour_trends(keys, MinuteSample.objects.all(), "gate_id", "used", timezone.now())
    hint = ngettext("%(n)s gate", "%(n)s gates", len(rows)) % {"n": len(rows)}
    return console.CardData(
        [],
        columns=[_("Gate"), _("In use"), _("Waiting")],
        rows=[_card_row(row, trends[row.gate.pk]) for row in ranked],
        hint=hint,
        url=url,
    )


def _card_row(row: GateNow, trend: list[float | None]) -> dict[str, Any]:
    words = {"paused": _("Paused"), "recovering": _("Recovering"), "missing": _("No data")}
    use: dict[str, Any] = {"text": "–"}
    if row.figures:
        used, cap = figure(row.figures.used), figure(row.figures.cap)
        use = {"text": f"{used} / {cap}", "share": min(1.0, row.share or 0.0)}
    if row.status in words:
        use = {"text": words[row.status], "severity": "warning"}
    return {
        "name": row.gate.name,
        "url": reverse("admission:gate", args=[row.gate.slug]),
        "cells": [use, {"text": figure(row.figures.waiting if row.figures else None)}],
        "trend": trend,
    }
