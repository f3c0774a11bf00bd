"""The admin's lists of gates and batches: every change goes through the services, audited."""

from typing import Any
from urllib.parse import urlencode

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from unfold.admin import ModelAdmin

from poolsite import access
from poolsite.access.admin_rights import ByActions
from poolsite.access.principals import principal_of_request
from poolsite.operations.admin_lists import BoundedPaginator
from queueing.admission import services
from queueing.admission.models import Gate, GateEvent, Task, TaskBatch
from queueing.admission.services.gates import SETTINGS


class OfGate(ByActions, ModelAdmin):  # type: ignore[misc]  # unfold ships no types
    """Rows of a gate, seen by who may see the gate; only looked at unless a subclass says so."""

    view_action = "admission.view"
    account_field = "gate__account"
    slug_field = "gate__slug"
    gate_path = "gate"
    show_full_result_count = False
    paginator = BoundedPaginator
    list_per_page = 50

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """The rows that the reader may see, with their gates."""
        rows = self.model._default_manager.select_related(self.gate_path)
        return access.visible(
            rows,
            principal_of_request(request),
            self.view_action,
            account_field=self.account_field,
            slug_field=self.slug_field,
            kind="gate",
        )

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> list[str]:
        """Every field."""
        return [field.name for field in self.model._meta.fields]

    def history_view(
        self, request: HttpRequest, object_id: str, extra_context: Any = None
    ) -> HttpResponse:
        """The audit log of the gate that the row belongs to: there stands who changed what."""
        found = self.get_object(request, object_id)
        gate = _gate_of(found)
        query = {"thing_kind": "gate", "thing_id": gate.slug} if gate is not None else {}
        return HttpResponseRedirect(f"{reverse('access:history')}?{urlencode(query)}")


def _gate_of(row: Gate | TaskBatch | Task | GateEvent | None) -> Gate | None:
    if row is None or isinstance(row, Gate):
        return row
    if isinstance(row, GateEvent):
        return row.aggregate
    return row.batch.gate if isinstance(row, Task) else row.gate


@admin.register(Gate)
class GateAdmin(OfGate):
    """Gates; deleting one needs a reason and is done on its own page."""

    change_action = "admission.operate"
    account_field = "account"
    slug_field = "slug"
    gate_path = "account"
    list_display = ("slug", "name", "key", "account", "cap", "pinned_cap", "paused_at")
    search_fields = ("slug__startswith", "name__istartswith", "key__startswith")
    fields = ("slug", "account", *SETTINGS)

    def get_readonly_fields(self, request: HttpRequest, obj: Gate | None = None) -> list[str]:
        """What never changes once the gate is there."""
        return ["slug", "account"] if obj is not None else []

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Years of history name a gate."""
        return False

    def save_model(self, request: HttpRequest, obj: Gate, form: Any, change: bool) -> None:
        """Through the services, which audit and tell Redis."""
        actor = principal_of_request(request)
        if change:
            given = {name: form.cleaned_data[name] for name in form.changed_data}
            services.gate_configure(actor=actor, gate=Gate.objects.get(pk=obj.pk), **given)
        else:
            obj.pk = services.gate_create(actor=actor, **form.cleaned_data).pk


@admin.register(TaskBatch)
class BatchAdmin(OfGate):
    """Batches, to look things up; they are uploaded and steered on their own pages."""

    list_display = ("name", "gate", "state", "opens_at", "closes_at", "total", "done", "failed")
    list_filter = ("state",)
    search_fields = ("name__istartswith",)
    ordering = ("-opens_at",)


@admin.register(Task)
class TaskAdmin(OfGate):
    """Tasks by device."""

    account_field = "batch__gate__account"
    slug_field = "batch__gate__slug"
    gate_path = "batch__gate"
    list_display = ("device", "batch", "state", "attempt", "issued_at", "ended_at", "reason")
    search_fields = ("device__startswith",)
    ordering = ("-id",)


@admin.register(GateEvent)
class EventAdmin(OfGate):
    """Every entry of the gates' histories."""

    account_field = "aggregate__account"
    slug_field = "aggregate__slug"
    gate_path = "aggregate"
    list_display = ("at_us", "aggregate", "event", "holder", "task", "batch", "reason")
    search_fields = ("holder__startswith",)
    ordering = ("-at_us",)
