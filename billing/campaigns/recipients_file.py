"""The rows of a recipient file: a number per row, and any other columns."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Final

from poolsite.table_files import read_cells
from poolsite.table_reader.limits import CELL_CHARACTERS_LIMIT, UnreadableFileError

_HEADS: Final = (
    *("number", "phone", "phone number", "mobile", "msisdn", "tel", "recipient"),
    *("号码", "电话", "手机号", "手机", "接收人"),
)


@dataclass(frozen=True, slots=True)
class SourceRow:
    """A row and its place in the file, counted from 1 with the header."""

    row: int
    text: str


def read_rows(path: Path, file_name: str) -> Iterator[SourceRow]:
    """Yield all rows except the header and empty rows.

    The first row is a header if it names a number column. Otherwise the first column has the
    numbers. Raise UnreadableFileError, at once or while reading.
    """
    cells = iter(read_cells(path, file_name))
    first = next(cells, None)
    if first is None:
        raise UnreadableFileError("The file is empty.")
    column = _column(first)
    numbered = enumerate(cells, start=2)
    for row, values in numbered if column is not None else chain([(1, first)], numbered):
        if any(value.strip() for value in values):
            yield SourceRow(row, _cell(values, column or 0))


def _column(values: Sequence[str]) -> int | None:
    """Return the column of the numbers according to the header, or None if the row is no header."""
    names = [value.strip().lower() for value in values]
    return next((names.index(head) for head in _HEADS if head in names), None)


def _cell(values: Sequence[str], column: int) -> str:
    text = values[column] if column < len(values) else ""
    return text.replace("\x00", "\ufffd")[:CELL_CHARACTERS_LIMIT]
