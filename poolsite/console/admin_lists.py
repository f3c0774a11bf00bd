"""What the admin's lists of aggregates, and of objects that belong to one, have in common."""

from abc import abstractmethod
from typing import Any, ClassVar
from urllib.parse import urlencode

from django.core.exceptions import ValidationError
from django.db.models import JSONField, Model, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse

from poolsite import access
from poolsite.access import principal_of_request
from poolsite.access.services.actor import Actor
from poolsite.api.problems import RefusedError
from poolsite.console.admin_columns import ReadableAdmin


class OfAggregate(ReadableAdmin):
    """Rows of an aggregate, for readers who may see it. Read-only unless a subclass changes that.

    `kind`: the aggregate's `access_kind`. `path`: from the row to the aggregate, or "" if the row
    is one.
    """

    kind: ClassVar[str]
    path: ClassVar[str] = ""
    refusals = (ValidationError, RefusedError)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """Return the rows that the reader may see, with their aggregates."""
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
        """Return the text of a script's or a form's refusal."""
        if isinstance(error, RefusedError):
            return self.sentence_of(error)
        return str(super().why_refused(error))

    def sentence_of(self, error: RefusedError) -> str:
        """Return why the service refused, as a sentence for a person."""
        return error.detail

    def history_view(
        self, request: HttpRequest, object_id: str, extra_context: Any = None
    ) -> HttpResponse:
        """Redirect to the audit log of the aggregate, which shows who changed what."""
        found = self.get_object(request, object_id)
        for name in filter(None, self.path.split("__")):
            found = getattr(found, name, None)
        return audit_log_of(self.kind, getattr(found, "slug", ""))


class ChangedAggregate(OfAggregate):
    """Rows that operators add and change through the services. They stay, because history names
    them.

    `fixed`: fields that can't be changed once the row exists.
    """

    fixed: ClassVar[tuple[str, ...]] = ("slug", "account")

    @abstractmethod
    def create(self, actor: Actor, **given: Any) -> Model:
        """Call the service that creates the object."""

    @abstractmethod
    def configure(self, actor: Actor, stored: Any, **changes: Any) -> None:
        """Call the service that changes `stored`, the row in SQL."""

    def get_fields(self, request: HttpRequest, obj: Any = None) -> list[Any]:
        """Return the fields of the form. JSON is written as in lists: the object's page has a form
        for it.
        """
        names = super().get_fields(request, obj)
        if obj is None:
            return [name for name in names if not self._is_json(name)]
        return [self._written_column(name) if self._is_json(name) else name for name in names]

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> list[str]:
        """Return the fields that can't be changed once the row exists."""
        if obj is None:
            return []
        written = [self._written_column(name) for name in self.fields or () if self._is_json(name)]
        return [*self.fixed, *written]

    def _is_json(self, name: Any) -> bool:
        return isinstance(self._field(name), JSONField)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Return False: a deletion needs a reason, and has its own page or command."""
        return False

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        """Save through the services, which write the audit entry and change Redis."""
        actor = principal_of_request(request)
        if change:
            given = {name: form.cleaned_data[name] for name in form.changed_data}
            rows = self.model._default_manager.select_related(self.path or "account")
            self.configure(actor, rows.get(pk=obj.pk), **given)
        else:
            obj.pk = self.create(actor, **form.cleaned_data).pk


def audit_log_of(kind: str, thing_id: str) -> HttpResponse:
    """Redirect to the audit log of an object, or of everything if the ID is ""."""
    query = f"?{urlencode({'thing_kind': kind, 'thing_id': thing_id})}" if thing_id else ""
    return HttpResponseRedirect(f"{reverse('access:history')}{query}")
