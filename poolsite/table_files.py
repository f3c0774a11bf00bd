"""The cells of a CSV or XLSX file as text, whatever program wrote it."""

import csv
import io
import re
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

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
QUOTED_LINES_LIMIT = 20  # of one text in quotes; a longer one is a quote that nobody closed

# A line inside quotes that begins as a row of these files does: a number, then the next column.
_ROW: Final = re.compile(r"""\s*["'+(]*[0-9][0-9 ().+-]*["']?\s*(?:[,;\t\r\n]|$)""")
_FORMULA: Final = re.compile(rb"<(?:\w+:)?f[\s/>]")


class UnreadableFileError(ValueError):
    """The file as a whole cannot be read; the text is one clear sentence."""


class OpenQuote(str):
    """A line that belongs to a quote which its own row does not close: the only cell of its row.

    `line` is the line as it stands; `since` how many rows before this one the quote was opened.
    The text itself has a quote in it, so that nobody takes it for a number.
    """

    __slots__ = ("line", "since")
    line: str
    since: int

    def __new__(cls, line: str, since: int) -> "OpenQuote":
        """The line, cut to a cell's length."""
        plain = line.rstrip("\r\n")[:CELL_CHARACTERS_LIMIT]
        text = super().__new__(cls, plain if '"' in plain else f'"{plain}')
        text.line, text.since = plain, since
        return text


class Formula(str):
    """A cell that the workbook computes: its text is the formula, `shown` the last result."""

    __slots__ = ("shown",)
    shown: str

    def __new__(cls, formula: str, shown: str) -> "Formula":
        """The formula with its =."""
        text = super().__new__(cls, "=" + formula.removeprefix("=")[: CELL_CHARACTERS_LIMIT - 1])
        text.shown = shown
        return text


def read_cells(path: Path, file_name: str) -> Iterator[Sequence[str]]:
    """Yield the rows of a file, each a sequence of texts; the name's ending tells the kind.

    A CSV line that an open quote runs over is a row of one OpenQuote; a computed cell of a
    workbook is a Formula. Raises UnreadableFileError, at once or while reading.
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
            yield from _csv_records(_bounded_lines(file), delimiter)
        except csv.Error as error:
            raise UnreadableFileError(f"The file is no CSV: {error}.") from error


def _csv_records(lines: Iterable[str], delimiter: str) -> Iterator[Sequence[str]]:
    """Yield the records. One text may run over several lines in its quotes; where a quote was
    forgotten, the rows that it runs over are yielded one by one, as they stand."""
    held: list[str] = []
    since = 0  # rows since the forgotten quote; 0 = none is open
    for line in lines:
        if since:
            yield [OpenQuote(line, since)]
            since = 0 if line.count('"') % 2 else since + 1
            continue
        if not held and '"' not in line:
            yield next(csv.reader((line,), delimiter=delimiter))
            continue
        held.append(line)
        record = _closed(held, delimiter)
        if record is None and len(held) < QUOTED_LINES_LIMIT:
            continue
        if record is not None and not any(map(_ROW.match, held[1:])):
            yield record
        else:
            yield from _as_they_stand(held)
            since = len(held) if record is None else 0
        held.clear()
    yield from _as_they_stand(held)


def _closed(lines: Sequence[str], delimiter: str) -> Sequence[str] | None:
    """Return the record of these lines; None while a quote in them is open."""
    reader = csv.reader((*lines, "\n"), delimiter=delimiter)
    record = next(reader)
    return record if reader.line_num == len(lines) else None


def _as_they_stand(lines: Sequence[str]) -> Iterator[Sequence[str]]:
    for since, line in enumerate(lines):
        yield [OpenQuote(line, since)]


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
            computes = _has_formulas(packed)
        yield from _computed_rows(path) if computes else _plain_rows(path)
    except UnreadableFileError:
        raise
    except MemoryError as error:
        raise UnreadableFileError("The workbook is too large.") from error
    except Exception as error:  # hostile XML and ZIP raise whatever their parsers come upon
        raise UnreadableFileError("The file is no XLSX workbook that can be read.") from error


def _first_sheet(
    path: Path, *, results: bool, values_only: bool = False
) -> Iterator[Sequence[Any]]:
    """Yield the first sheet's rows of cells; `results`: what formulas showed, not the formulas."""
    import openpyxl  # here: it is large, and few processes ever read a workbook

    book = openpyxl.load_workbook(path, read_only=True, data_only=results)
    try:
        if not book.worksheets:
            raise UnreadableFileError("The workbook has no sheet.")
        yield from book.worksheets[0].iter_rows(max_col=COLUMNS_LIMIT, values_only=values_only)
    finally:
        book.close()


def _plain_rows(path: Path) -> Iterator[Sequence[str]]:
    for values in _first_sheet(path, results=True, values_only=True):
        yield [_as_text(value) for value in values]


def _computed_rows(path: Path) -> Iterator[Sequence[str]]:
    """Read the sheet twice side by side: what is written, and what it showed."""
    written, shown = _first_sheet(path, results=False), _first_sheet(path, results=True)
    for cells, results in zip(written, shown, strict=True):
        yield [
            Formula(_formula(cell.value), _as_text(result.value))
            if cell.data_type == "f"
            else _as_text(cell.value)
            for cell, result in zip(cells, results, strict=False)
        ]


def _formula(value: Any) -> str:
    """Return the text of a formula; an array formula is an object that holds it."""
    return value if isinstance(value, str) else str(getattr(value, "text", None) or "")


def _has_formulas(packed: zipfile.ZipFile) -> bool:
    """Whether any sheet computes something; a tag may be cut by the end of a block."""
    for name in packed.namelist():
        if not name.startswith("xl/worksheets/"):
            continue
        with packed.open(name) as part:
            rest = b""
            while block := part.read(1 << 20):
                if _FORMULA.search(rest + block):
                    return True
                rest = block[-32:]
    return False


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
