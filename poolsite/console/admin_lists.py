"""What the admin's lists of aggregates, and of what belongs to one, share."""

from abc import abstractmethod
from typing import Any, ClassVar
from urllib.parse import urlencode

from django.core.exceptions import ValidationError
from django.db.models import Model, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse

from poolsite import access
from poolsite.access import principal_of_request
from poolsite.access.services.actor import Actor
from poolsite.api.problems import RefusedError
from poolsite.console.admin_columns import ReadableAdmin


class OfAggregate(ReadableAdmin):
    """Rows of an aggregate, seen by who may see it; only looked at unless a subclass says so.

    `kind`: the aggregate's `access_kind`. `path`: from the row to it; "" = the row is one.
    """

    kind: ClassVar[str]
    path: ClassVar[str] = ""
    refusals = (ValidationError, RefusedError)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """The rows that the reader may see, with their aggregates."""
        prefix = f"{self.path}__" if self.path else ""
        return access.visible(
            self.model._default_manager.select_related(self.path or "account"),
            principal_of_request(request),
            self.view_action,
            account_field=f"{prefix}account",
            slug_field=f"{prefix}slug",
            kind=self.kind,
        )

    def why_refused(self, error: Exception) -> str:
        """A script's refusal, or a form's."""
        if isinstance(error, RefusedError):
            return self.sentence_of(error)
        return str(super().why_refused(error))

    def sentence_of(self, error: RefusedError) -> str:
        """Why the service refused, for a person."""
        return error.detail

    def history_view(
        self, request: HttpRequest, object_id: str, extra_context: Any = None
    ) -> HttpResponse:
        """The audit log of the aggregate: there stands who changed what."""
        found = self.get_object(request, object_id)
        for name in filter(None, self.path.split("__")):
            found = getattr(found, name, None)
        return audit_log_of(self.kind, getattr(found, "slug", ""))


class ChangedAggregate(OfAggregate):
    """Rows that operators add and change, through the services; years of history name them.

    `fixed`: fields that never change once the row is there.
    """

    fixed: ClassVar[tuple[str, ...]] = ("slug", "account")

    @abstractmethod
    def create(self, actor: Actor, **given: Any) -> Model:
        """Call the service that makes one."""

    @abstractmethod
    def configure(self, actor: Actor, stored: Any, **changes: Any) -> None:
        """Call the service that changes `stored`, the row as SQL has it."""

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> list[str]:
        """What never changes once the row is there."""
        return list(self.fixed) if obj is not None else []

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Deleting needs a reason, and has its own page or command."""
        return False

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        """Through the services, which audit and tell Redis."""
        actor = principal_of_request(request)
        if change:
            given = {name: form.cleaned_data[name] for name in form.changed_data}
            rows = self.model._default_manager.select_related(self.path or "account")
            self.configure(actor, rows.get(pk=obj.pk), **given)
        else:
            obj.pk = self.create(actor, **form.cleaned_data).pk


def audit_log_of(kind: str, thing_id: str) -> HttpResponse:
    """Lead to the audit log of a thing; "" = of everything."""
    query = f"?{urlencode({'thing_kind': kind, 'thing_id': thing_id})}" if thing_id else ""
    return HttpResponseRedirect(f"{reverse('access:history')}{query}")
