"""The admin's lists of gates and batches. All changes go through the services, which audit them."""

from typing import Any, Final

from django.contrib import admin
from django.utils.translation import gettext_lazy as _

from poolsite.access.services.actor import Actor
from poolsite.console.admin_columns import Words
from poolsite.console.admin_lists import ChangedAggregate, OfAggregate
from poolsite.console.admin_values import labelled_text
from queueing.admission import services
from queueing.admission.forms import GateChecks
from queueing.admission.models import Gate, GateEvent, Task, TaskBatch
from queueing.admission.services.gates import SETTINGS

# The label of each event of a gate (queueing.admission.gate.changes.EVENTS).
EVENTS: Final[dict[str, Any]] = {
    "created": _("Gate created"),
    "recovering": _("Recovery started"),
    "opened": _("Recovered"),
    "paused": _("Paused"),
    "resumed": _("Resumed"),
    "configured": _("Settings changed"),
    "resized": _("Concurrency limit changed"),
    "granted": _("Permit granted"),
    "renewed": _("Permit renewed"),
    "adopted": _("Permit restored"),
    "released": _("Permit returned"),
    "expired": _("Permit expired"),
    "freed": _("Slot freed by an operator"),
    "overrun": _("Concurrency limit exceeded"),
    "issued": _("Task issued"),
    "done": _("Task done"),
    "failed": _("Task failed"),
    "returned": _("Task returned to its batch"),
    "late": _("Late result"),
    "began": _("Batch window opened"),
    "held": _("Batch paused"),
    "went on": _("Batch resumed"),
    "extended": _("Batch extended"),
    "cancelled": _("Batch cancelled"),
    "loaded": _("Tasks loaded"),
    "closed": _("Tasks expired"),
    "ended": _("Batch window closed"),
    "finished": _("Batch finished"),
}


class OfGate(OfAggregate):
    """Rows of a gate."""

    view_action = "admission.view"
    kind = "gate"
    path = "gate"


@admin.register(Gate)
class GateAdmin(ChangedAggregate):
    """Gates. Deleting a gate needs a reason and is done on its own page."""

    form = GateChecks
    view_action = "admission.view"
    change_action = "admission.operate"
    create_action = "admission.create"
    kind = "gate"
    list_display = ("slug", "name", "key", "account", "cap", "pinned_cap", "paused_at")
    search_fields = ("slug__startswith", "name__istartswith", "key__startswith")
    fields = ("slug", "account", *SETTINGS)

    def create(self, actor: Actor, **given: Any) -> Gate:
        return services.gate_create(actor=actor, **given)

    def configure(self, actor: Actor, stored: Gate, **changes: Any) -> None:
        services.gate_configure(actor=actor, gate=stored, **changes)


@admin.register(TaskBatch)
class BatchAdmin(OfGate):
    """Batches, read-only. They are uploaded and controlled on their own pages."""

    list_display = ("name", "gate", "state", "opens_at", "closes_at", "total", "done", "failed")
    list_filter = ("state",)
    search_fields = ("name__istartswith",)
    ordering = ("-opens_at",)


@admin.register(Task)
class TaskAdmin(OfGate):
    """Tasks by device."""

    path = "batch__gate"
    list_display = ("device", "batch", "state", "attempt", "issued_at", "ended_at", "reason")
    search_fields = ("device__startswith",)
    ordering = ("-id",)


@admin.register(GateEvent)
class GateEventAdmin(OfGate):
    """Every entry of the gates' histories."""

    path = "aggregate"
    words = {
        "event": Words(EVENTS),
        "holder": lambda holder: str(holder).removeprefix("@"),
        "data": labelled_text,
    }
    list_display = ("at_us", "aggregate", "event", "holder", "task", "batch", "reason")
    search_fields = ("holder__startswith",)
    ordering = ("-at_us",)
