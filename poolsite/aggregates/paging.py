"""The pages of the lists of aggregates: by slug, filtered by text and tag."""

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
    given = {
        name: request.GET.get(name, "").replace("\x00", "")[:40]
        for name in ("q", "tag", "sort", "after")
    }
    if text := given["q"]:
        rows = rows.filter(Q(slug__contains=text.lower()) | Q(name__icontains=text))
    rows = with_tag(rows, given["tag"], kind=kind)
    after = given.pop("after")
    found = list(rows.filter(slug__gt=after).order_by("slug")[: PAGE_ROWS + 1])
    shown = found[:PAGE_ROWS]
    show_tags(shown)
    last = getattr(shown[-1], "slug", "") if len(found) > PAGE_ROWS else ""
    return ListPage(
        rows=shown,
        total=total,
        text=text,
        sort=given["sort"],
        next_url=address(given, after=last) if last else "",
        back_url=address(given) if after else "",
    )
