"""How dates and times are written for people, in each language. Templates: `{% load console %}`.

    moment        27 Nov, 07:43         11月27日 07:43
    moment_exact  27 Nov, 07:43:05      11月27日 07:43:05
    day           27 Nov                11月27日
    weekday       Fri 27 Nov            11月27日星期五
    month         November 2026         2026年11月
    time          07:43                 only where the page shows the day
    time_exact    07:43:05

All forms except the times show the year if it is not this year: 27 Nov 2025, 07:43. Texts that are
stored for years (emails, PDF files) always show it: Django's `date:"DATETIME_FORMAT"`. The forms of
each language are in poolsite.formats; static/js/shared/words.js writes the same.
"""

from datetime import date, datetime

from django.utils import timezone
from django.utils.formats import date_format

NOTHING = "–"


def moment(at: datetime | None) -> str:
    """Write a moment in the reader's zone: 27 Nov, 07:43."""
    return _this_year_or(at, "MOMENT_FORMAT", "DATETIME_FORMAT")


def moment_exact(at: datetime | None) -> str:
    """Write a moment with seconds in the reader's zone: 27 Nov, 07:43:05."""
    return _this_year_or(at, "MOMENT_EXACT_FORMAT", "DATETIME_EXACT_FORMAT")


def day(at: date | None) -> str:
    """Write a day: 27 Nov. For a moment, it is the day in the reader's zone."""
    return _this_year_or(at, "MONTH_DAY_FORMAT", "DATE_FORMAT")


def weekday(at: date | None) -> str:
    """Write a day with its weekday: Fri 27 Nov.

    For a moment, it is the day in the reader's zone.
    """
    return _this_year_or(at, "WEEKDAY_FORMAT", "WEEKDAY_DATE_FORMAT")


def month(at: date | None) -> str:
    """Write a month: November 2026."""
    return _written(at, "YEAR_MONTH_FORMAT")


def time(at: datetime | None) -> str:
    """Write a time in the reader's zone: 07:43."""
    return _written(at, "TIME_FORMAT")


def time_exact(at: datetime | None) -> str:
    """Write a time with seconds in the reader's zone: 07:43:05."""
    return _written(at, "TIME_EXACT_FORMAT")


def _this_year_or(at: date | None, form: str, form_with_year: str) -> str:
    if not at:
        return NOTHING
    at = _local(at)
    return _written(at, form if at.year == timezone.localdate().year else form_with_year)


def _written(at: date | None, form: str) -> str:
    return date_format(_local(at), form) if at else NOTHING


def _local(at: date) -> date:
    """Return a moment in the reader's zone.

    A day has none; a template's `|timezone:` stays in force.
    """
    if not isinstance(at, datetime) or timezone.is_naive(at):
        return at
    return timezone.localtime(at) if getattr(at, "convert_to_local_time", True) else at
