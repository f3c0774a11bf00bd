"""The rows of a CSV file as text, whatever program wrote it."""

import codecs
import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import BinaryIO, Final

from poolsite.table_reader.cells import OpenQuote
from poolsite.table_reader.limits import LINE_CHARACTERS_LIMIT, Budget, UnreadableFileError

DELIMITERS: Final = ",;\t"
ENCODINGS: Final = ("utf-8-sig", "gb18030")
QUOTED_LINES_LIMIT: Final = 20  # of one text in quotes; a longer one has a quote that is not closed

# A line inside quotes that looks like the start of a row of these files: a number, then the next
# column. The quantifiers are possessive (*+): no part tries again what another has taken, so the
# cost of a line is its length.
_ROW: Final = re.compile(r"""\s*+["'+(]*+[0-9][0-9 ().+-]*+["']?+\s*(?:[,;\t\r\n]|$)""")


def csv_rows(file: BinaryIO, budget: Budget) -> Iterator[Sequence[str]]:
    """Yield the rows. Each line that an unclosed quote runs over is a row of one OpenQuote.

    Raise UnreadableFileError while reading.
    """
    text = _text(file, budget)
    sample = text.read(4096)
    text.seek(0)
    delimiter = max(DELIMITERS, key=sample.count)
    if sample.count(delimiter) == 0:
        delimiter = ","
    yield from _rows(text, budget, delimiter)


def exact_rows(file: BinaryIO, budget: Budget) -> Iterator[Sequence[str]]:
    """Yield the rows of a CSV whose cells must arrive as they were written; nothing is guessed.

    The file is UTF-8 with commas. What `csv_rows` would repair is refused: a text after a closing
    quote. NUL stays, for the caller to refuse.
    """
    _check_utf8(file, budget)
    file.seek(0)
    text = io.TextIOWrapper(file, encoding="utf-8-sig", newline="")
    yield from _rows(text, budget, ",", exact=True)


def _rows(
    text: io.TextIOWrapper, budget: Budget, delimiter: str, *, exact: bool = False
) -> Iterator[Sequence[str]]:
    csv.field_size_limit(LINE_CHARACTERS_LIMIT)
    lines = _Lines(text, budget, nul="\x00" if exact else "\ufffd")
    try:
        yield from _records(lines, delimiter, strict=exact)
    except csv.Error as error:
        raise UnreadableFileError(f"Line {lines.number} is not valid CSV: {error}.") from error
    finally:
        text.detach()


def _records(lines: Iterable[str], delimiter: str, *, strict: bool) -> Iterator[Sequence[str]]:
    """Yield the records.

    A text in quotes may run over several lines. If a quote was not closed, the rows that it runs
    over are yielded one by one, as written.
    """
    held: list[str] = []
    since = 0  # rows since the unclosed quote; 0 if none is open
    for line in lines:
        if since:
            yield [OpenQuote(line, since)]
            since = 0 if line.count('"') % 2 else since + 1
            continue
        if not held and '"' not in line:
            yield next(csv.reader((line,), delimiter=delimiter))
            continue
        held.append(line)
        record = _closed(held, delimiter, strict=strict)
        if record is None and len(held) < QUOTED_LINES_LIMIT:
            continue
        if record is not None and not any(map(_ROW.match, held[1:])):
            yield record
        else:
            yield from _as_they_stand(held)
            since = len(held) if record is None else 0
        held.clear()
    yield from _as_they_stand(held)


def _closed(lines: Sequence[str], delimiter: str, *, strict: bool) -> Sequence[str] | None:
    """Return the record of these lines, or None while a quote in them is open."""
    reader = csv.reader((*lines, "\n"), delimiter=delimiter, strict=strict)
    try:
        record = next(reader)
    except csv.Error:
        if reader.line_num > len(lines):  # strict: the end is inside a quote
            return None
        raise
    return record if reader.line_num == len(lines) else None


def _as_they_stand(lines: Sequence[str]) -> Iterator[Sequence[str]]:
    for since, line in enumerate(lines):
        yield [OpenQuote(line, since)]


class _Lines:
    """The lines of a text; a 10 MB line is refused before it is in memory."""

    def __init__(self, text: io.TextIOBase, budget: Budget, *, nul: str) -> None:
        """`nul` replaces each NUL of the text."""
        self._text, self._budget, self._nul = text, budget, nul
        self.number = 0

    def __iter__(self) -> Iterator[str]:
        while line := self._text.readline(LINE_CHARACTERS_LIMIT):
            self.number += 1
            if len(line) >= LINE_CHARACTERS_LIMIT:
                raise UnreadableFileError(
                    f"Line {self.number} is longer than {LINE_CHARACTERS_LIMIT:,} characters."
                )
            self._budget.texts += 1
            self._budget.check()
            yield line.replace("\x00", self._nul)


def _check_utf8(file: BinaryIO, budget: Budget) -> None:
    """Raise UnreadableFileError with the line if the file is not UTF-8."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    file.seek(0)
    lines, data = 1, b"-"
    while data:
        data = file.read(1 << 20)
        try:
            decoder.decode(data, final=not data)
        except UnicodeDecodeError as error:
            lines += error.object[: error.start].count(b"\n")
            raise UnreadableFileError(f"Line {lines} is not UTF-8.") from error
        lines += data.count(b"\n")
        budget.check()


def _text(file: BinaryIO, budget: Budget) -> io.TextIOWrapper:
    """Return the file from its start, in the first encoding that can decode all of it."""
    for encoding in ENCODINGS:
        file.seek(0)
        text = io.TextIOWrapper(file, encoding=encoding, newline="")
        try:
            while text.read(1 << 20):
                budget.check()
        except UnicodeDecodeError:
            text.detach()
            continue
        text.seek(0)
        return text
    raise UnreadableFileError("The file's text is neither UTF-8 nor GB 18030.")
