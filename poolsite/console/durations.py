"""Durations as people read and type them: "90 s", "2 h 30 min", "7 d"; "2小时30分钟".

Models and the API store whole numbers. The last part of a field's name is their unit
(`lease_seconds`, `rest_hours`).
"""

import re
import unicodedata
from collections.abc import Iterable
from decimal import Decimal
from typing import Any, Final

from django import forms
from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator
from django.utils.functional import lazy
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext

UNITS: Final = {"seconds": 1, "minutes": 60, "hours": 3_600, "days": 86_400}
LENGTH: Final = 40  # of a text
LONGEST: Final = 24_855 * 86_400  # seconds in whole days that fit SQL's integer
SECONDS_ALONE: Final = 120  # below this, one number reads better than two: 90 s

_SPELLINGS: Final = {
    1: "s sec secs second seconds 秒 秒钟",
    60: "m min mins minute minutes 分 分钟",
    3_600: "h hr hrs hour hours 时 小时 个小时",
    86_400: "d day days 天 日",
}
_SIZES: Final = {word: size for size, words in _SPELLINGS.items() for word in words.split()}
_PART: Final = re.compile(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([^\W\d_]+)\.?\s*,?")
_NUMBER: Final = re.compile(r"[0-9]+(?:\.[0-9]+)?\Z")
_UNIT_IN_LABEL: Final = re.compile(r"\s*[(（](?:seconds|minutes|hours|days|秒|分钟|小时|天)[)）]\Z")


def unit_of(name: str) -> int | None:
    """Return the seconds in one unit of a setting, or None if its name is no duration's."""
    return UNITS.get(name.rpartition("_")[2]) if "_" in name else None


def duration_words(seconds: int) -> str:
    """Return the exact duration in the reader's language: 90 s, 30 min, 2 h 30 min, 7 d."""
    if seconds < SECONDS_ALONE:
        return _("%(n)s s") % {"n": seconds}
    sizes = (
        (86_400, _("%(n)s d")),
        (3_600, _("%(n)s h")),
        (60, _("%(n)s min")),
        (1, _("%(n)s s")),
    )
    text, rest = "", seconds
    for size, words in sizes:
        count, rest = divmod(rest, size)
        if count:
            part = words % {"n": count}
            joined = pgettext("a duration in two units", "%(more)s %(less)s")
            text = joined % {"more": text, "less": part} if text else part
    return text


def read_duration(text: str) -> Decimal:
    """Return a text's duration in seconds, in either language. Raise ValidationError if invalid."""
    plain = unicodedata.normalize("NFKC", text).strip().lower()
    if _NUMBER.match(plain):
        if not Decimal(plain):
            return Decimal(0)
        raise ValidationError(_("Add a unit, for example 90 s or 4 h."), code="unit")
    seconds, at = Decimal(0), 0
    while at < len(plain):
        part = _PART.match(plain, at)
        if part is None or part[2] not in _SIZES:
            raise ValidationError(_("Enter a duration, for example 90 s, 30 min or 4 h."))
        seconds += Decimal(part[1]) * _SIZES[part[2]]
        at = part.end()
    return seconds


def label_of(name: str, label: Any) -> str:
    """Return a setting's label. For a duration, drop "(seconds)": its values name their units."""
    return _UNIT_IN_LABEL.sub("", str(label)) if unit_of(name) else str(label)


class DurationInput(forms.TextInput):
    """A short text field. The scripts of the settings pages find it by its attribute."""

    def __init__(self, attrs: dict[str, Any] | None = None) -> None:
        own = {"data-duration": True, "autocomplete": "off", "spellcheck": "false"}
        super().__init__({**own, "maxlength": str(LENGTH), **(attrs or {})})


class DurationField(forms.Field):
    """A duration as a text with units. Cleans to a whole number of `unit` seconds.

    min_value and max_value count in that unit, as the model's limits do. A number without a unit is
    refused, except 0.
    """

    widget = DurationInput

    def __init__(
        self, *, unit: int = 1, min_value: int = 0, max_value: int | None = None, **kwargs: Any
    ) -> None:
        longest = LONGEST // unit
        self.unit, self.min_value = unit, min_value
        self.max_value = longest if max_value is None else min(max_value, longest)
        super().__init__(**kwargs)

    def to_python(self, value: Any) -> int | None:
        """Return the number of units. The ValidationError describes what to type instead."""
        if value in self.empty_values:
            return None
        if len(str(value)) > LENGTH:
            raise ValidationError(_("Enter a duration, for example 90 s, 30 min or 4 h."))
        seconds = read_duration(str(value))
        if seconds % self.unit:
            raise ValidationError(WHOLE[self.unit])
        return int(seconds // self.unit)

    def validate(self, value: Any) -> None:
        """Refuse a value that is too short or too long. The error shows the limit as a duration."""
        super().validate(value)
        if value is None:
            return
        if value < self.min_value:
            least = duration_words(self.min_value * self.unit)
            raise ValidationError(_("Use %(least)s or more.") % {"least": least})
        if value > self.max_value:
            most = duration_words(self.max_value * self.unit)
            raise ValidationError(_("Use %(most)s or less.") % {"most": most})

    def prepare_value(self, value: Any) -> Any:
        """Return a stored number as a text. A text that was typed stays unchanged."""
        known = isinstance(value, int) and not isinstance(value, bool)
        return duration_words(value * self.unit) if known else value

    def has_changed(self, initial: Any, data: Any) -> bool:
        """Return whether the duration differs: "90 s" and "1 min 30 s" are the same."""
        if self.disabled:
            return False
        try:
            return bool(self.to_python(data) != initial)
        except ValidationError:
            return True


WHOLE: Final = {
    1: gettext_lazy("Use whole seconds."),
    60: gettext_lazy("Use whole minutes."),
    3_600: gettext_lazy("Use whole hours."),
    86_400: gettext_lazy("Use whole days."),
}


def as_duration(name: str, field: forms.Field, validators: Iterable[Any] = ()) -> forms.Field:
    """Return a DurationField for a whole number whose name ends in a unit, otherwise the field.

    validators: those of the model's field. Their limits become the form field's limits.
    """
    unit = unit_of(name)
    if unit is None or type(field) is not forms.IntegerField:
        return field
    limits = [*field.validators, *validators]
    least = [int(each.limit_value) for each in limits if type(each) is MinValueValidator]
    most = [int(each.limit_value) for each in limits if type(each) is MaxValueValidator]
    made = DurationField(
        unit=unit,
        min_value=max([0, *least]),
        max_value=min(most, default=None),
        required=field.required,
        label=None if field.label is None else lazy(label_of, str)(name, field.label),
        initial=field.initial,
        help_text=field.help_text,
        disabled=field.disabled,
        show_hidden_initial=field.show_hidden_initial,
    )
    made.widget.attrs |= {
        key: value for key, value in field.widget.attrs.items() if key not in ("min", "max", "step")
    }
    return made
