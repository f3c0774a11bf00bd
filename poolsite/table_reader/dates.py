"""Numbers that a workbook shows as dates, because of their format."""

import re
from datetime import datetime, timedelta
from typing import Final

from poolsite.table_reader.limits import PART_BYTES_LIMIT
from poolsite.table_reader.package import Handler, Package, tags

_TAGS: Final = tags("numFmt", "cellXfs", "xf")
# Formats that have a number and no text. Those from 27 and from 50 are East Asian.
_BUILT_IN: Final = {*range(14, 23), *range(27, 37), 45, 46, 47, *range(50, 59)}
_BUILT_IN_DURATIONS: Final = {46}
_DURATION: Final = re.compile(
    r"\[hh?\](:mm(:ss(\.0*)?)?)?|\[mm?\](:ss(\.0*)?)?|\[ss?\](\.0*)?", re.IGNORECASE
)
# Texts, colours and conditions.
_NOT_DATES: Final = re.compile(r'"[^"]*"|\[(?!hh?\]|mm?\]|ss?\])[^\]]*\]', re.IGNORECASE)
_DATE: Final = re.compile(r"(?<![_\\])[dmhys]", re.IGNORECASE)
FORMAT_CHARACTERS_LIMIT: Final = 255  # as in the spreadsheet programs
_DAY_MILLISECONDS: Final = 86_400_000


class Styles(Handler):
    """The styles of cells that show a date, and those that show a duration."""

    def __init__(self) -> None:
        """Start without styles: all numbers are numbers."""
        self.dates: set[int] = set()
        self.durations: set[int] = set()
        self._date_formats = set(_BUILT_IN)
        self._duration_formats = set(_BUILT_IN_DURATIONS)
        self._in_cells = False
        self._next = 0

    def read(self, package: Package, path: str) -> None:
        """Add the styles of a part."""
        for _ in package.blocks(path, self, PART_BYTES_LIMIT):
            pass

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """Store a format, or the format of a style."""
        tag = _TAGS.get(name)
        if tag == "numFmt":
            self._format(int(attributes["numFmtId"]), attributes.get("formatCode", ""))
        elif tag == "cellXfs":
            self._in_cells = True
        elif tag == "xf" and self._in_cells:
            number = int(attributes.get("numFmtId", "0"))
            if number in self._date_formats:
                self.dates.add(self._next)
            if number in self._duration_formats:
                self.durations.add(self._next)
            self._next += 1

    def end(self, name: str) -> None:
        """End the cells' styles: styles of named styles and tables are not for cells."""
        if _TAGS.get(name) == "cellXfs":
            self._in_cells = False

    def _format(self, number: int, code: str) -> None:
        positive = code[:FORMAT_CHARACTERS_LIMIT].split(";")[0]
        self._date_formats.discard(number)
        self._duration_formats.discard(number)
        if _DATE.search(_NOT_DATES.sub("", positive)):
            self._date_formats.add(number)
        if _DURATION.search(positive):
            self._duration_formats.add(number)


def date_text(value: float, *, is_duration: bool, from_1904: bool) -> str:
    """Return days since the workbook's first day as a date, a time of day or a duration.

    Days before March 1900 are off by one in the format itself. A value without a date gives
    #VALUE!, as the spreadsheet shows it.
    """
    try:
        if is_duration:
            return str(_duration(value))
        day, fraction = divmod(value, 1)
        rest = timedelta(milliseconds=round(fraction * _DAY_MILLISECONDS))
        if 0 <= value < 1 and not rest.days:
            return str((datetime(1900, 1, 1) + rest).time())  # noqa: DTZ001 - a wall clock
        if 0 < value < 60 and not from_1904:
            day += 1
        first = datetime(1904, 1, 1) if from_1904 else datetime(1899, 12, 30)  # noqa: DTZ001
        return str(first + timedelta(days=day) + rest)
    except (OverflowError, ValueError):
        return "#VALUE!"


def _duration(value: float) -> timedelta:
    found = timedelta(days=value)
    if found.microseconds:
        return timedelta(
            seconds=found.total_seconds() // 1, microseconds=round(found.microseconds, -3)
        )
    return found
