"""The rows of a CSV or XLSX file of numbers."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from poolsite.table_files import read_cells
from poolsite.table_reader.cells import Formula, OpenQuote
from poolsite.table_reader.limits import UnreadableFileError

_HEADS = {
    "number": ("number", "phone", "phone number", "msisdn", "tel", "号码", "电话", "手机号"),
    "label": ("label", "name", "description", "名称", "标签", "备注"),
    "region": ("region", "area", "city", "地区", "区域", "城市"),
}


@dataclass(frozen=True, slots=True)
class SourceRow:
    """One row with its place in the file, counted from 1, including the header row.

    `open_quote` is the row, this one or an earlier one, whose unclosed quote covers this row; 0 if
    there is none. `number` is then the whole line.
    """

    row: int
    number: str
    label: str = ""
    region: str = ""
    open_quote: int = 0


def read_rows(path: Path, file_name: str) -> Iterator[SourceRow]:
    """Yield the rows of a file. The ending of its name determines the file type.

    The first row is a header if it names a number column; otherwise the first column has the
    numbers. Raise UnreadableFileError, immediately or while reading.
    """
    yield from _rows(read_cells(path, file_name))


def _rows(cells: Iterator[Sequence[str]]) -> Iterator[SourceRow]:
    first = next(cells, None)
    if first is None:
        raise UnreadableFileError("The file is empty.")
    columns = _head(first)
    rest: Iterable[tuple[int, Sequence[str]]] = enumerate(cells, start=2)
    if columns is None:
        columns = {"number": 0, "label": 1, "region": 2}
        rest = chain([(1, first)], rest)
    for row, values in rest:
        if values and isinstance(values[0], OpenQuote):
            yield SourceRow(row, _clean(values[0].line), open_quote=row - values[0].since)
            continue
        yield SourceRow(
            row=row,
            number=_cell(values, columns["number"]),
            label=_shown(values, columns.get("label", -1))[:120],
            region=_shown(values, columns.get("region", -1))[:80],
        )


def _head(values: Sequence[str]) -> dict[str, int] | None:
    """Return column name → index if this row is a header, or None if it is data."""
    names = [value.strip().lower() for value in values]
    columns = {
        column: names.index(head)
        for column, heads in _HEADS.items()
        for head in heads
        if head in names
    }
    return columns if "number" in columns else None


def _cell(values: Sequence[str], column: int) -> str:
    return _clean(values[column]) if 0 <= column < len(values) else ""


def _shown(values: Sequence[str], column: int) -> str:
    """The text of a cell other than the number. A formula's result counts as text here."""
    cell = values[column] if 0 <= column < len(values) else ""
    return _clean(cell.shown if isinstance(cell, Formula) else cell)


def _clean(text: str) -> str:
    return text.replace("\x00", "\ufffd")
