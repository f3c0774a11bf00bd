"""Docstrings as HTML, for the API reference."""

import re
from collections.abc import Iterator

from django import template
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

register = template.Library()
_CODE = re.compile(r"`([^`]+)`")


@register.filter
def reference_words(text: str) -> SafeString:
    """Return paragraphs and lists (`- `) with joined lines, and text in backticks as code."""
    blocks = "".join(_blocks(str(text)))
    return mark_safe(blocks)  # noqa: S308  every piece is escaped


def _blocks(text: str) -> Iterator[str]:
    for block in re.split(r"\n\s*\n", text.strip()):
        words, *items = re.split(r"(?:^|\n)\s*- ", block)
        if words.strip():
            yield f"<p>{_line(words)}</p>"
        if items:
            yield f"<ul>{''.join(f'<li>{_line(item)}</li>' for item in items)}</ul>"


def _line(text: str) -> str:
    return _CODE.sub(r"<code>\1</code>", escape(" ".join(text.split())))
