"""Lists whose rows SQL sorts: pages by key in both directions, and rows as CSV.

For aggregates use `poolsite.aggregates.paging` instead: Redis returns their figures for one page at
a time.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

from django.db.models import F, Model, Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import ngettext

from poolsite.console import lists

PAGE_ROWS = 25  # a page of 50 took a browser twice as long to lay out
CSV_ROWS = 10_000
KEY_DIGITS = 18  # fits a primary key of 64 bits
NOTHING = Q(pk__in=())
M = TypeVar("M", bound=Model)


@dataclass(frozen=True)
class SqlColumn(lists.Column[M]):
    """A column that SQL sorts by `order`; () does not sort. Without a label, it is only in the CSV.

    nullable: a field of `order` may be unknown. Such rows come last in both directions.
    """

    right: bool = False
    order: tuple[str, ...] = ()
    nullable: bool = False


@dataclass(frozen=True)
class Choice:
    """A filter of a list's toolbar: its name in the URL, its options and the chosen one."""

    name: str
    label: str
    options: Sequence[tuple[str, Any]]
    value: str


@dataclass(frozen=True)
class Term:
    """A field by which rows are ordered."""

    field: str
    falling: bool = False
    nullable: bool = False
    unknown_first: bool = False

    def turned(self) -> "Term":
        return replace(self, falling=not self.falling, unknown_first=not self.unknown_first)

    @property
    def by(self) -> Any:
        if not self.nullable:
            return f"-{self.field}" if self.falling else self.field
        way = F(self.field).desc if self.falling else F(self.field).asc
        return way(nulls_first=True) if self.unknown_first else way(nulls_last=True)

    def beyond(self, value: Any) -> Q:
        """Return the rows that this field alone puts after a row with `value`."""
        if value is None:
            return Q(**{f"{self.field}__isnull": False}) if self.unknown_first else NOTHING
        found = Q(**{f"{self.field}__{'lt' if self.falling else 'gt'}": value})
        if self.nullable and not self.unknown_first:
            found |= Q(**{f"{self.field}__isnull": True})
        return found

    def same(self, value: Any) -> Q:
        return Q(**{f"{self.field}__isnull": True} if value is None else {self.field: value})


NEWEST_FIRST = (Term("pk", falling=True),)


@dataclass(frozen=True, slots=True)
class TablePage(Generic[M]):
    """Rows in their order, and the keys of the next and previous page, or None if there is none."""

    rows: list[M]
    after: int | None
    before: int | None


def page_of(
    queryset: QuerySet[M],
    order: Sequence[Term] = NEWEST_FIRST,
    *,
    after: int | None = None,
    before: int | None = None,
    size: int | None = None,
) -> TablePage[M]:
    """Return the page after the row `after`, or the one before `before`. Without both: the first.

    size: how many rows, by default PAGE_ROWS.
    Page one and page ten thousand cost the same if an index has the order. A key whose row is no
    longer in the list, or has no rows beyond it any more, leads to the first page.
    """
    key = before if after is None else after
    values = None if key is None else _values_of(queryset, order, key)
    turned = after is None and values is not None
    terms = [term.turned() for term in order] if turned else list(order)
    found = queryset.order_by(*[term.by for term in terms])
    if values is not None:
        found = found.filter(_beyond(terms, values))
    size = size or PAGE_ROWS
    rows = list(found[: size + 1])
    if not rows and values is not None:
        return page_of(queryset, order, size=size)
    more, rows = len(rows) > size, rows[:size]
    if turned:
        rows.reverse()
        return TablePage(rows, rows[-1].pk if rows else None, rows[0].pk if more else None)
    back = rows[0].pk if rows and values is not None else None
    return TablePage(rows, rows[-1].pk if more else None, back)


def order_of(columns: Sequence[SqlColumn[M]], sort: str) -> Sequence[Term]:
    """Return the order of a column, reversed with "-" before its name, or newest first.

    Among equal rows the newest come first, or last in the reversed order: the indexes' direction.
    """
    column = next((each for each in columns if each.name == sort.removeprefix("-")), None)
    if column is None or not column.order:
        return NEWEST_FIRST
    terms = [Term(field, nullable=column.nullable) for field in column.order]
    if column.order[-1] != "pk":
        terms.append(Term("pk", falling=True))
    if not sort.startswith("-"):
        return terms
    return [replace(term, falling=not term.falling) for term in terms]


def answer(
    request: HttpRequest,
    template: str,
    rows: QuerySet[M],
    columns: Sequence[SqlColumn[M]],
    *,
    given: Mapping[str, str],
    file: str,
    default: str = "",
    dress: Callable[[list[M]], list[Any]] = list,
    counted: Callable[[int], str] | None = None,
    context: Mapping[str, Any] | None = None,
) -> HttpResponse:
    """Return the list as a page, or with `format=csv` as a file of its first 10,000 rows.

    given: the filters as they were read from the URL; `rows` are already filtered by them.
    default: the order if the URL has none; without it, newest first.
    dress: prepares the page's rows for the template.
    counted: returns the text with the number of rows, with the list's own noun.
    """
    asked = text_of(request, "sort")
    asked = asked if any(c.order and c.name == asked.removeprefix("-") for c in columns) else ""
    sort = asked or default
    order = order_of(columns, sort)
    if request.GET.get("format") == "csv":
        return lists.csv_answer(file, columns, rows.order_by(*[t.by for t in order])[:CSV_ROWS])
    after, before = key_of(request, "after"), key_of(request, "before")
    page = page_of(rows, order, after=after, before=before)
    kept = {**given, "sort": asked}
    shown = (counted or _rows)(len(page.rows))
    found = {
        "rows": dress(page.rows),
        "sort": asked,
        "heads": _heads(columns, sort),
        "filtered": any(given.values()),
        "shown": shown,
        "next_url": lists.address(kept, after=str(page.after)) if page.after else "",
        "back_url": lists.address(kept, before=str(page.before)) if page.before else "",
    }
    return render(request, template, {**found, **(context or {})})


def _rows(n: int) -> str:
    return ngettext("%(n)s row", "%(n)s rows", n) % {"n": n}


def text_of(request: HttpRequest, name: str, longest: int = 80) -> str:
    """Return a short text of the URL, without zero bytes, which PostgreSQL doesn't accept."""
    return request.GET.get(name, "").replace("\x00", "").strip()[:longest]


def key_of(request: HttpRequest, name: str) -> int | None:
    """Return a primary key of the form or the URL, or None if it is invalid."""
    value = request.POST.get(name) or request.GET.get(name, "")
    good = value.isascii() and value.isdecimal() and len(value) <= KEY_DIGITS
    return int(value) if good else None


def choice_of(
    request: HttpRequest, name: str, label: str, options: Sequence[tuple[str, Any]]
) -> Choice:
    """Return a filter with the value in the URL, or with the first option if it is unknown."""
    given = request.GET.get(name, "")
    known = [value for value, _ in options]
    return Choice(name, label, options, given if given in known else known[0])


def _values_of(queryset: QuerySet[M], terms: Sequence[Term], key: int) -> Sequence[Any] | None:
    """Return the values by which the row with this key is ordered, or None if it is not in the
    list.
    """
    if len(terms) == 1 and terms[0].field == "pk":
        return (key,)
    return queryset.filter(pk=key).values_list(*[term.field for term in terms]).first()


def _beyond(terms: Sequence[Term], values: Sequence[Any]) -> Q:
    """Return the rows that come after the row with these values."""
    found, before = NOTHING, Q()
    for term, value in zip(terms, values, strict=True):
        found |= before & term.beyond(value)
        before &= term.same(value)
    first, value = terms[0], values[0]
    if not first.nullable and len(terms) > 1:  # a repetition, so that the index starts there
        found &= Q(**{f"{first.field}__{'lte' if first.falling else 'gte'}": value})
    return found


def _heads(columns: Sequence[SqlColumn[M]], sort: str) -> list[dict[str, Any]]:
    """Return the headings of the page's columns. Those that SQL can't sort have no link."""
    shown = [column for column in columns if column.label]
    found = lists.heads(shown, sort)
    for column, head in zip(shown, found, strict=True):
        if not column.order:
            head["sort"] = ""
    return found
