"""CSV that is safe to open in a spreadsheet: the one guard of every export.

A spreadsheet treats a cell as a formula if it begins with = + - @, in any of their forms and after
any characters that it skips. Such a cell gets a leading single quote. The exception is a number (a
sign, digits, a point and digits): it computes to itself, and must stay usable for programs that
read the file. If a spreadsheet's language separates columns by semicolons, or if the file is
imported with tabs as separators, a cell is split into several. So the same holds for each part of a
cell.
"""

import csv
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from django.http import StreamingHttpResponse

from poolsite.number_format import DIGITS_LIMIT

# The four characters in their normal, full-width, small, raised and lowered forms, and lookalikes.
OPERATORS = "=+-@＝＋－＠﹦﹢﹣﹫⁼⁺⁻₌₊₋−﬩⩵⩶"
_OPERATOR = re.compile(f"[{re.escape(OPERATORS)}]")
_FILLERS = '"“”„‟«»\u115f\u1160\u2800\u3164\uffa0'  # quotes, and letters that show nothing
_CUTS = re.compile("([;\t\r\n\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029]+)")
_NUMBER = re.compile(rf"[+-]?[0-9]{{1,{DIGITS_LIMIT}}}(\.[0-9]{{1,9}})?")
BYTE_ORDER_MARK = "\ufeff"  # without it, a spreadsheet assumes its own old encoding


def safe_cell(value: Any) -> str:
    """Return the cell as text that no spreadsheet runs, whole or in parts."""
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
    """Whether the character is invisible or skipped: space, control, format, mark, quote."""
    return unicodedata.category(char)[0] in "ZCM" or char in _FILLERS


def _is_number(text: str) -> bool:
    return _NUMBER.fullmatch(text) is not None


class _Line:
    def write(self, text: str) -> str:
        return text


def csv_lines(
    head: Sequence[Any], rows: Iterable[Sequence[Any]], mark: str = BYTE_ORDER_MARK
) -> Iterator[str]:
    """Yield the lines of a CSV file one at a time, so that a million rows need no memory.

    mark: what the file begins with; "" for a file that programs read.
    """
    writer = csv.writer(_Line())
    yield mark + writer.writerow([safe_cell(cell) for cell in head])
    for row in rows:
        yield writer.writerow([safe_cell(cell) for cell in row])


def csv_file(
    name: str, head: Sequence[Any], rows: Iterable[Sequence[Any]], mark: str = BYTE_ORDER_MARK
) -> StreamingHttpResponse:
    """Return the response that is saved as the CSV file `name`. A row is read when it is sent."""
    lines = csv_lines(head, rows, mark)
    answer = StreamingHttpResponse(lines, content_type="text/csv; charset=utf-8")
    answer["Content-Disposition"] = f'attachment; filename="{name}"'
    return answer
