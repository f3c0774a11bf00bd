"""What lists share: columns that sort and export, and the address of the filters."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar
from urllib.parse import urlencode

from django.http import HttpResponse

from poolsite.csv_text import csv_lines

R = TypeVar("R")


@dataclass(frozen=True)
class Column(Generic[R]):
    """One column: its name in the address and in CSV, its head, and what it is sorted by.

    value: of a row; None = unknown, which stands last whichever way one sorts.
    """

    name: str
    label: str
    value: Callable[[R], Any]
    right: bool = True
    falls: bool = False  # a time, or another figure that does not stand at the right


def ordered(rows: Iterable[R], columns: Sequence[Column[R]], sort: str) -> list[R]:
    """The rows by one of the columns, "-" before its name turns round; as given for no column."""
    column = next((each for each in columns if each.name == sort.removeprefix("-")), None)
    if column is None:
        return list(rows)
    valued = [(column.value(row), row) for row in rows]
    known = [(value, row) for value, row in valued if value is not None]
    known.sort(key=lambda each: each[0], reverse=sort.startswith("-"))
    return [row for _, row in known] + [row for value, row in valued if value is None]


def aria_sort(name: str, sort: str) -> str:
    """How a column's head tells of the order; `name` "" is of a column that does not sort."""
    if not name or sort.removeprefix("-") != name:
        return "none"
    return "descending" if sort.startswith("-") else "ascending"


def heads(columns: Sequence[Column[R]], sort: str) -> list[dict[str, Any]]:
    """What components/table_heads.html shows of these columns."""
    return [
        head(column.label, column.name, sort, right=column.right, falls=column.falls)
        for column in columns
    ]


def head(label: str, name: str, sort: str, *, right: bool, falls: bool = False) -> dict[str, Any]:
    """One head; `name` "" does not sort.

    What a first click does: names go from A to Z, figures and times begin with the largest and
    the newest. `right`: of a figure; `falls`: of a time or a figure that stands elsewhere.
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
    """The rows as a CSV file, whose heads are the columns' names."""
    lines = csv_lines(
        [column.name for column in columns],
        ([column.value(row) for column in columns] for row in rows),
    )
    answer = HttpResponse(list(lines), content_type="text/csv; charset=utf-8")
    answer["Content-Disposition"] = f'attachment; filename="{name}.csv"'
    return answer


def address(filters: Mapping[str, Any], **more: Any) -> str:
    """The list's address with these filters; empty ones stay out."""
    return "?" + urlencode({name: value for name, value in {**filters, **more}.items() if value})
