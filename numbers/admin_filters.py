"""The filters and the action form of the admin's list of numbers."""

from typing import Any

from django import forms
from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from unfold.contrib.filters.admin import TextFilter
from unfold.forms import ActionForm

from numbers.models import Number


class RegionFilter(TextFilter):
    """Filters by the full name of a region."""

    title = gettext_lazy("region")
    parameter_name = "region_is"

    def queryset(self, request: HttpRequest, queryset: QuerySet[Number]) -> QuerySet[Number]:
        """Filter by region, with its index."""
        return queryset.filter(region=self.value()) if self.value() else queryset


class TagFilter(TextFilter):
    """Filters by one tag."""

    title = gettext_lazy("tag")
    parameter_name = "tag_is"

    def queryset(self, request: HttpRequest, queryset: QuerySet[Number]) -> QuerySet[Number]:
        """Filter by tag, with its index."""
        return queryset.filter(tags__tag=self.value()) if self.value() else queryset


class HeldFilter(admin.SimpleListFilter):
    """Filters by quarantine, the only state that is stored in SQL."""

    title = gettext_lazy("state")
    parameter_name = "held"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        """Quarantined, or not."""
        return [("1", _("Quarantined")), ("0", _("Not quarantined"))]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Number]) -> QuerySet[Number]:
        """Filter with the partial index of quarantined numbers."""
        if self.value() not in ("0", "1"):
            return queryset
        return queryset.filter(quarantined_at__isnull=self.value() == "0")


class ReasonActionForm(ActionForm):
    """The form of the bulk actions. Each action needs a reason."""

    reason = forms.CharField(label=gettext_lazy("Reason"), max_length=200, required=False)
