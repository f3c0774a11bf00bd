"""The rows of a workbook's first sheet as text."""

import re
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import BinaryIO, Final
from xml.parsers import expat

from poolsite.table_reader.cells import Formula
from poolsite.table_reader.dates import Styles, date_text
from poolsite.table_reader.limits import (
    CELL_CHARACTERS_LIMIT,
    CELLS_LIMIT,
    COLUMNS_LIMIT,
    ROWS_LIMIT,
    SHEET_BYTES_LIMIT,
    Budget,
    UnreadableFileError,
    too_many_rows,
)
from poolsite.table_reader.package import Handler, Package, damaged, tags
from poolsite.table_reader.strings import SharedStrings

_TAGS: Final = tags("row", "c", "v", "f", "is", "t", "rPh")
_DIGITS: Final = "0123456789"
_NUMBER: Final = re.compile(
    r"[+-]?[0-9]+(\.[0-9]*)?([eE][+-]?[0-9]+)?|[+-]?\.[0-9]+([eE][+-]?[0-9]+)?"
)
_LETTERS: Final = re.compile("[A-Za-z]{1,3}")
_NO_MEMORY: Final = expat.errors.codes[expat.errors.XML_ERROR_NO_MEMORY]
_SHARED_FORMULAS_LIMIT: Final = 10_000  # stored, to be shown in the cells that share them
_ABSENT: Final[tuple[str, ...]] = ()


def xlsx_rows(file: BinaryIO, budget: Budget) -> Iterator[Sequence[str]]:
    """Yield the rows of the first sheet; a missing row is empty, a computed cell a Formula.

    Raise UnreadableFileError while reading, whatever is wrong in the file.
    """
    try:
        package = Package(file, budget)
        book = package.workbook()
        strings, styles = SharedStrings(budget), Styles()
        if book.styles is not None:
            styles.read(package, book.styles)
        if book.strings is not None:
            strings.read(package, book.strings)
        sheet = _Sheet(budget, strings, styles, from_1904=book.from_1904)
        for _ in package.blocks(book.sheet, sheet, SHEET_BYTES_LIMIT):
            yield from sheet.rows
            sheet.rows.clear()
    except UnreadableFileError:
        raise
    except (MemoryError, expat.ExpatError) as error:
        if isinstance(error, MemoryError) or error.code == _NO_MEMORY:
            raise UnreadableFileError("The workbook is too large.") from error
        raise damaged() from error
    # Errors of the code above and of zipfile at hostile parts.
    except (
        *(ValueError, LookupError, OverflowError, RuntimeError, EOFError, OSError),
        *(zipfile.BadZipFile, zlib.error),
    ) as error:
        raise damaged() from error


class _Sheet(Handler):
    """Collects the rows that have ended; the caller takes them after every block."""

    def __init__(
        self, budget: Budget, strings: SharedStrings, styles: Styles, *, from_1904: bool
    ) -> None:
        self.rows: list[Sequence[str]] = []
        self._budget, self._strings, self._styles = budget, strings, styles
        self._from_1904 = from_1904
        self._columns: dict[str, int] = {}  # letters → place, as they occur
        self._formulas: dict[str, str] = {}  # shared ones, by their number
        self._row_number = self._cells = 0
        self._row: list[str] = []
        self._column = -1
        self._type = self._style = ""
        self._value: str | None = None
        self._formula: str | None = None
        self._shared = ""
        self._inline = self._phonetic = False
        self._taken: list[str] | None = None  # pieces of the text that is being read
        self._length = 0

    def start(self, name: str, attributes: dict[str, str]) -> None:
        tag = _TAGS.get(name)
        if tag == "c":
            self._begin_cell(attributes)
        elif tag == "v" or (tag == "t" and self._inline and not self._phonetic):
            self._taken = []
            self._length = 0
        elif tag == "row":
            self._begin_row(attributes.get("r"))
        elif tag == "f":
            self._taken = []
            self._length = 0
            self._shared = attributes.get("si", "") if attributes.get("t") == "shared" else ""
        elif tag == "is":
            self._inline = True
        elif tag == "rPh":
            self._phonetic = True

    def end(self, name: str) -> None:
        tag = _TAGS.get(name)
        if tag == "c":
            self._end_cell()
        elif tag == "v":
            self._value = self._text_of_tag()
        elif tag == "row":
            self.rows.append(self._row)
        elif tag == "f":
            self._formula = self._shared_text(self._text_of_tag())
        elif tag == "t" and self._taken is not None:
            self._value = ((self._value or "") + self._text_of_tag())[:CELL_CHARACTERS_LIMIT]
        elif tag == "is":
            self._inline = False
        elif tag == "rPh":
            self._phonetic = False

    def text(self, data: str) -> None:
        if self._taken is not None and self._length < CELL_CHARACTERS_LIMIT:
            self._taken.append(data[:CELL_CHARACTERS_LIMIT])
            self._length += len(data)

    def _text_of_tag(self) -> str:
        pieces, self._taken = self._taken or [], None
        return "".join(pieces)[:CELL_CHARACTERS_LIMIT]

    def _begin_row(self, place: str | None) -> None:
        number = self._row_number + 1 if place is None else int(float(place))
        if number > ROWS_LIMIT + 1:
            raise too_many_rows()
        if number <= self._row_number:
            raise UnreadableFileError(
                f"Row {number:,} of the sheet comes after row {self._row_number:,}."
            )
        self.rows.extend([_ABSENT] * (number - self._row_number - 1))
        self._row_number = number
        self._row = []
        self._column = -1
        self._budget.texts += 1

    def _begin_cell(self, attributes: dict[str, str]) -> None:
        self._cells += 1
        if self._cells > CELLS_LIMIT:
            raise UnreadableFileError(f"The sheet has more than {CELLS_LIMIT:,} cells.")
        place = attributes.get("r")
        if place is None:
            self._column += 1
        else:
            letters = place.rstrip(_DIGITS)
            found = self._columns.get(letters)
            self._column = self._place(letters) if found is None else found
        self._type = attributes.get("t", "n")
        self._style = attributes.get("s", "")
        self._value = self._formula = None

    def _place(self, letters: str) -> int:
        if not _LETTERS.fullmatch(letters):
            raise damaged()
        number = 0
        for letter in letters.upper():
            number = number * 26 + ord(letter) - 64
        self._columns[letters] = number - 1
        return number - 1

    def _end_cell(self) -> None:
        if self._value is None and self._formula is None:
            return
        column, row = self._column, self._row
        if column >= COLUMNS_LIMIT:
            return
        text = self._shown(self._value) if self._value else ""
        if self._formula is not None:
            text = Formula(self._formula, text)
        if column == len(row):
            row.append(text)
        elif column < len(row):
            row[column] = text
        else:
            row.extend([""] * (column - len(row)))
            row.append(text)
        self._budget.texts += 1

    def _shown(self, value: str) -> str:
        kind = self._type
        if kind == "s":
            return self._strings[int(value)]
        if kind == "n":
            return self._number(value)
        if kind == "b":
            return str(bool(int(value)))
        return _iso_text(value) if kind == "d" else value

    def _number(self, value: str) -> str:
        """Return a number as a person reads it: 13800000000.0 is stored for 13800000000."""
        is_date = bool(self._style) and int(self._style) in self._styles.dates
        if value.isascii() and value.isdecimal() and value[0] != "0" and not is_date:
            return value
        plain = value.strip()
        if not _NUMBER.fullmatch(plain):
            return value
        number = int(plain) if plain.lstrip("+-").isdecimal() else float(plain)
        if is_date:
            is_duration = int(self._style) in self._styles.durations
            return date_text(number, is_duration=is_duration, from_1904=self._from_1904)
        if isinstance(number, float) and number.is_integer() and abs(number) < 1e15:
            return str(int(number))
        return str(number)[:CELL_CHARACTERS_LIMIT]

    def _shared_text(self, text: str) -> str:
        """Return a formula's text; if several cells share one, that of the first cell."""
        if not self._shared:
            return text
        if text and len(self._formulas) < _SHARED_FORMULAS_LIMIT:
            return self._formulas.setdefault(self._shared, text)
        return self._formulas.get(self._shared, text)


def _iso_text(value: str) -> str:
    """Return a date of ISO 8601 in the form of other dates."""
    try:
        return str(datetime.fromisoformat(value)) if "T" in value else value
    except ValueError:
        return value
