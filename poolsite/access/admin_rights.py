"""The admin asks `access.decide` like every other page."""

from typing import Any, ClassVar

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from unfold.admin import ModelAdmin

from poolsite.access.actions import decide
from poolsite.access.principals import principal_of_request
from poolsite.access.visibility import visible


class ByActions(ModelAdmin):
    """Who may look and who may change is said by two actions.

    `change_action` blank = nobody changes anything here. `create_action`: who may add, where that
    is another one. `account_field`: see `visible`. `related`: what rows are read with.
    `hidden`: fields that no page shows. `refusals`: what services raise when they refuse a form.
    """

    view_action: ClassVar[str]
    change_action: ClassVar[str] = ""
    create_action: ClassVar[str] = ""
    account_field: ClassVar[str] = "account"
    related: ClassVar[tuple[str, ...]] = ()
    hidden: ClassVar[tuple[str, ...]] = ()
    refusals: ClassVar[tuple[type[Exception], ...]] = (ValidationError,)

    def get_queryset(self, request: HttpRequest) -> Any:
        """The rows that the reader may see."""
        rows = super().get_queryset(request)
        if self.related:
            rows = rows.select_related(*self.related)
        principal = principal_of_request(request)
        return visible(rows, principal, self.view_action, account_field=self.account_field)

    def get_fields(self, request: HttpRequest, obj: Any = None) -> list[Any]:
        """The declared fields, else every one that is not hidden."""
        return list(self.fields or self._shown())

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> list[str]:
        """Every field; a class that changes rows says which ones stay."""
        return self._shown()

    def _shown(self) -> list[str]:
        names = [field.name for field in self.model._meta.fields]
        return [name for name in names if name not in self.hidden]

    def changeform_view(  # type: ignore[override]  # unfold knows no answer but a page
        self,
        request: HttpRequest,
        object_id: str | None = None,
        form_url: str = "",
        extra_context: Any = None,
    ) -> HttpResponse:
        """What a service finds wrong in a form is said on the page; nothing was changed."""
        try:
            found: HttpResponse = super().changeform_view(
                request, object_id, form_url, extra_context
            )
        except self.refusals as error:
            messages.error(request, self.why_refused(error))
            return HttpResponseRedirect(request.get_full_path())
        return found

    def why_refused(self, error: Exception) -> str:
        """Why the service refused, for a person; the error is one of `refusals`."""
        return " ".join(getattr(error, "messages", ()))

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest) -> bool:
        """Only the filters beside the list.

        Django lets every column be asked about in the address, also one that no page shows: a
        hash or a key could be guessed letter by letter.
        """
        filters: list[Any] = list(self.get_list_filter(request))
        offered = {
            getattr(each, "parameter_name", "") or (each if isinstance(each, str) else each[0])
            for each in filters
        }
        named = any(lookup == name or lookup.startswith(f"{name}__") for name in offered)
        return named and super().lookup_allowed(lookup, value, request)

    def has_module_permission(self, request: HttpRequest) -> bool:
        """Whether the model is listed at all."""
        return self._may(request, self.view_action)

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Whether the reader may look."""
        return self._may(request, self.view_action, obj)

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Whether the reader may add."""
        return self._may(request, self.create_action or self.change_action)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Whether the reader may change."""
        return self._may(request, self.change_action, obj)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Whether the reader may delete."""
        return self._may(request, self.change_action, obj)

    def _may(self, request: HttpRequest, action: str, thing: Any = None) -> bool:
        return bool(action) and decide(principal_of_request(request), action, thing).allowed
