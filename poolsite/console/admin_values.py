"""How the admin writes JSON of a row: each value with its label, as text."""

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
Write = Callable[[str, Any], str]  # from a value's name and the value


def label_of_key(name: str) -> str:
    """Return a name without a label as words."""
    return capfirst(name.removesuffix("_us").removesuffix("_seconds").replace("_", " "))


def value_of_key(name: str, value: Any) -> str:
    """Return a value as text: moments and durations by name and form, others like the audit log."""
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
    """Return microseconds since 1970 as a moment."""
    return dates.moment_exact(moment_of(value))


def labelled(
    value: Any, label: Label = label_of_key, write: Write = value_of_key, name: str = ""
) -> str:
    """Return a list of labels and values. A nested value becomes a list within the list."""
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
    """Like `labelled`, for a text that may be JSON. Any other text is returned unchanged."""
    try:
        return labelled(json.loads(value))
    except ValueError:
        return value


def _moment(text: str) -> datetime | None:
    try:
        return parse_datetime(text)
    except ValueError:  # the form of a moment, but not a valid one
        return None
