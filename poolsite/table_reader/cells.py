"""Cells that are more than a text."""

from poolsite.table_reader.limits import CELL_CHARACTERS_LIMIT


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
