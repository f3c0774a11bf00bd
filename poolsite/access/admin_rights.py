"""The admin asks `access.decide` like every other page."""

from typing import Any, ClassVar

from django.http import HttpRequest

from poolsite.access.actions import decide
from poolsite.access.principals import principal_of_request
from poolsite.access.visibility import visible


class ByActions:
    """Mixin before ModelAdmin: who may look and who may change is said by two actions.

    `change_action` blank = nobody changes anything here. `account_field`: see `visible`.
    """

    view_action: ClassVar[str]
    change_action: ClassVar[str] = ""
    account_field: ClassVar[str] = "account"

    def get_queryset(self, request: HttpRequest) -> Any:
        """The rows that the reader may see."""
        rows = super().get_queryset(request)  # type: ignore[misc]
        principal = principal_of_request(request)
        return visible(rows, principal, self.view_action, account_field=self.account_field)

    def has_module_permission(self, request: HttpRequest) -> bool:
        """Whether the model is listed at all."""
        return self._may(request, self.view_action)

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Whether the reader may look."""
        return self._may(request, self.view_action, obj)

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Whether the reader may add."""
        return self._may(request, self.change_action)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Whether the reader may change."""
        return self._may(request, self.change_action, obj)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Whether the reader may delete."""
        return self._may(request, self.change_action, obj)

    def _may(self, request: HttpRequest, action: str, thing: Any = None) -> bool:
        return bool(action) and decide(principal_of_request(request), action, thing).allowed
