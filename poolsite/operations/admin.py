"""The admin's lists of operations: alert recipients, outgoing calls, incidents, jobs, gaps."""

from collections.abc import Callable
from typing import Any

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext

from poolsite import dates
from poolsite.access import principal_of_request
from poolsite.console.admin_columns import ReadableAdmin
from poolsite.console.sentences import object_word
from poolsite.history.models import GapRecord
from poolsite.jobs.models import Job
from poolsite.jobs.registry import kinds
from poolsite.operations import services
from poolsite.operations.models import Incident, NoticeTarget, OutgoingCall
from poolsite.operations.system_page import purpose_word

admin.site.index_title = gettext_lazy("Admin")
admin.site.empty_value_display = dates.NOTHING


@admin.register(NoticeTarget)
class NoticeTargetAdmin(ReadableAdmin):
    """The alert recipients. The services write the audit entries."""

    view_action = "operations.incidents"
    change_action = "operations.targets_change"
    list_display = ("address", "account", "warnings", "active")
    list_filter = ("active",)
    fields = ("account", "address", "warnings", "active")

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> list[str]:
        """Return an empty list: every field can be changed."""
        return []

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        """Save through the services, which audit the change and check the chosen account, too."""
        if not self.has_change_permission(request, obj):
            raise PermissionDenied
        services.save_target(obj, actor=principal_of_request(request))

    def delete_model(self, request: HttpRequest, obj: NoticeTarget) -> None:
        """Delete through the services, which write the audit entry."""
        services.delete_target(obj, actor=principal_of_request(request))

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[NoticeTarget]) -> None:
        """Delete one by one, so that each recipient has its audit entry."""
        for target in queryset:
            self.delete_model(request, target)


class OpenFilter(admin.SimpleListFilter):
    """A filter for open or ended incidents."""

    title = gettext_lazy("state")
    parameter_name = "open"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        """Return both states."""
        return [("1", pgettext("state", "Open")), ("0", _("Ended"))]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Incident]) -> QuerySet[Incident]:
        """Filter by whether the incident has an end: it is open until then."""
        if self.value() not in ("0", "1"):
            return queryset
        return queryset.filter(until__isnull=self.value() == "1")


def _text_of(name: str, label: Any) -> Callable[[Any, Incident], str]:
    @admin.display(description=label)
    def shown(_admin: Any, incident: Incident) -> str:
        return getattr(incident, name) or dates.NOTHING

    return shown


@admin.register(Incident)
class IncidentAdmin(ReadableAdmin):
    """All incidents, including ended ones, with their texts as pages show them."""

    view_action = "operations.incidents"
    list_display = ("title_text", "object", "severity", "since", "until", "acknowledged_name")
    list_filter = ("severity", OpenFilter)
    search_fields = ("object__istartswith", "type__istartswith")
    hidden = ("params",)
    words = dict.fromkeys(("title_text", "detail_text", "remedy_text"), str)
    title_text_written = _text_of("title", gettext_lazy("title"))
    detail_text_written = _text_of("detail", gettext_lazy("detail"))
    remedy_text_written = _text_of("remedy", gettext_lazy("remedy"))


@admin.register(OutgoingCall)
class OutgoingCallAdmin(ReadableAdmin):
    """All calls that the platform made to addresses outside it."""

    view_action = "operations.system"
    words = {"purpose": purpose_word}
    list_display = ("at", "purpose", "address", "status", "error", "duration_ms")
    list_filter = ("purpose",)


def _job_words(kind: str) -> str:
    found = kinds().get(kind)
    return str(found.title) if found and found.title else kind


@admin.register(Job)
class JobAdmin(ReadableAdmin):
    """Long-running jobs, newest first."""

    view_action = "jobs.view"
    words = {"kind": _job_words}
    labels = {
        "campaign": gettext_lazy("campaign"),
        "batch": gettext_lazy("batch"),
        "import": gettext_lazy("import"),
        "system": gettext_lazy("system"),
        "verb": gettext_lazy("action"),
        "filter": gettext_lazy("filter"),
        "reason": gettext_lazy("reason"),
        "target": gettext_lazy("target"),
        "rows": gettext_lazy("rows"),
        "imported": gettext_lazy("imported"),
        "removed": gettext_lazy("removed"),
        "changed": gettext_lazy("changed"),
        "stayed": gettext_lazy("unchanged"),
        "merged": gettext_lazy("merged"),
        "uploaded": gettext_lazy("uploaded"),
        "dropped": gettext_lazy("skipped"),
        "taken": gettext_lazy("taken"),
        "refused": gettext_lazy("refused"),
        "after": gettext_lazy("last row"),
    }
    list_display = ("public_id", "kind", "state", "done", "total", "actor", "created_at")
    list_filter = ("state", "kind")


def _history_words(kind: str) -> str:
    """Return the name of a kind of history, such as `numbers.pool`."""
    return object_word(kind.rpartition(".")[2]) or kind


@admin.register(GapRecord)
class GapRecordAdmin(ReadableAdmin):
    """Gaps: history entries that never reached SQL, and why."""

    view_action = "operations.system"
    account_field = ""
    words = {"kind": _history_words}
    list_display = ("tag", "generation", "first_seq", "last_seq", "reason", "noticed_at")
    list_filter = ("reason", "kind")
    search_fields = ("tag__istartswith",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[GapRecord]:
        """Return all gaps. They have no tenant, and only operators can open this page."""
        return GapRecord.objects.all()
