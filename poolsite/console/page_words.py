"""The label of a button that leads to a page, verb and object, by the page's URL name."""

from typing import Any
from urllib.parse import urlsplit

from django.urls import Resolver404, resolve
from django.utils.translation import gettext as _

_WORDS: dict[str, Any] = {}


def register_page_word(view_name: str, word: Any) -> None:
    """Give buttons to this page the label `word` (lazily translated), e.g. "Open pool".

    "numbers:pool#sizing" names a part of a page. Call this in AppConfig.ready().
    """
    _WORDS[view_name] = word


def page_word(url: str) -> str:
    """Return the label of a button to one of our URLs, or "Open" if none is registered."""
    parts = urlsplit(url)
    try:
        name = resolve(parts.path).view_name
    except Resolver404:
        return _("Open")
    word = _WORDS.get(f"{name}#{parts.fragment}") if parts.fragment else None
    return str(word or _WORDS.get(name) or _("Open"))
