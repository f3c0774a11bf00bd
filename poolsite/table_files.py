"""The cells of a CSV or XLSX file as text, whatever program wrote it."""

import csv
import io
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

ROWS_LIMIT = 1_000_000
LINE_CHARACTERS_LIMIT = 65_536
SHEET_BYTES_LIMIT = 256 * 1024 * 1024  # streamed
STRINGS_BYTES_LIMIT = 48 * 1024 * 1024  # held in memory
PART_BYTES_LIMIT = 4 * 1024 * 1024  # parsed as a whole
COLUMNS_LIMIT = 50
CELL_CHARACTERS_LIMIT = 300
DELIMITERS = ",;\t"
ENCODINGS = ("utf-8-sig", "gb18030")
ENDINGS = (".csv", ".txt", ".tsv", ".xlsx")


class UnreadableFileError(ValueError):
    """The file as a whole cannot be read; the text is one clear sentence."""


def read_cells(path: Path, file_name: str) -> Iterator[Sequence[str]]:
    """Yield the rows of a file, each a sequence of texts; the name's ending tells the kind.

    Raises UnreadableFileError, at once or while reading.
    """
    if file_name.lower().endswith(".xlsx"):
        return _xlsx_cells(path)
    if file_name.lower().endswith((".csv", ".txt", ".tsv")):
        return _csv_cells(path)
    raise UnreadableFileError("The file is neither CSV nor XLSX.")


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
    import openpyxl  # here: it is large, and few processes ever read a workbook

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
