"""How the admin writes figures and times, and what its search boxes and pages say."""

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, ClassVar

from django.contrib import admin
from django.core.exceptions import FieldDoesNotExist
from django.db.models import DateTimeField, Field, Model
from django.http import HttpRequest
from django.utils.functional import lazy
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from poolsite.access.admin_rights import ByActions
from poolsite.operations import dates
from poolsite.operations.templatetags.console import span

Written = Callable[[Any], str]


class Told(ByActions):
    """Mixin before ModelAdmin: values and names as on every page of the console.

    `words`: how the values of a field are written that code has a word of its own for.
    """

    words: ClassVar[Mapping[str, Written]] = {}

    @property
    def search_help_text(self) -> Any:
        """Which fields the search box looks at."""
        model: type[Model] = self.model  # type: ignore[attr-defined]
        names = [_label_of(model, path) for path in self.search_fields]  # type: ignore[attr-defined]
        return _("Search by %(fields)s") % {"fields": _(", ").join(dict.fromkeys(names))}

    def get_list_display(self, request: HttpRequest) -> Sequence[Any]:
        """The declared columns, in the words of the console."""
        return [self._written_column(name) for name in self.list_display]  # type: ignore[attr-defined]

    def get_changelist_instance(self, request: HttpRequest) -> Any:
        """A list that nothing narrows has no way to show all of it: all of it is shown."""
        found = super().get_changelist_instance(request)  # type: ignore[misc]
        if not (found.query or found.has_active_filters):
            found.full_result_count = found.result_count
        return found

    def writer_of(self, field: "Field[Any, Any]") -> Written | None:
        """How values of a field are written; None = as Django does."""
        if field.name in self.words:
            return self.words[field.name]
        if field.choices:
            return words_of(dict(field.flatchoices))
        if isinstance(field, DateTimeField):
            return dates.moment
        if field.name.endswith("_us"):
            return _moment_us
        if field.name.endswith("_seconds"):
            return span
        return str if field.many_to_one else None

    def _shown(self) -> list[str]:
        names = super()._shown()
        return names if self.change_action else [self._written_column(name) for name in names]

    def _written_column(self, name: Any) -> Any:
        try:
            field = self.model._meta.get_field(name)  # type: ignore[attr-defined]
        except (FieldDoesNotExist, TypeError):
            return name
        writer = self.writer_of(field)
        if writer is None:
            return name
        shown = f"{name}_written"
        if shown not in type(self).__dict__:
            setattr(type(self), shown, _column(field, writer))
        return shown


def words_of(texts: Mapping[Any, Any]) -> Written:
    """The text of a value, which begins with a capital; a value without one as it is."""
    return lambda value: capfirst(str(texts.get(value, value)))


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


def _moment_us(value: int) -> str:
    """Microseconds since 1970."""
    return dates.moment_exact(datetime.fromtimestamp(value / 1_000_000, UTC))


def _label_of(model: Any, path: str) -> str:
    """The name of the field that a search looks at; of another model's, of that model."""
    first, _rest, _more = path.partition("__")
    return str(_name_of(model._meta.get_field(first)))
