"""What lists share: columns that sort and export, and the URL with the filters."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar
from urllib.parse import urlencode

from django.http import HttpResponse

from poolsite.csv_text import csv_lines

R = TypeVar("R")


@dataclass(frozen=True)
class Column(Generic[R]):
    """One column: its name in the URL and in CSV, its heading, and the value that it is sorted by.

    value: gets a row and returns None if the value is unknown. Such rows come last in both
    directions.
    """

    name: str
    label: str
    value: Callable[[R], Any]
    right: bool = True
    falls: bool = False  # a time, or a figure that is not right-aligned


def ordered(rows: Iterable[R], columns: Sequence[Column[R]], sort: str) -> list[R]:
    """Return the rows by a column, descending with "-" before its name, or unsorted."""
    column = next((each for each in columns if each.name == sort.removeprefix("-")), None)
    if column is None:
        return list(rows)
    valued = [(column.value(row), row) for row in rows]
    known = [(value, row) for value, row in valued if value is not None]
    known.sort(key=lambda each: each[0], reverse=sort.startswith("-"))
    return [row for _, row in known] + [row for value, row in valued if value is None]


def aria_sort(name: str, sort: str) -> str:
    """Return a heading's aria-sort. `name` is "" for a column that does not sort."""
    if not name or sort.removeprefix("-") != name:
        return "none"
    return "descending" if sort.startswith("-") else "ascending"


def heads(columns: Sequence[Column[R]], sort: str) -> list[dict[str, Any]]:
    """Return the data of components/table_heads.html for these columns."""
    return [
        head(column.label, column.name, sort, right=column.right, falls=column.falls)
        for column in columns
    ]


def head(label: str, name: str, sort: str, *, right: bool, falls: bool = False) -> dict[str, Any]:
    """Return one heading. It does not sort if `name` is "".

    The first click sorts names from A to Z, but figures and times from the largest or newest.
    `right`: for a figure; `falls`: for a time or a figure that is not right-aligned.
    """
    first, second = name, f"-{name}"
    if right or falls:
        first, second = second, first
    by = second if sort == first else first
    return {
        "label": label,
        "sort": name,
        "right": right,
        "aria": aria_sort(name, sort),
        "by": by,
    }


def csv_answer(name: str, columns: Sequence[Column[R]], rows: Iterable[R]) -> HttpResponse:
    """Return the rows as a CSV file, with the columns' names in the first line."""
    lines = csv_lines(
        [column.name for column in columns],
        ([column.value(row) for column in columns] for row in rows),
    )
    answer = HttpResponse(list(lines), content_type="text/csv; charset=utf-8")
    answer["Content-Disposition"] = f'attachment; filename="{name}.csv"'
    return answer


def address(filters: Mapping[str, Any], **more: Any) -> str:
    """Return the list's URL with these filters. Empty ones are left out."""
    return "?" + urlencode({name: value for name, value in {**filters, **more}.items() if value})
