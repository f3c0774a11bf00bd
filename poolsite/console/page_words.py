"""What a button says that leads to a page: verb and thing, by the page's URL name."""

from typing import Any
from urllib.parse import urlsplit

from django.urls import Resolver404, resolve
from django.utils.translation import gettext as _

_WORDS: dict[str, Any] = {}


def register_page_word(view_name: str, word: Any) -> None:
    """Let buttons to this page say `word` (lazily translated), e.g. "Open pool".

    "numbers:pool#sizing" names a part of a page. Called in AppConfig.ready().
    """
    _WORDS[view_name] = word


def page_word(url: str) -> str:
    """What a button to an address of ours says; "Open" where nobody said better."""
    parts = urlsplit(url)
    try:
        name = resolve(parts.path).view_name
    except Resolver404:
        return _("Open")
    word = _WORDS.get(f"{name}#{parts.fragment}") if parts.fragment else None
    return str(word or _WORDS.get(name) or _("Open"))
