"""Cells that are more than a text."""

from poolsite.table_reader.limits import CELL_CHARACTERS_LIMIT


class OpenQuote(str):
    """A line inside a quote that its own row does not close: the only cell of its row.

    `line` is the line as written; `since` is how many rows before this one the quote was opened.
    The text itself contains a quote, so that it is never taken for a number.
    """

    __slots__ = ("line", "since")
    line: str
    since: int

    def __new__(cls, line: str, since: int) -> "OpenQuote":
        """Return the line, cut to a cell's length."""
        plain = line.rstrip("\r\n")[:CELL_CHARACTERS_LIMIT]
        text = super().__new__(cls, plain if '"' in plain else f'"{plain}')
        text.line, text.since = plain, since
        return text


class Formula(str):
    """A cell that the workbook computes: its text is the formula, `shown` the last result."""

    __slots__ = ("shown",)
    shown: str

    def __new__(cls, formula: str, shown: str) -> "Formula":
        """Return the formula with its =."""
        text = super().__new__(cls, "=" + formula.removeprefix("=")[: CELL_CHARACTERS_LIMIT - 1])
        text.shown = shown
        return text
