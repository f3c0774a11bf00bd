"""The pages of the lists of aggregates: by slug, filtered by text and tag."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from django.db.models import Model, Q, QuerySet
from django.http import HttpRequest

from poolsite.console.lists import Column, address, ordered
from poolsite.operations.tags_and_notes import show_tags, with_tag

PAGE_ROWS = 100
M = TypeVar("M", bound=Model)
R = TypeVar("R")


@dataclass(frozen=True)
class ListPage(Generic[R]):
    """A page of a list: its rows, how many rows the reader may see, and URLs of other pages."""

    rows: Sequence[R]
    total: int
    text: str
    sort: str
    next_url: str
    back_url: str


@dataclass(frozen=True)
class Listing(Generic[M, R]):
    """The rows of a list, filtered by the URL's `q` and `tag` and ordered by its `sort`.

    rows: those that the reader may see. read: returns the row of each, with its figures.
    """

    request: HttpRequest
    rows: QuerySet[M]
    kind: str
    read: Callable[[list[M]], Iterable[R]]
    columns: Sequence[Column[R]]

    def every_row(self) -> list[R]:
        """Return all rows."""
        given = _given(self.request)
        found = (row for page in pages_of(self._matching(given)) for row in self.read(page))
        return ordered(found, self.columns, given["sort"])

    def page(self) -> ListPage[R]:
        """Return the page for the URL. A sort reads every row, since SQL doesn't know figures."""
        given = _given(self.request)
        after = given.pop("after")
        rows: Sequence[R]
        if given["sort"]:
            rows, next_url, back_url = part_of(self.every_row(), given, after)
        else:
            found, next_url, back_url = page_by_slug(self._matching(given), given, after)
            rows = list(self.read(found))
        total = self.rows.count()
        return ListPage(rows, total, given["q"], given["sort"], next_url, back_url)

    def _matching(self, given: Mapping[str, str]) -> QuerySet[M]:
        rows = self.rows
        if text := given["q"]:
            rows = rows.filter(Q(slug__contains=text.lower()) | Q(name__icontains=text))
        return with_tag(rows, given["tag"], kind=self.kind)


def part_of(
    rows: Sequence[R], given: Mapping[str, str], after: str
) -> tuple[Sequence[R], str, str]:
    """Return a page of rows that are in their order, and the URLs of the next and previous page.

    after: how many rows come before the page. given: the list's filters.
    """
    start = int(after) if after.isascii() and after.isdecimal() and len(after) < 9 else 0
    end = start + PAGE_ROWS
    next_url = address(given, after=end) if end < len(rows) else ""
    back_url = address(given, after=max(0, start - PAGE_ROWS)) if start else ""
    return rows[start:end], next_url, back_url


def page_by_slug(
    rows: QuerySet[M], given: Mapping[str, str], after: str
) -> tuple[list[M], str, str]:
    """Return the rows after a slug, and the URLs of the next and previous page."""
    shown, last = page_after(rows, after)
    next_url = address(given, after=last) if last else ""
    if not after:
        return shown, next_url, ""
    earlier = rows.filter(slug__lte=after).order_by("-slug").values_list("slug", flat=True)
    before = next(iter(earlier[PAGE_ROWS : PAGE_ROWS + 1]), "")
    return shown, next_url, address(given, after=before)


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
