"""The admin's lists of operations: whom to tell, what was sent, incidents, jobs, gaps."""

from typing import Any

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy
from unfold.admin import ModelAdmin

from poolsite.access.principals import principal_of_request
from poolsite.history.models import GapRecord
from poolsite.jobs.models import Job
from poolsite.operations import dates, services
from poolsite.operations.admin_columns import Told
from poolsite.operations.models import Incident, NoticeTarget, OutgoingCall

admin.site.index_title = gettext_lazy("Admin")
admin.site.empty_value_display = dates.NOTHING


class Seen(Told, ModelAdmin):  # type: ignore[misc]  # unfold ships no types
    """Rows that are only looked at."""

    show_full_result_count = False


@admin.register(NoticeTarget)
class NoticeTargetAdmin(Told, ModelAdmin):  # type: ignore[misc]
    """Whom to tell of incidents, by e-mail or webhook; audited by the services."""

    view_action = "operations.incidents"
    change_action = "operations.targets_change"
    list_display = ("address", "channel", "account", "warnings", "active")
    list_filter = ("channel", "active")
    show_full_result_count = False
    fields = ("account", "channel", "address", "warnings", "active", "secret")

    def get_fields(self, request: HttpRequest, obj: Any = None) -> list[str]:
        """The signing secret is for those who may change it."""
        may = self.has_change_permission(request, obj)
        return [name for name in self.fields if may or name != "secret"]

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> list[str]:
        """The signing secret is made for the target, and stays."""
        return ["secret"]

    def save_model(self, request: HttpRequest, obj: NoticeTarget, form: Any, change: bool) -> None:
        """Through the services, which audit; the account that was chosen is asked about, too."""
        if not self.has_change_permission(request, obj):
            raise PermissionDenied
        services.save_target(obj, actor=principal_of_request(request))

    def delete_model(self, request: HttpRequest, obj: NoticeTarget) -> None:
        """Through the services, which audit."""
        services.delete_target(obj, actor=principal_of_request(request))

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[NoticeTarget]) -> None:
        """One by one: each has its audit entry."""
        for target in queryset:
            self.delete_model(request, target)


@admin.register(Incident)
class IncidentAdmin(Seen):
    """Every incident, also the ended ones."""

    view_action = "operations.incidents"
    list_display = ("title", "object", "severity", "since", "until", "acknowledged_name")
    list_filter = ("severity", "type")
    search_fields = ("object__istartswith", "type__istartswith")


@admin.register(OutgoingCall)
class OutgoingCallAdmin(Seen):
    """Every call that we made to somebody else's address."""

    view_action = "operations.system"
    list_display = ("at", "purpose", "address", "status", "error", "duration_ms")
    list_filter = ("purpose",)


@admin.register(Job)
class JobAdmin(Seen):
    """Long work, the latest first."""

    view_action = "jobs.view"
    list_display = ("public_id", "kind", "state", "done", "total", "actor", "created_at")
    list_filter = ("state", "kind")


@admin.register(GapRecord)
class GapRecordAdmin(Seen):
    """History that never reached SQL, and why."""

    view_action = "operations.system"
    account_field = ""
    list_display = ("tag", "generation", "first_seq", "last_seq", "reason", "noticed_at")
    list_filter = ("reason", "kind")
    search_fields = ("tag__istartswith",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[GapRecord]:
        """Gaps have no tenant; only operators come here."""
        return GapRecord.objects.all()
