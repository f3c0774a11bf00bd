"""Dates in words: each language has an order of its own (Mon 23 Nov; 11月23日星期一)."""

from datetime import date, datetime

from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import pgettext_lazy

# The letters are those of Django's `date` filter; a translation writes the same date its own way.
FORMATS = {
    "D j": pgettext_lazy("format of a date", "D j"),
    "j M": pgettext_lazy("format of a date", "j M"),
    "M Y": pgettext_lazy("format of a date", "M Y"),
    "F Y": pgettext_lazy("format of a date", "F Y"),
    "D j M": pgettext_lazy("format of a date", "D j M"),
    "D j M Y": pgettext_lazy("format of a date", "D j M Y"),
    "D j F Y": pgettext_lazy("format of a date", "D j F Y"),
    "j M Y, H:i": pgettext_lazy("format of a date", "j M Y, H:i"),
    "l j F": pgettext_lazy("format of a date", "l j F"),
    "j M, H:i:s": pgettext_lazy("format of a date", "j M, H:i:s"),
    "j M Y, H:i:s": pgettext_lazy("format of a date", "j M Y, H:i:s"),
    "D j M, H:i": pgettext_lazy("format of a date", "D j M, H:i"),
    "D j M, H:i:s": pgettext_lazy("format of a date", "D j M, H:i:s"),
}


def date_words(value: date | datetime, form: str) -> str:
    """Say a date, or a moment in the reader's zone, by one of `FORMATS`. KeyError: none of them."""
    if isinstance(value, datetime):
        value = timezone.localtime(value)
    return date_format(value, str(FORMATS[form]))
