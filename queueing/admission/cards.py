"""The gates' card on the overview, with the fullest gates or a hint to create the first one."""

from functools import partial
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from poolsite import console
from poolsite.aggregates.cards import MOST, AggregateCard
from poolsite.console.templatetags.console import figure
from queueing.admission.models import Gate
from queueing.admission.selectors import GATES, GateNow
from queueing.admission.services import gate_configure


def _cells(row: GateNow) -> list[dict[str, Any]]:
    labels = {"paused": _("Paused"), "recovering": _("Recovering"), "missing": _("No data")}
    use: dict[str, Any] = {"text": "–"}
    if row.figures:
        used, cap = figure(row.figures.used), figure(row.figures.cap)
        use = {"text": f"{used} / {cap}", "share": min(1.0, row.share or 0.0)}
    if row.status in labels:
        use = {"text": labels[row.status], "severity": "warning"}
    return [use, {"text": figure(row.figures.waiting if row.figures else None)}]


CARD = AggregateCard(
    name="admission.gates",
    title=gettext_lazy("Gates"),
    icon="traffic",
    order=30,
    right="admission.view",
    url="admission:gates",
    page="admission:gate",
    rows=lambda reader: GATES.with_figures(GATES.visible(reader)[:MOST], patient=True),
    rank=lambda row: row.share or 0,
    trends=partial(GATES.trends, value="used"),
    columns=lambda: [_("Gate"), _("In use"), _("Waiting")],
    cells=_cells,
    empty=gettext_lazy(
        "No gates yet. Create a gate to limit how many devices use an external system at once."
    ),
    counted=lambda n: ngettext("%(n)s gate", "%(n)s gates", n) % {"n": n},
)


def register() -> None:
    """Register the card and the managed kind. AppConfig.ready() calls this once."""
    CARD.register()
    console.register_managed(
        console.ManagedKind(
            "gate",
            gettext_lazy("Gate"),
            gettext_lazy("Visible to everyone who can view the gate."),
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
