"""Texts that look like a number but mean something else. They are rejected with a reason.

A separator may be dropped only if the digits around it keep their meaning. These texts would lose
it: 13978000024.0 (a spreadsheet's decimal) would grow a digit, 13978000029–30 (a range) would
become one longer number, and +49 (0)30 1234567 would keep a 0 that is not dialled after a country
code.
"""

import re
import unicodedata
from dataclasses import dataclass
from enum import StrEnum
from typing import Final


class Rejection(StrEnum):
    """Why a text is rejected."""

    EMPTY = "empty"
    NOT_A_NUMBER = "not a number"
    TOO_LONG = "over 32 digits"
    TOO_SHORT = "fewer than 3 digits"
    ZEROS = "only zeros"
    DECIMAL = "a decimal number, as a spreadsheet writes it"
    EXPONENT = "scientific notation: a spreadsheet dropped digits"
    THOUSANDS = "thousands separators, as a spreadsheet writes them"
    DATE = "a date, as a spreadsheet writes it"
    FORMULA = "a formula, not a value"
    APOSTROPHE = "a spreadsheet's apostrophe before the number"
    SHEET_ERROR = "a spreadsheet's error, not a value"
    RANGE = "a range, not a number"
    EXTENSION = "a number with an extension"
    TRUNK = "the trunk prefix (0) inside an international number"
    SEVERAL = "more than one number"


SUSPICIOUS: Final = frozenset(
    {
        *(Rejection.DECIMAL, Rejection.EXPONENT, Rejection.THOUSANDS, Rejection.DATE),
        *(Rejection.FORMULA, Rejection.APOSTROPHE, Rejection.SHEET_ERROR, Rejection.RANGE),
        *(Rejection.EXTENSION, Rejection.TRUNK, Rejection.SEVERAL),
    }
)  # a person must decide which number was meant


@dataclass(frozen=True, slots=True)
class Rejected:
    """A text that is not a number. `text[start:end]` is the bad part.

    `instead` is what to write if the text can mean only one number, else "".
    """

    reason: Rejection
    start: int = 0
    end: int = 0
    instead: str = ""


SPACES: Final = frozenset(" \t\u2028\u2029")
HYPHENS: Final = frozenset("-\u2010\u2012\u2212")
LONG_DASHES: Final = frozenset("\u2013\u2014\u2015\u2e3a\u2e3b")  # used to write ranges
DOTS: Final = frozenset(".\u00b7\u2022")
OPENING: Final = frozenset("([{\u3010\u3014\u300c")
CLOSING: Final = frozenset(")]}\u3011\u3015\u300d")
INVISIBLE: Final = frozenset(
    "\u00ad\u034f\u180e\u200b\u200c\u200d\u200e\u200f\u202a\u202b\u202c\u202d\u202e"
    "\u2060\u2061\u2062\u2063\u2064\u2066\u2067\u2068\u2069\ufe0e\ufe0f\ufeff"
)
_APOSTROPHES: Final = frozenset("'`\u2018\u2019")
_ELLIPSIS: Final = "\u2026"

_DAY: Final = r"(?:0?[1-9]|[12][0-9]|3[01])"
_MONTH: Final = r"(?:0?[1-9]|1[0-2])"
_YEAR: Final = r"(?:19|20)[0-9]{2}"
# The first match determines the reason; `bad` is the part that a page marks.
_NAMED: Final = tuple(
    (reason, re.compile(pattern))
    for reason, pattern in (
        (Rejection.FORMULA, r" *(?P<bad>=.*)"),
        (Rejection.APOSTROPHE, r" *(?P<bad>')(?=[ +0-9])"),
        (Rejection.SHEET_ERROR, r" *(?P<bad>#(?:#+|N/A|DIV/0!|[A-Z]+[!?])) *$"),
        (
            Rejection.EXPONENT,
            r" *[+-]?[0-9]{1,3}(?P<bad>(?:[.,][0-9]*[eE][+-]?|[eE][+-])[0-9]{1,3}) *$",
        ),
        (Rejection.THOUSANDS, r" *\+?[0-9]{1,3}(?P<bad>(?:,[0-9]{3})+(?:\.[0-9]*)?) *$"),
        (Rejection.DECIMAL, r"[^,]*[0-9]{4}(?P<bad>,[0-9]{1,2}) *$"),
        (
            Rejection.DATE,
            rf" *(?P<bad>(?:{_YEAR}[-./]{_MONTH}[-./]{_DAY}|{_DAY}[-./]{_DAY}[-./]{_YEAR})"
            r"(?:[ T][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]+)?)?)?) *$",
        ),
        (Rejection.TRUNK, r".*?[0-9][^()0-9]*(?P<bad>\( *0 *\))(?= *[-–.·]* *[0-9(])"),
        (
            Rejection.RANGE,
            r".*?[0-9](?P<bad> *(?:\.\.+|…+|~|〜|to|至|到|[-–]+ *\+) *\+?[0-9 ]+)",
        ),
        (
            Rejection.SEVERAL,
            r".*?[0-9]{7}(?P<bad> *[/;,|&、，；] *\+?[0-9]{7}.*)|"
            r".*?[0-9]{9}(?P<worse>[ \r\n]+\+?[0-9]{9}.*)",
        ),
    )
)
_LAST_DOT: Final = re.compile(r"([0-9]*)\.([0-9]+)[^0-9]*$")
_LAST_DASH: Final = re.compile(r"([0-9]+)( *[-–]+ *)([0-9]+)[^0-9]*$")


def suspicion(text: str) -> Rejected | None:
    """Return why dropping the separators of a text would change its meaning, or None.

    The caller limits the length of `text`, and sets `instead`.
    """
    plain, places = _plain(text)
    if not plain:
        return None
    found = _named(plain) or _decimal(plain) or _range(plain)
    if found is None:
        return None
    reason, start, end = found
    return Rejected(reason, places[start], places[end - 1] + 1)


def _plain(text: str) -> tuple[str, list[int]]:
    """Return the text with one sign for each kind of separator, and each sign's place in it."""
    signs: list[str] = []
    places: list[int] = []
    for place, raw in enumerate(text):
        for char in raw if raw == _ELLIPSIS else unicodedata.normalize("NFKC", raw):
            if char not in INVISIBLE:
                signs.append(_sign(char))
                places.append(place)
    return "".join(signs), places


def _sign(char: str) -> str:
    if char in SPACES:
        return " "
    if char in HYPHENS:
        return "-"
    if char in LONG_DASHES:
        return "–"
    if char in OPENING:
        return "("
    if char in CLOSING:
        return ")"
    return "'" if char in _APOSTROPHES else char


Found = tuple[Rejection, int, int]


def _named(plain: str) -> Found | None:
    for reason, pattern in _NAMED:
        match = pattern.match(plain)
        if match is not None:
            name = "bad" if match.group("bad") is not None else "worse"
            return reason, match.start(name), match.end(name)
    return None


def _decimal(plain: str) -> Found | None:
    """Find a decimal point.

    A dot is one if the text after it is too short for a group of digits, or if the text before it
    is a whole number already or no group at all.
    """
    match = _LAST_DOT.search(plain)
    if match is None:
        return None
    head, tail = match.groups()
    if plain.count(".") > 1:  # 01.40.20.50.00 is a French number, 13.978.000.024.0 is not
        is_decimal = len(tail) == 1 or (tail == "00" and len(head) > 2)
    else:
        before = sum(char.isdigit() for char in plain[: match.start(2)])
        registry_form = plain.lstrip(" ").startswith("+")  # +1.4155550123
        is_decimal = (
            len(tail) <= 2
            or (len(tail) == 3 and not tail.strip("0"))
            or len(head) >= 9
            or (len(head) >= 7 and len(tail) <= 3)
            or (before <= 1 and not registry_form)
        )
    return (Rejection.DECIMAL, match.start(2) - 1, match.end(2)) if is_decimal else None


def _range(plain: str) -> Found | None:
    """Find a range: a dash after which the digits replace the last ones before it.

    They are fewer digits, or as many with the same beginning. They must be higher, except after a
    long dash. After nine digits or more that form no range, they are an extension.
    """
    match = _LAST_DASH.search(plain)
    if match is None:
        return None
    head, dash, tail = match.groups()
    earlier = plain[: match.start(2)]
    alone = dash.strip()[0] not in earlier.lstrip(" -")
    fewer, higher = len(tail) < len(head), tail > head[-len(tail) :]
    in_groups = not alone and fewer and higher and len(tail) <= 2 and _digits(earlier) >= 9
    long = "–" in dash or len(dash.strip()) > 1
    if in_groups or _ends_a_range(head, tail, alone=alone, long=long):
        return Rejection.RANGE, match.start(2), match.end(3)
    if fewer and len(head) >= 9:
        return Rejection.EXTENSION, match.start(2), match.end(3)
    return None


def _ends_a_range(head: str, tail: str, *, alone: bool, long: bool) -> bool:
    if len(tail) >= len(head):
        whole = len(head) >= 9 and len(tail) >= 9
        alike = len(head) == len(tail) >= 5 and head[:3] == tail[:3] and tail > head
        return whole or alike
    if not alone:
        return False
    higher = tail > head[-len(tail) :]
    return (
        (long and (len(tail) <= 3 or len(head) >= 7))
        or (higher and len(tail) <= 3)
        or (higher and len(tail) <= 5 and len(head) >= 9)
    )


def _digits(text: str) -> int:
    return sum(char.isdigit() for char in text)
