"""Filters and tags for figures, people and times in templates. `{% load console %}`."""

import re
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from django import template
from django.utils import timezone
from django.utils.formats import number_format
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from poolsite import dates
from poolsite.api.static_names import sheet_addresses
from poolsite.console import strings
from poolsite.console.page_words import page_word

register = template.Library()

_CHINESE_MOBILE = re.compile(r"^(\+86|86)?(1\d{2})(\d{4})(\d{4})$")
NOTHING = dates.NOTHING


@register.filter
def figure(value: Any) -> str:
    """1,284, or a dash if there is no value."""
    if value is None or value == "":
        return NOTHING
    return number_format(value, decimal_pos=0, use_l10n=True, force_grouping=True)


@register.filter
def decimal(value: float | None, places: int = 1) -> str:
    """558.4"""
    if value is None:
        return NOTHING
    return number_format(value, decimal_pos=places, use_l10n=True, force_grouping=True)


@register.filter
def percent(share: float | None, places: int = 1) -> str:
    """A share, 0 to 1, as 2.1%."""
    if share is None:
        return NOTHING
    return number_format(round(share * 100, places), decimal_pos=places, use_l10n=True) + "%"


register.simple_tag(sheet_addresses)
register.filter(dates.moment)
register.filter(dates.moment_exact)
register.filter(dates.day)
register.filter(dates.weekday)
register.filter(dates.month)
register.filter(dates.time)
register.filter(dates.time_exact)


@register.filter
def clock(seconds: float | None) -> str:
    """A running or mean time: 2:41, 1:02:07."""
    if seconds is None:
        return NOTHING
    minutes, rest = divmod(max(0, round(seconds)), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


@register.filter
def span(seconds: float | None) -> str:
    """A length of time in text: 42 s, 3 min 10 s, 59 min, 2 h 5 min, 3 d."""
    if seconds is None:
        return NOTHING
    whole = max(0, int(seconds))
    if whole < 60:
        return _("%(s)s s") % {"s": whole}
    if whole < 600 and whole % 60:
        return _("%(m)s min %(s)s s") % {"m": whole // 60, "s": whole % 60}
    if whole < 3600:
        return _("%(m)s min") % {"m": whole // 60}
    if whole < 86_400:
        return _("%(h)s h %(m)s min") % {"h": whole // 3600, "m": whole % 3600 // 60}
    return _("%(d)s d") % {"d": whole // 86_400}


@register.filter
def age(at: datetime | None) -> str:
    """How long ago, roughly, for narrow columns: 42 s, 3 min, 2 h, 3 d."""
    if at is None:
        return NOTHING
    seconds = max(0, int((timezone.now() - at).total_seconds()))
    for size, word in ((86_400, _("%(n)s d")), (3_600, _("%(n)s h")), (60, _("%(n)s min"))):
        if seconds >= size:
            return word % {"n": seconds // size}
    return _("%(n)s s") % {"n": seconds}


@register.filter
def phone(value: str) -> str:
    """A telephone number in groups, for reading. Unknown formats stay unchanged."""
    match = _CHINESE_MOBILE.match(value or "")
    return " ".join(part for part in match.groups() if part) if match else value


@register.filter
def fours(value: str) -> str:
    """A key in groups of four, to be read and typed. Apps ignore the spaces."""
    return " ".join(value[at : at + 4] for at in range(0, len(value), 4))


@register.simple_tag
def strings_address() -> str:
    """The URL of the texts of this page's scripts."""
    return strings.strings_address()


@register.filter
def open_word(url: str) -> str:
    """The label of a button to one of our pages: Open pool, Open system."""
    return page_word(url)


@register.filter
def person_name(user: Any) -> str:
    """The full name, otherwise the user name."""
    full = getattr(user, "get_full_name", lambda: "")()
    return full or getattr(user, "get_username", lambda: "")()


@register.filter
def people(users: Iterable[Any]) -> str:
    """The names of several people, separated by commas."""
    return _(", ").join(person_name(user) for user in users)


@register.filter
def initials(name: str) -> str:
    """Up to two letters: LM for Lin Mei."""
    words = [word for word in re.split(r"[\s._-]+", name) if word]
    letters = [words[0][0], words[-1][0]] if len(words) > 1 else [name[:2]]
    return "".join(letters).upper()


@register.simple_tag
def sparkline(values: Sequence[float | None] | None) -> SafeString:
    """An empty drawing with its values. js/shared/sparkline.js draws it, and again on changes."""
    text = ",".join("" if value is None else f"{value:g}" for value in values or ())
    return format_html('<svg class="sparkline" data-values="{}" aria-hidden="true"></svg>', text)


@register.simple_tag(takes_context=True)
def query(context: dict[str, Any], **changes: Any) -> str:
    """The page's URL with some parameters changed. None or "" removes a parameter."""
    parameters = context["request"].GET.copy()
    for name, value in changes.items():
        parameters.pop(name, None)
        if value not in (None, ""):
            parameters[name] = value
    return "?" + urlencode(sorted(parameters.lists()), doseq=True)
