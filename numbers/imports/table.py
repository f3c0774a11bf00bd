"""The rows of a CSV or XLSX file as text, whatever program wrote it."""

import csv
import io
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import openpyxl

ROWS_LIMIT = 1_000_000
LINE_CHARACTERS_LIMIT = 65_536
SHEET_BYTES_LIMIT = 256 * 1024 * 1024  # streamed
STRINGS_BYTES_LIMIT = 48 * 1024 * 1024  # held in memory
PART_BYTES_LIMIT = 4 * 1024 * 1024  # parsed as a whole
COLUMNS_LIMIT = 50
CELL_CHARACTERS_LIMIT = 300
DELIMITERS = ",;\t"
ENCODINGS = ("utf-8-sig", "gb18030")

_HEADS = {
    "number": ("number", "phone", "phone number", "msisdn", "tel", "号码", "电话", "手机号"),
    "label": ("label", "name", "description", "名称", "标签", "备注"),
    "region": ("region", "area", "city", "地区", "区域", "城市"),
}


class UnreadableFileError(ValueError):
    """The file as a whole cannot be read; the text is one clear sentence."""


@dataclass(frozen=True, slots=True)
class SourceRow:
    """One row with its place in the file, counted from 1, the head included."""

    row: int
    number: str
    label: str = ""
    region: str = ""


def read_rows(path: Path, file_name: str) -> Iterator[SourceRow]:
    """Yield the rows of a file; the name's ending tells the kind.

    The first row is a head if it names a number column; else the first column holds the
    numbers. Raises UnreadableFileError, at once or while reading.
    """
    if file_name.lower().endswith(".xlsx"):
        cells = _xlsx_cells(path)
    elif file_name.lower().endswith((".csv", ".txt", ".tsv")):
        cells = _csv_cells(path)
    else:
        raise UnreadableFileError("The file is neither CSV nor XLSX.")
    yield from _rows(cells)


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
        if row > ROWS_LIMIT + 1:
            raise UnreadableFileError(f"The file has more than {ROWS_LIMIT:,} rows.")
        yield SourceRow(
            row=row,
            number=_cell(values, columns["number"]),
            label=_cell(values, columns.get("label", -1))[:120],
            region=_cell(values, columns.get("region", -1))[:80],
        )


def _head(values: Sequence[str]) -> dict[str, int] | None:
    """Return which column holds what if this row is a head; None if it is data."""
    names = [value.strip().lower() for value in values]
    columns = {
        column: names.index(head)
        for column, heads in _HEADS.items()
        for head in heads
        if head in names
    }
    return columns if "number" in columns else None


def _cell(values: Sequence[str], column: int) -> str:
    return values[column].replace("\x00", "\ufffd") if 0 <= column < len(values) else ""


def _csv_cells(path: Path) -> Iterator[Sequence[str]]:
    encoding = _encoding(path)
    with path.open(encoding=encoding, newline="") as file:
        sample = file.read(4096)
        file.seek(0)
        delimiter = max(DELIMITERS, key=sample.count)
        if sample.count(delimiter) == 0:
            delimiter = ","
        csv.field_size_limit(LINE_CHARACTERS_LIMIT)
        try:
            yield from csv.reader(_bounded_lines(file), delimiter=delimiter)
        except csv.Error as error:
            raise UnreadableFileError(f"The file is no CSV: {error}.") from error


def _bounded_lines(file: io.TextIOBase) -> Iterator[str]:
    """Yield the lines; a 10 MB line is refused before it is in memory."""
    number = 0
    while line := file.readline(LINE_CHARACTERS_LIMIT):
        number += 1
        if len(line) >= LINE_CHARACTERS_LIMIT:
            raise UnreadableFileError(
                f"Line {number} is longer than {LINE_CHARACTERS_LIMIT:,} characters."
            )
        yield line.replace("\x00", "\ufffd")


def _encoding(path: Path) -> str:
    """Return the first encoding in which the whole file is readable."""
    for encoding in ENCODINGS:
        try:
            with path.open(encoding=encoding) as file:
                while file.read(1 << 20):
                    pass
        except UnicodeDecodeError:
            continue
        return encoding
    raise UnreadableFileError("The file's text is neither UTF-8 nor GB 18030.")


def _xlsx_cells(path: Path) -> Iterator[Sequence[str]]:
    """Yield the first sheet's rows. Whatever is wrong in the file, at most that is said."""
    try:
        with zipfile.ZipFile(path) as packed:
            _check_sizes(packed)
        book = openpyxl.load_workbook(path, read_only=True, data_only=True)
        try:
            if not book.worksheets:
                raise UnreadableFileError("The workbook has no sheet.")
            for values in book.worksheets[0].iter_rows(values_only=True, max_col=COLUMNS_LIMIT):
                yield [_as_text(value) for value in values]
        finally:
            book.close()
    except UnreadableFileError:
        raise
    except MemoryError as error:
        raise UnreadableFileError("The workbook is too large.") from error
    except Exception as error:  # hostile XML and ZIP raise whatever their parsers come upon
        raise UnreadableFileError("The file is no XLSX workbook that can be read.") from error


def _check_sizes(packed: zipfile.ZipFile) -> None:
    """Refuse a ZIP bomb by what it declares: zipfile never unpacks more than that."""
    if len(packed.infolist()) > 1_000:
        raise UnreadableFileError("The workbook has too many parts.")
    for part in packed.infolist():
        limit = PART_BYTES_LIMIT
        if part.filename.startswith("xl/worksheets/"):
            limit = SHEET_BYTES_LIMIT
        elif part.filename.lower().endswith("sharedstrings.xml"):
            limit = STRINGS_BYTES_LIMIT
        if part.file_size > limit:
            raise UnreadableFileError(
                f"The workbook unpacks to too much ({part.filename}: {part.file_size:,} bytes)."
            )


def _as_text(value: Any) -> str:
    """Return a cell as a person reads it: 13800000000.0 is how a sheet stores 13800000000."""
    if value is None:
        return ""
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return str(value)[:CELL_CHARACTERS_LIMIT]
