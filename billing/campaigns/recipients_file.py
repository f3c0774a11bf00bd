"""The rows of a file of recipients: one number each, whatever else stands beside it."""

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
    """One row with its place in the file, counted from 1, the head included."""

    row: int
    text: str


def read_rows(path: Path, file_name: str) -> Iterator[SourceRow]:
    """Yield every row but a head and rows without any text.

    The first row is a head if it names a number column; else the first column holds the
    numbers. Raises UnreadableFileError, at once or while reading.
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
    """Return which column a head says holds the numbers; None if this row is no head."""
    names = [value.strip().lower() for value in values]
    return next((names.index(head) for head in _HEADS if head in names), None)


def _cell(values: Sequence[str], column: int) -> str:
    text = values[column] if column < len(values) else ""
    return text.replace("\x00", "\ufffd")[:CELL_CHARACTERS_LIMIT]
