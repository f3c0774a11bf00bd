"""Which cells of a CSV file a spreadsheet would compute: a strict model, only for tests.

It is independent of the guard in `poolsite.csv_text`. A spreadsheet uses the separator of its
language or its user, not the file's, skips invisible characters, and reads every form of = + - @.
Numbers are no formulas.
"""

import unicodedata
from collections.abc import Iterator
from decimal import Decimal, InvalidOperation

SEPARATORS = ",;\t"
BREAKS = "\r\n\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029"


def computed_cells(text: str) -> list[str]:
    """Return the cells that would be computed with any separator.

    An empty list: the file is safe.
    """
    text = text.removeprefix("\ufeff")
    return [
        cell
        for separator in SEPARATORS
        for cell in cells_of(text, separator)
        if is_computed(cell if separator == "," else _own_number_left_out(cell))
    ]


def cells_of(text: str, separator: str) -> Iterator[str]:
    """Yield the cells of a file, in any order of rows.

    A quote counts where a cell begins with it.
    """
    at = 0
    while at < len(text):
        cell = ""
        if text[at] == '"':
            at += 1
            while at < len(text) and text[at : at + 1] + text[at + 1 : at + 2] != '"' + separator:
                if text[at] == '"' and text[at + 1 : at + 2] != '"':
                    break
                cell += text[at]
                at += 2 if text[at] == '"' else 1
            at += 1
        while at < len(text) and text[at] != separator and text[at] not in BREAKS:
            cell += text[at]
            at += 1
        at += 1
        yield cell


def is_computed(cell: str) -> bool:
    """Return whether a spreadsheet may take the cell for a formula."""
    while cell and _is_unseen(cell[0]):
        cell = cell[1:]
    if not cell or unicodedata.normalize("NFKC", cell[0])[0] not in "=+-@\u2212":
        return False
    return not _is_number(cell)


def _is_unseen(char: str) -> bool:
    return (
        char.isspace()
        or not char.isprintable()
        or unicodedata.category(char).startswith("M")
        or char == '"'
    )


def _is_number(cell: str) -> bool:
    try:
        return Decimal(cell).is_finite() and cell.isascii()
    except InvalidOperation:
        return False


def _own_number_left_out(cell: str) -> str:
    """Return the cell without its first number: with another separator, a line becomes one cell."""
    first, comma, _rest = cell.partition(",")
    return "" if comma and _is_number(first) else cell
