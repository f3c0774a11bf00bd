"""How the admin writes figures and times, and what its search boxes and pages say."""

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
    """Counts, and so pages, at most the first 1 000 rows: the same cost at a million.

    Whoever looks for a row further on searches or filters; the console's own list pages on.
    """

    @cached_property
    def count(self) -> int:
        """At most COUNTED_ROWS."""
        rows: Any = self.object_list
        return int(rows.order_by().values("pk")[:COUNTED_ROWS].count())


class ReadableAdmin(ByActions):
    """Values and names as on every page of the console; every list of the admin is one.

    `words`: how the values of a field are written that code has a word of its own for; and those
    of that name within a field of JSON, where `labels` says what the names mean. A field that a
    class writes by a method `<field>_written` of its own is shown by it. `figures`: the kinds of
    fields that stand right-aligned in a list, as money does.
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
        """The declared columns, in the words of the console."""
        return [self._written_column(name) for name in self.list_display]

    def get_fields(self, request: HttpRequest, obj: Any = None) -> list[Any]:
        """The fields of a form; what the reader only looks at is written as in lists."""
        names = super().get_fields(request, obj)
        if obj is None or self.has_change_permission(request, obj):
            return names
        return [self._written_column(name) for name in names]

    def get_list_filter(self, request: HttpRequest) -> list[Any]:
        """The declared filters, with choices in the words of the list."""
        return [self._filter_in_words(each) for each in super().get_list_filter(request)]

    def get_changelist_instance(self, request: HttpRequest) -> Any:
        """Its search box says which fields it looks at.

        A list that nothing narrows has no way to show all of it: all of it is shown.
        """
        found = super().get_changelist_instance(request)
        found.search_help_text = str(self.search_help_text or self._what_is_searched())
        if not (found.query or found.has_active_filters):
            found.full_result_count = found.result_count
        return found

    def writer_of(self, field: "Field[Any, Any]") -> Written | None:
        """How values of a field are written; None = as Django does."""
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
        """What a field of JSON holds, each value beside its label."""
        return labelled(value, self.label_within, self.value_within)

    def label_within(self, name: str) -> str:
        """What a name within JSON is called: by `labels`, else as the field of that name."""
        if name in self.labels:
            return capfirst(str(self.labels[name]))
        field = self._field(name)
        return label_of_key(name) if field is None else capfirst(str(_name_of(field)))

    def value_within(self, name: str, value: Any) -> str:
        """How a value of that name is written: by `words`, else by its own form."""
        if name in self.words and not isinstance(value, list):
            return self.words[name](value)
        return value_of_key(name, value)

    def _filter_in_words(self, each: Any) -> Any:
        field = self._field(each)
        if field is not None and field.choices:
            return (each, ChoicesInWords)
        return (each, ValuesInWords) if field is not None and each in self.words else each

    def _field(self, name: Any) -> "Field[Any, Any] | None":
        """The field of that name; None for anything else that a list or a form may name."""
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
    """Writes a value by its text, which begins with a capital; one without a text as it is."""

    texts: Mapping[Any, Any]

    def __call__(self, value: Any) -> str:
        return capfirst(str(self.texts.get(value, value)))


def _column(field: Any, writer: Written) -> Callable[[Any, Any], str]:
    def shown(_admin: Any, row: Any) -> str:
        value = getattr(row, field.name)
        return dates.NOTHING if value in (None, "") else writer(value)

    return admin.display(description=_name_of(field), ordering=field.name)(shown)


def _name_of(field: Any) -> Any:
    """A relation without a name of its own is called as what it leads to."""
    if field.name == "at" or field.name.endswith("_us"):  # written as a moment
        return gettext_lazy("time")
    unnamed = field.many_to_one and field.verbose_name == field.name.replace("_", " ")
    name = field.related_model._meta.verbose_name if unnamed else field.verbose_name
    return _without_unit(name) if field.name.endswith("_seconds") else name


def _bare(name: Any) -> str:
    """A length of time says its unit itself."""
    return re.sub(r" ?[((][^))]*[))]$", "", str(name))


_without_unit = lazy(_bare, str)


def _label_of(model: Any, path: str) -> str:
    """The name of the field that a search looks at; of another model's, of that model."""
    first, _rest, _more = path.partition("__")
    return str(_name_of(model._meta.get_field(first)))
