"""CSV that a spreadsheet opens without running anything in it.

A cell that begins with = + - @ or a control character is a formula to a spreadsheet. Such a
cell gets a single quote in front, apart from a number (a sign, digits, a point and digits): that
computes to itself, and must stay usable for whoever reads the file by a program.
"""

import csv
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from django.http import StreamingHttpResponse

from poolsite.number_format import DIGITS_LIMIT

_DANGEROUS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
_NUMBER = re.compile(rf"[+-]?[0-9]{{1,{DIGITS_LIMIT}}}(\.[0-9]{{1,9}})?")
BYTE_ORDER_MARK = "\ufeff"  # without it a spreadsheet takes the text for its own old encoding


def safe_cell(value: Any) -> str:
    """The cell as text that no spreadsheet runs."""
    text = "" if value is None else str(value)
    if not text.lstrip(" ").startswith(_DANGEROUS) or _is_number(text):
        return text
    return "'" + text


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
