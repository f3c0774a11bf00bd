"""The forms of settings pages: sections, durations, and changes by others in the meantime.

templates/components/settings.html draws the forms. static/js/shared/settings_form.js adds what
needs a script.
"""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

from django import forms
from django.core.exceptions import FieldDoesNotExist, ValidationError
from django.utils.translation import gettext as _

from poolsite.console.durations import as_duration


class SettingsSection(NamedTuple):
    """A card of a settings page. advanced: folded until it is needed."""

    title: Any
    names: tuple[str, ...]
    hint: Any = ""
    advanced: bool = False


class DurationsMixin(forms.BaseForm):
    """Turns whole numbers whose names end in a unit, such as `lease_seconds`, into durations."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name, field in self.fields.items():
            self.fields[name] = as_duration(name, field, self._validators(name))

    def _validators(self, name: str) -> Sequence[Any]:
        model = getattr(getattr(self, "_meta", None), "model", None)
        if model is None:
            return ()
        try:
            return list(model._meta.get_field(name).validators)
        except FieldDoesNotExist:
            return ()


class SettingsMixin(DurationsMixin):
    """A model's settings as sections. The service saves `changes()`.

    The page stores each setting's value from when it was opened. So changes by others since then
    stay, and a setting that both changed is refused once, with the other user's value.

    depends: a field's name → the field and the values with which it matters; "" is an unticked box.
    """

    sections: Sequence[SettingsSection]
    depends: ClassVar[Mapping[str, tuple[str, tuple[str, ...]]]] = {}

    instance: Any
    _meta: Any

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name, value in self.initial.items():
            if isinstance(value, float) and value.is_integer():
                self.initial[name] = int(value)  # 80, not 80.0

    @property
    def setting_names(self) -> list[str]:
        """The settings that this form has."""
        return [name for each in self.sections for name in each.names if name in self.fields]

    def groups(self) -> list[dict[str, Any]]:
        """Return the sections for components/settings.html."""
        return [
            {
                "title": section.title,
                "hint": section.hint,
                "advanced": section.advanced,
                "rows": [self._row(name) for name in section.names if name in self.fields],
                "faults": sum(name in self.errors for name in section.names),
            }
            for section in self.sections
            if any(name in self.fields for name in section.names)
        ]

    def _row(self, name: str) -> dict[str, Any]:
        self.fields[name].show_hidden_initial = self.instance.pk is not None
        when, values = self.depends.get(name, ("", ()))
        on = self[when].html_name if when else ""
        return {"field": self[name], "when": on, "when_is": " ".join(values)}

    def clean(self) -> dict[str, Any]:
        """Refuse a setting that another user has also changed since the page was opened."""
        found: dict[str, Any] = super().clean() or self.cleaned_data
        for name in self.setting_names:
            if name in found and self._overtaken(name):
                self._refuse(name)
        return found

    def changed_settings(self) -> list[str]:
        """Return the settings that the user changed."""
        return [
            name
            for name in self.setting_names
            if self._differs(name, self._opened(name), self[name].data)
            and self._differs(name, self.initial.get(name), self[name].data)
        ]

    def changes(self) -> dict[str, Any]:
        """Return the settings that the user changed, with their values."""
        return {name: self.cleaned_data[name] for name in self.changed_settings()}

    def given(self) -> dict[str, Any]:
        """Return the service's arguments: the changes, and the reason if the page asks for one."""
        why = {"reason": self.cleaned_data["reason"]} if "reason" in self.fields else {}
        return {**self.changes(), **why}

    def _overtaken(self, name: str) -> bool:
        stored, opened, given = self.initial.get(name), self._opened(name), self[name].data
        return (
            self._differs(name, stored, opened)
            and self._differs(name, opened, given)
            and self._differs(name, stored, given)
        )

    def _refuse(self, name: str) -> None:
        """Show the other user's value. The next save will replace it."""
        bound, field = self[name], self.fields[name]
        stored = field.prepare_value(self.initial.get(name))
        words = _(
            "Someone changed this to “%(stored)s” after you opened the page. Save again to "
            "replace it with your value."
        )
        self.add_error(name, ValidationError(words % {"stored": said(field, stored)}))
        posted: Any = self.data
        again = posted.copy()  # the data of a request can't be changed
        if isinstance(stored, (list, tuple)):
            again.setlist(bound.html_initial_name, [str(each) for each in stored])
        else:
            again[bound.html_initial_name] = "" if stored is None else str(stored)
        self.data = again

    def _opened(self, name: str) -> Any:
        """Return the setting's value when the page was opened. If it was not sent, return the
        stored one.
        """
        bound, field = self[name], self.fields[name]
        if bound.html_initial_name not in self.data:
            return self.initial.get(name)
        return field.hidden_widget().value_from_datadict(
            self.data, self.files, bound.html_initial_name
        )

    def _differs(self, name: str, one: Any, other: Any) -> bool:
        field = self.fields[name]
        try:
            before = field.to_python(_lines(one)) if isinstance(one, str) else one
        except ValidationError:
            return True
        return field.has_changed(before, _lines(field.prepare_value(other)))


def said(field: forms.Field, value: Any) -> str:
    """Return a value as the field's page shows it: the label of a choice, yes or no, or itself."""
    if isinstance(field, forms.BooleanField):
        return _("yes") if value else _("no")
    if isinstance(value, (list, tuple)):
        return _(", ").join(said(field, each) for each in value) or _("none")
    for key, words in getattr(field, "choices", ()):
        if str(getattr(key, "value", key)) == str("" if value is None else value):
            return str(words)
    return "" if value is None else str(value)


def _lines(value: Any) -> Any:
    """Return a text with Python's line ends. Browsers send others."""
    return value.replace("\r\n", "\n") if isinstance(value, str) else value
