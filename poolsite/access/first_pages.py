"""The page that each role sees first."""

from collections.abc import Callable
from dataclasses import dataclass

from poolsite.access.principal import Principal

NOTHING_YET = "/welcome/"


@dataclass(frozen=True, slots=True)
class FirstPage:
    """A page, the principals it is for, and its order (the lowest is checked first)."""

    name: str
    suits: Callable[[Principal], bool]
    url: str | Callable[[Principal], str]
    order: int


_PAGES: dict[str, FirstPage] = {}


def register_first_page(
    name: str,
    *,
    suits: Callable[[Principal], bool],
    url: str | Callable[[Principal], str],
    order: int = 100,
) -> None:
    """Send principals that `suits` accepts to `url` after log-in; the lowest `order` wins.

    Operators go to the overview (order 50). Register with a lower order to come first.
    """
    _PAGES[name] = FirstPage(name, suits, url, order)


def first_page(principal: Principal) -> str:
    """Return the path of the principal's first page, or of a plain page if no app has one."""
    for page in sorted(_PAGES.values(), key=lambda each: (each.order, each.name)):
        if page.suits(principal):
            return page.url if isinstance(page.url, str) else page.url(principal)
    return NOTHING_YET
