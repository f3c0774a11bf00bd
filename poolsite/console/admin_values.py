"""How the admin writes what a row keeps as JSON: each value beside its label, in words."""

import json
from collections.abc import Callable
from datetime import datetime
from typing import Any

from django.utils.dateparse import parse_datetime
from django.utils.html import format_html, format_html_join
from django.utils.text import capfirst

from poolsite import dates
from poolsite.console.sentences.values import listed, plain_words
from poolsite.console.templatetags.console import span
from poolsite.moments import moment_of

Label = Callable[[str], str]
Write = Callable[[str, Any], str]  # from a value and the name that it has


def label_of_key(name: str) -> str:
    """A name that nobody has a label for, as words."""
    return capfirst(name.removesuffix("_us").removesuffix("_seconds").replace("_", " "))


def value_of_key(name: str, value: Any) -> str:
    """Moments and lengths of time by their names and forms; the rest as the audit log says it."""
    if isinstance(value, list):
        return listed([value_of_key(name, each) for each in value])
    if isinstance(value, str) and "-" in value and ":" in value:
        at = _moment(value)
        return dates.moment_exact(at) if at else value
    if type(value) is int and name.endswith("_us"):
        return moment_us(value)
    if type(value) in (int, float) and name.endswith("_seconds"):
        return span(value)
    return plain_words(value)


def moment_us(value: int) -> str:
    """Microseconds since 1970."""
    return dates.moment_exact(moment_of(value))


def labelled(
    value: Any, label: Label = label_of_key, write: Write = value_of_key, name: str = ""
) -> str:
    """A list of labels and values; what holds others is a list of its own within it."""
    if value in (None, "", [], {}):
        return dates.NOTHING
    if isinstance(value, dict):
        pairs = ((label(key), labelled(each, label, write, key)) for key, each in value.items())
        return format_html(
            '<dl class="admin-values">{}</dl>',
            format_html_join("", "<dt>{}</dt><dd>{}</dd>", pairs),
        )
    if isinstance(value, list) and any(isinstance(each, dict) for each in value):
        return format_html_join("", "{}", ((labelled(each, label, write, name),) for each in value))
    return write(name, value)


def labelled_text(value: str) -> str:
    """The same of a text that may be JSON; any other text as it is."""
    try:
        return labelled(json.loads(value))
    except ValueError:
        return value


def _moment(text: str) -> datetime | None:
    try:
        return parse_datetime(text)
    except ValueError:  # of the form of a moment, and none
        return None
