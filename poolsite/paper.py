"""Documents on paper (A4, PDF): text in all supported languages, tables, page numbers.

The same content gives the same bytes, because neither the clock nor random values are used. No font
is included: Latin text uses Helvetica, which every reader has; Chinese and Korean text uses fonts
that PDF readers know by name. docs/decisions/0046-statements-as-pdf.md
"""

import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from io import BytesIO
from typing import Final

from django.utils.translation import gettext as _
from reportlab.lib.colors import HexColor
from reportlab.lib.pagesizes import A4
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.pdfgen.canvas import Canvas

MARGIN: Final = 48.0
WIDTH: Final = A4[0] - 2 * MARGIN
BOTTOM: Final = MARGIN + 20
LINE: Final = 1.75  # a row's height, in multiples of the font size
STRONG, MUTED, RULE = (HexColor(value) for value in ("#101828", "#4a5565", "#d1d5dc"))
# Fonts, each with the encoding that shows its characters. The first that has a character is used.
FONTS: Final = (("STSong-Light", "gbk"), ("HYSMyeongJo-Medium", "cp949"))
MISSING: Final = "□"
Draw = Callable[[Canvas], None]


@dataclass(frozen=True, slots=True)
class Column:
    """A table's column: its heading, its share of the width, and whether it contains figures."""

    heading: str
    share: float
    is_figure: bool = False


class Paper:
    """A document that is written from top to bottom.

    Each page ends with `footer` and its number.
    """

    def __init__(self, title: str, at: datetime, footer: str) -> None:
        self._title, self._at, self._footer = title, at, footer
        self._pages: list[list[Draw]] = [[]]
        self._y = A4[1] - MARGIN

    def text(self, text: str, size: float = 9, *, bold: bool = False, muted: bool = False) -> None:
        """Write one line. Text that is too long for the page is cut."""
        self._make_room(size * LINE)
        self._put(MARGIN, fit(text, size, WIDTH, bold), size, bold=bold, muted=muted)
        self._y -= size * LINE

    def facts(self, facts: Iterable[tuple[str, str]]) -> None:
        """Write a line for each label and its value."""
        for label, value in facts:
            self.text(labelled(label, value), muted=True)

    def space(self, height: float = 10) -> None:
        """Leave vertical space."""
        self._y -= height

    def heading(self, text: str, rows: int = 2) -> None:
        """Write the title of a part.

        It stays on one page with `rows` rows of the following content.
        """
        self.space(14)
        self._make_room(18 + (rows + 1) * 9 * LINE)
        self.text(text, 11, bold=True)

    def table(
        self,
        columns: Sequence[Column],
        rows: Sequence[Sequence[str]],
        *,
        size: float = 9,
        last_is_total: bool = False,
    ) -> None:
        """Write a table. Its head is repeated on each page."""
        self._head(columns, size)
        for number, cells in enumerate(rows):
            total = last_is_total and number == len(rows) - 1
            if self._make_room(size * LINE):
                self._head(columns, size)
            if total:
                self._rule(STRONG)
            self._row(columns, cells, size, bold=total)
            if not total:
                self._rule(RULE)

    def finish(self) -> bytes:
        """Return the PDF."""
        stream = BytesIO()
        canvas = Canvas(stream, pagesize=A4, invariant=1, pageCompression=1)
        canvas.setTitle(self._title)
        canvas.setAuthor("Poolsite")
        canvas.setCreator("Poolsite")
        canvas.setSubject(self._title)
        canvas.setDateFormatter(lambda *_now: _pdf_date(self._at))
        for number, drawn in enumerate(self._pages, start=1):
            for draw in drawn:
                draw(canvas)
            place = _("Page %(page)s of %(pages)s") % {"page": number, "pages": len(self._pages)}
            footer = fit(f"{self._footer} · {place}", 8, WIDTH)
            _write(canvas, MARGIN, MARGIN, footer, 8, bold=False, muted=True)
            canvas.showPage()
        canvas.save()
        return stream.getvalue()

    def _head(self, columns: Sequence[Column], size: float) -> None:
        self._row(columns, [column.heading for column in columns], size, muted=True)
        self._rule(STRONG)

    def _row(
        self,
        columns: Sequence[Column],
        cells: Sequence[str],
        size: float,
        *,
        bold: bool = False,
        muted: bool = False,
    ) -> None:
        whole = sum(column.share for column in columns)
        x = MARGIN
        for column, cell in zip(columns, cells, strict=True):
            width = WIDTH * column.share / whole
            text = fit(cell, size, width - 6, bold)
            indent = width - width_of(text, size, bold) if column.is_figure else 0.0
            self._put(x + indent, text, size, bold=bold, muted=muted)
            x += width
        self._y -= size * LINE

    def _rule(self, colour: HexColor) -> None:
        y = self._y + 2

        def draw(canvas: Canvas) -> None:
            canvas.setStrokeColor(colour)
            canvas.setLineWidth(0.5)
            canvas.line(MARGIN, y, MARGIN + WIDTH, y)

        self._pages[-1].append(draw)

    def _put(self, x: float, text: str, size: float, *, bold: bool, muted: bool) -> None:
        y = self._y - size

        def draw(canvas: Canvas) -> None:
            _write(canvas, x, y, text, size, bold=bold, muted=muted)

        self._pages[-1].append(draw)

    def _make_room(self, height: float) -> bool:
        """Begin a new page if the height does not fit on this one. Return whether it did."""
        if self._y - height >= BOTTOM:
            return False
        self._pages.append([])
        self._y = A4[1] - MARGIN
        return True


def labelled(label: str, value: str) -> str:
    """Combine a value with its label in the reader's language."""
    return _("%(label)s: %(value)s") % {"label": label, "value": value}


def width_of(text: str, size: float, bold: bool = False) -> float:
    """Return the width of a line."""
    widths = [pdfmetrics.stringWidth(part, font, size) for font, part in _runs(text, bold)]
    return float(sum(widths))


def fit(text: str, size: float, width: float, bold: bool = False) -> str:
    """Return the text, shortened with an ellipsis if it is wider than `width`."""
    if width_of(text, size, bold) <= width:
        return text
    while text and width_of(f"{text}…", size, bold) > width:
        text = text[:-1]
    return f"{text.rstrip()}…"


def _write(
    canvas: Canvas, x: float, y: float, text: str, size: float, *, bold: bool, muted: bool
) -> None:
    colour = MUTED if muted else STRONG
    canvas.saveState()
    canvas.setFillColor(colour)
    canvas.setStrokeColor(colour)
    canvas.setLineWidth(size / 36)
    for font, part in _runs(text, bold):
        line = canvas.beginText(x, y)
        line.setFont(font, size)
        # The Chinese font has one weight only: outlines make it bold.
        line.setTextRenderMode(2 if bold and not font.startswith("Helvetica") else 0)
        line.textOut(part)
        line.setTextRenderMode(0)
        canvas.drawText(line)
        x += pdfmetrics.stringWidth(part, font, size)
    canvas.restoreState()


def _runs(text: str, bold: bool) -> Iterator[tuple[str, str]]:
    """Split the text into pieces of one font each."""
    latin = "Helvetica-Bold" if bold else "Helvetica"
    font, piece = latin, ""
    for char in unicodedata.normalize("NFC", text):
        own, shown = _font_of(char)
        if (own or latin) != font and piece:
            yield font, piece
            piece = ""
        font, piece = own or latin, piece + shown
    if piece:
        yield font, piece


@cache
def _font_of(char: str) -> tuple[str, str]:
    """Return the font for the character ("" is the Latin one), and the text to write for it."""
    if char == "\N{MINUS SIGN}":  # not in Helvetica; its dash has a digit's width
        return "", "\N{EN DASH}"
    if unicodedata.category(char)[0] == "C":
        return "", " "
    if _has("cp1252", char):
        return "", char
    for font, encoding in FONTS:
        if _has(encoding, char):
            _register(font)
            return font, char
    _register(FONTS[0][0])
    return FONTS[0][0], MISSING


def _has(encoding: str, char: str) -> bool:
    try:
        char.encode(encoding)
    except UnicodeEncodeError:
        return False
    return True


@cache
def _register(font: str) -> None:
    pdfmetrics.registerFont(UnicodeCIDFont(font))


def _pdf_date(at: datetime) -> str:
    zone = f"{at:%z}"
    return f"D:{at:%Y%m%d%H%M%S}{zone[:3]}'{zone[3:5]}'"
