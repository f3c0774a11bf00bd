"""How the admin writes figures and times, and the texts of its search boxes and pages."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from django.contrib import admin
from django.core.exceptions import FieldDoesNotExist
from django.core.paginator import Paginator
from django.db.models import DateTimeField, Field, JSONField
from django.http import HttpRequest
from django.utils.functional import cached_property, lazy
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from poolsite import dates
from poolsite.access.admin_rights import ByActions
from poolsite.console.admin_filters import ChoicesInWords, ValuesInWords
from poolsite.console.admin_values import label_of_key, labelled, moment_us, value_of_key
from poolsite.console.templatetags.console import span

COUNTED_ROWS = 1_000
Written = Callable[[Any], str]


class BoundedPaginator(Paginator):  # type: ignore[type-arg]  # generic in its stubs only
    """Counts, and so pages, only the first 1,000 rows: the cost stays the same with a million.

    A reader who needs a later row searches or filters. The console's own lists have all pages.
    """

    @cached_property
    def count(self) -> int:
        """The number of rows, up to COUNTED_ROWS."""
        rows: Any = self.object_list
        return int(rows.order_by().values("pk")[:COUNTED_ROWS].count())


class ReadableAdmin(ByActions):
    """Values and names as on every page of the console. Every list of the admin uses this class.

    `words`: functions that write the values of a field that has its own texts in code. They also
    apply to values of that name within a JSON field, where `labels` has the labels of the names. A
    field with a method `<field>_written` is shown by that method. `figures`: the kinds of fields
    that are right-aligned in a list, such as money.
    """

    words: ClassVar[Mapping[str, Written]] = {}
    labels: ClassVar[Mapping[str, Any]] = {}
    figures: ClassVar[tuple[type[Any], ...]] = ()
    # Counting a large table costs more than its page.
    show_facets = admin.ShowFacets.NEVER
    show_full_result_count = False
    paginator = BoundedPaginator
    list_per_page = 50

    def _what_is_searched(self) -> str:
        names = [_label_of(self.model, path) for path in self.search_fields]
        return _("Search by %(fields)s") % {"fields": _(", ").join(dict.fromkeys(names))}

    def get_list_display(self, request: HttpRequest) -> list[Any]:
        """Return the declared columns, written as in the console."""
        return [self._written_column(name) for name in self.list_display]

    def get_fields(self, request: HttpRequest, obj: Any = None) -> list[Any]:
        """Return the fields of a form. Fields that the reader may not change are written as in
        lists.
        """
        names = super().get_fields(request, obj)
        if obj is None or self.has_change_permission(request, obj):
            return names
        return [self._written_column(name) for name in names]

    def get_list_filter(self, request: HttpRequest) -> list[Any]:
        """Return the declared filters, with choices written as in the list."""
        return [self._filter_in_words(each) for each in super().get_list_filter(request)]

    def get_changelist_instance(self, request: HttpRequest) -> Any:
        """Return Django's list, whose search box names the fields that it searches.

        Without a search or a filter, the link "show all" is left out: everything is shown.
        """
        found = super().get_changelist_instance(request)
        found.search_help_text = str(self.search_help_text or self._what_is_searched())
        if not (found.query or found.has_active_filters):
            found.full_result_count = found.result_count
        return found

    def writer_of(self, field: "Field[Any, Any]") -> Written | None:
        """Return the function that writes a field's values, or None to leave that to Django."""
        if field.name in self.words:
            return self.words[field.name]
        if field.choices:
            return Words(dict(field.flatchoices))
        if isinstance(field, JSONField):
            return self.json_written
        if isinstance(field, DateTimeField):
            return dates.moment
        if field.name.endswith("_us"):
            return moment_us
        if field.name.endswith("_seconds"):
            return span
        return str if field.many_to_one else None

    def json_written(self, value: Any) -> str:
        """Return the content of a JSON field: each value with its label."""
        return labelled(value, self.label_within, self.value_within)

    def label_within(self, name: str) -> str:
        """Return the label of a name within JSON: from `labels`, otherwise that of the field."""
        if name in self.labels:
            return capfirst(str(self.labels[name]))
        field = self._field(name)
        return label_of_key(name) if field is None else capfirst(str(_name_of(field)))

    def value_within(self, name: str, value: Any) -> str:
        """Return a value as text: by `words` for its name, otherwise by its own form."""
        if name in self.words and not isinstance(value, list):
            return self.words[name](value)
        return value_of_key(name, value)

    def _filter_in_words(self, each: Any) -> Any:
        field = self._field(each)
        if field is not None and field.choices:
            return (each, ChoicesInWords)
        return (each, ValuesInWords) if field is not None and each in self.words else each

    def _field(self, name: Any) -> "Field[Any, Any] | None":
        """Return the field with that name, or None for anything else that a list may name."""
        try:
            found = self.model._meta.get_field(name)
        except (FieldDoesNotExist, TypeError):
            return None
        return found if isinstance(found, Field) else None

    def _written_column(self, name: Any) -> Any:
        field = self._field(name)
        writer = None if field is None else self.writer_of(field)
        if writer is None:
            return name
        # Django makes the name a class of the column's cells, for admin.css.
        shown = f"{name}_figure" if isinstance(field, self.figures) else f"{name}_written"
        if not hasattr(type(self), shown):
            setattr(type(self), shown, _column(field, writer))
        return shown


@dataclass(frozen=True)
class Words:
    """Writes the text of a value, which begins with a capital. Without a text, writes the value."""

    texts: Mapping[Any, Any]

    def __call__(self, value: Any) -> str:
        return capfirst(str(self.texts.get(value, value)))


def _column(field: Any, writer: Written) -> Callable[[Any, Any], str]:
    def shown(_admin: Any, row: Any) -> str:
        value = getattr(row, field.name)
        return dates.NOTHING if value in (None, "") else writer(value)

    return admin.display(description=_name_of(field), ordering=field.name)(shown)


def _name_of(field: Any) -> Any:
    """Return a field's name. A relation without a name of its own has that of its model."""
    if field.name == "at" or field.name.endswith("_us"):  # written as a moment
        return gettext_lazy("time")
    unnamed = field.many_to_one and field.verbose_name == field.name.replace("_", " ")
    name = field.related_model._meta.verbose_name if unnamed else field.verbose_name
    return _without_unit(name) if field.name.endswith("_seconds") else name


def _bare(name: Any) -> str:
    """Return the name without a unit: a duration shows its unit itself."""
    return re.sub(r" ?[((][^))]*[))]$", "", str(name))


_without_unit = lazy(_bare, str)


def _label_of(model: Any, path: str) -> str:
    """Return the name of a searched field. For a field of another model, return that of the
    relation.
    """
    first, _rest, _more = path.partition("__")
    return str(_name_of(model._meta.get_field(first)))
