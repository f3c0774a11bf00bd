"""What the gates put on the overview: the fullest gates, and the first gate."""

from datetime import UTC, datetime, timedelta
from typing import Any

from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from poolsite import access, operations
from poolsite.operations.templatetags.console import figure
from queueing.admission.models import Gate, MinuteSample
from queueing.admission.views.gates import GateRow, gate_rows, visible_gates

MOST_GATES = 200
FULLEST = 5
HOUR_MINUTES = 60


def register() -> None:
    """Called once, by AppConfig.ready()."""
    operations.register_card(
        operations.Card(
            "admission.gates",
            gettext_lazy("Gates"),  # type: ignore[arg-type]  # translated where it is shown
            gates_card,
            order=30,
            icon="traffic",
        )
    )
    operations.register_first_step(
        operations.FirstStep(
            "admission.gate",
            gettext_lazy("Make the first gate"),  # type: ignore[arg-type]
            gettext_lazy(  # type: ignore[arg-type]
                "A gate lets so many at once on an external system. Then upload a batch of tasks."
            ),
            gettext_lazy("New gate"),  # type: ignore[arg-type]
            "admission:gate_create",
            "admission.create",
            Gate.objects.exists,
            order=40,
        )
    )


def gates_card(principal: Any) -> operations.CardData | None:
    """The fullest gates: use of the cap, who waits."""
    if not access.decide(principal, "admission.view"):
        return None
    url = reverse("admission:gates")
    rows = gate_rows(list(visible_gates(principal).order_by("slug")[:MOST_GATES]))
    if not rows:
        empty = _("No gates yet. A gate lets so many at once on an external system.")
        return operations.CardData([], empty=empty, url=url)
    ranked = sorted(rows, key=lambda row: -(row.share or 0))[:FULLEST]
    trends = _trends([row.gate for row in ranked], timezone.now())
    hint = ngettext("%(n)s gate", "%(n)s gates", len(rows)) % {"n": len(rows)}
    return operations.CardData(
        [],
        columns=[_("Gate"), _("In use"), _("Waiting")],
        rows=[_card_row(row, trends[row.gate.pk]) for row in ranked],
        hint=hint,
        url=url,
    )


def _card_row(row: GateRow, trend: list[float | None]) -> dict[str, Any]:
    words = {"paused": _("Paused"), "recovering": _("Recovering"), "missing": _("Not read")}
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


def _trends(gates: list[Gate], now: datetime) -> dict[int, list[float | None]]:
    """Slots in use at each minute of the last hour; None = no sample."""
    last = now.astimezone(UTC).replace(second=0, microsecond=0)
    since = last - timedelta(minutes=HOUR_MINUTES)
    trends: dict[int, list[float | None]] = {gate.pk: [None] * HOUR_MINUTES for gate in gates}
    samples = MinuteSample.objects.filter(gate__in=gates, minute__gt=since, minute__lte=last)
    for gate_id, minute, used in samples.values_list("gate_id", "minute", "used"):
        place = round((minute - since).total_seconds() / 60) - 1
        if 0 <= place < HOUR_MINUTES:
            trends[gate_id][place] = float(used)
    return trends
