"""Fields that read what people write: hours of a day, one thing a line."""

import re
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from queueing.line.services.hours import read_spans

_SPAN = re.compile(r"^(\d{1,2})[:.](\d{2})\s*[-–]\s*(\d{1,2})[:.](\d{2})\Z")


class HoursField(forms.CharField):
    """Hours of one day: "09:00-12:00, 13:00-18:00"; empty = closed. Cleans to [[from, until]]."""

    def __init__(self, **kwargs: Any) -> None:
        kwargs.setdefault("required", False)
        kwargs.setdefault("max_length", 120)
        super().__init__(**kwargs)
        self.widget.attrs |= {"placeholder": "09:00-18:00", "autocomplete": "off"}

    def clean(self, value: Any) -> list[list[str]]:
        """The day's spans; ValidationError when they cannot be read."""
        text: str = super().clean(value) or ""
        spans = [_read(part.strip()) for part in text.split(",") if part.strip()]
        try:
            read_spans(spans)
        except ValueError:
            raise ValidationError(
                _("Each span ends after it begins, at 24:00 at the latest.")
            ) from None
        return spans


def _read(text: str) -> list[str]:
    found = _SPAN.match(text)
    if found is None:
        raise ValidationError(_("Write hours like 09:00-12:00, 13:00-18:00."))
    return [f"{int(found[1]):02}:{found[2]}", f"{int(found[3]):02}:{found[4]}"]


def hours_as_text(spans: list[list[str]]) -> str:
    """How a day's spans are written."""
    return ", ".join(f"{begin}-{end}" for begin, end in spans)


class LinesField(forms.CharField):
    """One entry a line; cleans to a list without empty ones."""

    def __init__(self, *, most: int, length: int, **kwargs: Any) -> None:
        self.most, self.length = most, length
        kwargs.setdefault("required", False)
        super().__init__(widget=forms.Textarea(attrs={"rows": 4}), **kwargs)

    def clean(self, value: Any) -> list[str]:
        """The lines; ValidationError when one is too long or there are too many."""
        text: str = super().clean(value) or ""
        lines = [" ".join(line.split()) for line in text.splitlines() if line.strip()]
        if len(lines) > self.most or any(len(line) > self.length for line in lines):
            words = _("At most %(most)s lines of %(length)s characters.")
            raise ValidationError(words, params={"most": self.most, "length": self.length})
        return lines
