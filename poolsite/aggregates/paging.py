"""The pages of the lists of aggregates: by slug, filtered by text and tag."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

from django.db.models import Model, Q, QuerySet
from django.http import HttpRequest

from poolsite.console.lists import address
from poolsite.operations.tags_and_notes import show_tags, with_tag

PAGE_ROWS = 100
M = TypeVar("M", bound=Model)


@dataclass(frozen=True)
class ListPage(Generic[M]):
    """A page of a list: its rows, how many rows the reader may see, and URLs of other pages."""

    rows: list[M]
    total: int
    text: str
    sort: str
    next_url: str
    back_url: str


def page_of(request: HttpRequest, rows: QuerySet[M], *, kind: str) -> ListPage[M]:
    """Return the page for the URL's parameters: `q`, `tag`, `sort`, and `after`, a slug."""
    total = rows.count()
    given = _given(request)
    after = given.pop("after")
    shown, last = page_after(_matching(rows, given, kind), after)
    return ListPage(
        rows=shown,
        total=total,
        text=given["q"],
        sort=given["sort"],
        next_url=address(given, after=last) if last else "",
        back_url=address(given) if after else "",
    )


def every_page(request: HttpRequest, rows: QuerySet[M], *, kind: str) -> Iterator[list[M]]:
    """Yield all rows that match the URL's `q` and `tag`, one page at a time."""
    return pages_of(_matching(rows, _given(request), kind))


def pages_of(rows: QuerySet[M]) -> Iterator[list[M]]:
    """Yield all rows by slug, `PAGE_ROWS` at a time, with their tags."""
    after = ""
    while True:
        shown, after = page_after(rows, after)
        if shown:
            yield shown
        if not after:
            return


def page_after(rows: QuerySet[M], after: str) -> tuple[list[M], str]:
    """Return the rows after a slug, with their tags, and the slug of the last; "" at the end."""
    found = list(rows.filter(slug__gt=after).order_by("slug")[: PAGE_ROWS + 1])
    shown = found[:PAGE_ROWS]
    show_tags(shown)
    return shown, getattr(shown[-1], "slug", "") if len(found) > PAGE_ROWS else ""


def _given(request: HttpRequest) -> dict[str, str]:
    return {
        name: request.GET.get(name, "").replace("\x00", "")[:40]
        for name in ("q", "tag", "sort", "after")
    }


def _matching(rows: QuerySet[M], given: dict[str, str], kind: str) -> QuerySet[M]:
    if text := given["q"]:
        rows = rows.filter(Q(slug__contains=text.lower()) | Q(name__icontains=text))
    return with_tag(rows, given["tag"], kind=kind)
