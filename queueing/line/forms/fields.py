"""Form fields for the hours of a day, and for lists with one entry per line."""

import re
from datetime import time
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from queueing.line.services.hours import read_spans

_SPAN = re.compile(r"^(\d{1,2})[:.](\d{2})\s*[-–]\s*(\d{1,2})[:.](\d{2})\Z")


class HoursField(forms.CharField):
    """The hours of a day: "09:00-12:00, 13:00-18:00"; empty means closed.

    Cleans to [[from, until]]. over_midnight: whether a span may end on the next day, as in
    "22:00-06:00".
    """

    def __init__(self, *, over_midnight: bool = False, **kwargs: Any) -> None:
        self.over_midnight = over_midnight
        kwargs.setdefault("required", False)
        kwargs.setdefault("max_length", 120)
        super().__init__(**kwargs)
        self.widget.attrs |= {"placeholder": "09:00-18:00", "autocomplete": "off"}

    def clean(self, value: Any) -> list[list[str]]:
        """Return the day's spans. Raise ValidationError if they cannot be read."""
        return read_hours(super().clean(value) or "", over_midnight=self.over_midnight)


def read_hours(text: str, *, over_midnight: bool = False) -> list[list[str]]:
    """Return the spans of a day from a person's text.

    Raise ValidationError if they cannot be read.
    """
    spans = [_read(part.strip()) for part in text.split(",") if part.strip()]
    late = [span for span in spans if over_midnight and span[1] < span[0]]
    within = [span for span in spans if span not in late]
    try:
        read_spans([*within, *([begin, "24:00"] for begin, _end in late)])
    except ValueError:
        raise ValidationError(
            _("Each time range must end after it starts, no later than 24:00.")
        ) from None
    for _begin, end in late:
        _time(end)
    return spans


def _time(text: str) -> time:
    try:
        return time.fromisoformat(text)
    except ValueError:
        raise ValidationError(_("Enter hours such as 09:00-12:00, 13:00-18:00.")) from None


def _read(text: str) -> list[str]:
    found = _SPAN.match(text)
    if found is None:
        raise ValidationError(_("Enter hours such as 09:00-12:00, 13:00-18:00."))
    return [f"{int(found[1]):02}:{found[2]}", f"{int(found[3]):02}:{found[4]}"]


def hours_as_text(spans: list[list[str]]) -> str:
    """Return a day's spans as text."""
    return ", ".join(f"{begin}-{end}" for begin, end in spans)


class LinesField(forms.CharField):
    """One entry per line. Cleans to a list without empty entries."""

    def __init__(self, *, most: int, length: int, **kwargs: Any) -> None:
        self.most, self.length = most, length
        kwargs.setdefault("required", False)
        super().__init__(widget=forms.Textarea(attrs={"rows": 4}), **kwargs)

    def clean(self, value: Any) -> list[str]:
        """Return the lines. Raise ValidationError if one is too long or there are too many."""
        text: str = super().clean(value) or ""
        lines = [" ".join(line.split()) for line in text.splitlines() if line.strip()]
        if len(lines) > self.most or any(len(line) > self.length for line in lines):
            words = _("Enter up to %(most)s lines of up to %(length)s characters each.")
            raise ValidationError(words, params={"most": self.most, "length": self.length})
        return lines
