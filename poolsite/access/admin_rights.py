"""Pages of Django's admin whose permissions `access.decide` decides, as on every other page."""

from typing import Any, ClassVar

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponseRedirect
from unfold.admin import ModelAdmin

from poolsite.access.actions import decide
from poolsite.access.principals import principal_of_request
from poolsite.access.visibility import visible


class ByActions(ModelAdmin):
    """An admin class with one action for viewing and one for changing.

    `change_action`: blank if no one changes rows here. `create_action`: for adding, if it differs
    from `change_action`. `account_field`: see `visible`. `related`: relations to select with the
    rows. `hidden`: fields that no page shows. `refusals`: errors that services raise to refuse a
    form.
    """

    view_action: ClassVar[str]
    change_action: ClassVar[str] = ""
    create_action: ClassVar[str] = ""
    account_field: ClassVar[str] = "account"
    related: ClassVar[tuple[str, ...]] = ()
    hidden: ClassVar[tuple[str, ...]] = ()
    refusals: ClassVar[tuple[type[Exception], ...]] = (ValidationError,)

    def get_queryset(self, request: HttpRequest) -> Any:
        """Return the rows that the user may see."""
        rows = super().get_queryset(request)
        if self.related:
            rows = rows.select_related(*self.related)
        principal = principal_of_request(request)
        return visible(rows, principal, self.view_action, account_field=self.account_field)

    def get_fields(self, request: HttpRequest, obj: Any = None) -> list[Any]:
        """Return the declared fields, else every field that is not hidden."""
        return list(self.fields or self._shown())

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> list[str]:
        """Return every field; a class that changes rows overrides this."""
        return self._shown()

    def _shown(self) -> list[str]:
        names = [field.name for field in self.model._meta.fields]
        return [name for name in names if name not in self.hidden]

    def changeform_view(
        self,
        request: HttpRequest,
        object_id: str | None = None,
        form_url: str = "",
        extra_context: Any = None,
    ) -> Any:  # unfold's type allows only a page, and no redirect
        """Show on the page why a service refused the form. Nothing was changed."""
        try:
            found = super().changeform_view(request, object_id, form_url, extra_context)
        except self.refusals as error:
            messages.error(request, self.why_refused(error))
            return HttpResponseRedirect(request.get_full_path())
        return found

    def why_refused(self, error: Exception) -> str:
        """Return a text that states why the service refused; the error is one of `refusals`."""
        return " ".join(getattr(error, "messages", ()))

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest) -> bool:
        """Allow only the filters that the list offers.

        Django allows lookups by every column in the address, also by one that no page shows: a hash
        or a key could be guessed letter by letter.
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
        """Whether the user may view the object."""
        return self._may(request, self.view_action, obj)

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Whether the user may add objects."""
        return self._may(request, self.create_action or self.change_action)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Whether the user may change the object."""
        return self._may(request, self.change_action, obj)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Whether the user may delete the object."""
        return self._may(request, self.change_action, obj)

    def _may(self, request: HttpRequest, action: str, thing: Any = None) -> bool:
        return bool(action) and decide(principal_of_request(request), action, thing).allowed
