"""CSV that a spreadsheet opens without running anything in it: the one guard of every export.

A cell that begins with = + - @, in any of their forms and behind whatever a spreadsheet skips, is
a formula to a spreadsheet. Such a cell gets a single quote in front, apart from a number (a sign,
digits, a point and digits): that computes to itself, and must stay usable for whoever reads the
file by a program. Where a spreadsheet's language separates columns by semicolons, or somebody
imports the file by tabs, a cell falls into several, so the same holds for each part of a cell.
"""

import csv
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from django.http import StreamingHttpResponse

from poolsite.number_format import DIGITS_LIMIT

# The four, their full-width, small, raised and lowered forms, and what is drawn like them.
OPERATORS = "=+-@＝＋－＠﹦﹢﹣﹫⁼⁺⁻₌₊₋−﬩⩵⩶"
_OPERATOR = re.compile(f"[{re.escape(OPERATORS)}]")
_FILLERS = '"“”„‟«»\u115f\u1160\u2800\u3164\uffa0'  # quotes, and letters that show nothing
_CUTS = re.compile("([;\t\r\n\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029]+)")
_NUMBER = re.compile(rf"[+-]?[0-9]{{1,{DIGITS_LIMIT}}}(\.[0-9]{{1,9}})?")
BYTE_ORDER_MARK = "\ufeff"  # without it a spreadsheet takes the text for its own old encoding


def safe_cell(value: Any) -> str:
    """The cell as text that no spreadsheet runs, whole or in parts."""
    text = "" if value is None else str(value)
    if unicodedata.category(text[:1] or " ") == "Cc":
        text = f"'{text}"
    if _OPERATOR.search(text) is None:
        return text
    return _safe_part("".join(map(_safe_part, _CUTS.split(text))))


def _safe_part(part: str) -> str:
    first = next((char for char in part if not _is_skipped(char)), "")
    return f"'{part}" if first and first in OPERATORS and not _is_number(part) else part


def _is_skipped(char: str) -> bool:
    """Whether nothing is seen of the character: space, control, format, mark, quote."""
    return unicodedata.category(char)[0] in "ZCM" or char in _FILLERS


def _is_number(text: str) -> bool:
    return _NUMBER.fullmatch(text) is not None


class _Line:
    def write(self, text: str) -> str:
        return text


def csv_lines(
    head: Sequence[Any], rows: Iterable[Sequence[Any]], mark: str = BYTE_ORDER_MARK
) -> Iterator[str]:
    """The lines of a CSV file, one at a time, so that a million rows need no memory.

    mark: what the file begins with; "" for one that programs read.
    """
    writer = csv.writer(_Line())
    yield mark + writer.writerow([safe_cell(cell) for cell in head])
    for row in rows:
        yield writer.writerow([safe_cell(cell) for cell in row])


def csv_file(
    name: str, head: Sequence[Any], rows: Iterable[Sequence[Any]], mark: str = BYTE_ORDER_MARK
) -> StreamingHttpResponse:
    """The answer that is saved as the CSV file `name`; a row is read when it is sent."""
    lines = csv_lines(head, rows, mark)
    answer = StreamingHttpResponse(lines, content_type="text/csv; charset=utf-8")
    answer["Content-Disposition"] = f'attachment; filename="{name}"'
    return answer
