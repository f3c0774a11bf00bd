"""What the search finds of gates: gates, batches, and tasks by their device."""

from collections.abc import Iterable

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from poolsite import access, console
from poolsite.access import Principal
from poolsite.console import Found
from poolsite.console.matching import named
from poolsite.console.palette import Offer, register_offer
from poolsite.console.registry import Follow
from queueing.admission.models import Gate, Task, TaskBatch
from queueing.admission.selectors import state_of


def register() -> None:
    """Register the search and the offer of a new gate. AppConfig.ready() calls this once."""
    console.register_search("admission", find)
    label = gettext_lazy("New gate…")
    register_offer(
        Offer("admission.new", label, "admission:gate_create", "add", "admission.create")
    )


def find(principal: Principal, text: str, limit: int) -> Iterable[Found]:
    """Return gates by name or key, batches by name, and tasks by their device's exact name."""
    if not access.decide(principal, "admission.view"):
        return []
    gates = access.visible(Gate.objects.all(), principal, "admission.view").order_by("slug")
    found = [
        _gate(principal, place, row)
        for place, row in named(gates, text, ("name", "slug", "key"), limit)
    ]
    batches = TaskBatch.objects.filter(gate__in=gates.order_by()).select_related("gate")
    found += [
        Found(
            _("Batch"),
            row.name,
            _("Batch of %(gate)s") % {"gate": row.gate.name},
            reverse("admission:batch", args=[row.pk]),
            exact=place == 0,
            group="gates",
            icon="inventory_2",
            rank=place,
            chip=str(TaskBatch.State(state_of(row)).label),
        )
        for place, row in named(batches.order_by("-pk"), text, ("name",), limit)
    ]
    tasks = Task.objects.filter(device=text, batch__gate__in=gates.order_by())
    return found + [
        Found(
            _("Device task"),
            row.device,
            row.batch.name,
            reverse("admission:batch", args=[row.batch.pk]),
            exact=True,
            group="gates",
            icon="devices",
            key=f"task:{row.pk}",
            chip=row.get_state_display(),
        )
        for row in tasks.select_related("batch").order_by("-pk")[:limit]
    ]


def _gate(principal: Principal, place: int, row: Gate) -> Found:
    follow = [Follow("pages", _("Batches"), reverse("admission:batches", args=[row.slug]), "list")]
    if access.decide(principal, "admission.operate", row):
        url = reverse("admission:gate_settings", args=[row.slug])
        follow.append(Follow("pages", _("Settings"), url, "settings"))
    return Found(
        _("Gate"),
        row.name,
        row.slug,
        reverse("admission:gate", args=[row.slug]),
        exact=place == 0,
        group="gates",
        icon="traffic",
        key=f"gate:{row.slug}",
        rank=place,
        chip=_("Paused") if row.paused_at else "",
        look="warn",
        follow=follow,
    )
