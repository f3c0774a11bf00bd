"""A filter of the admin's lists of money."""

from typing import Any, ClassVar

from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy
from unfold.contrib.filters.admin import TextFilter


class AccountFilter(TextFilter):
    """Filters rows by the short name of their account."""

    title = gettext_lazy("account short name")
    parameter_name = "account"
    path: ClassVar[str] = "wallet__account__slug"

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """Return the rows of the given account."""
        return queryset.filter(**{self.path: self.value()}) if self.value() else queryset


def account_filter(path: str) -> type[AccountFilter]:
    """Return a filter for rows whose account is at this column path."""
    return type("AccountFilter", (AccountFilter,), {"path": path})
