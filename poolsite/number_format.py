"""What a number is: optional + and 1 to 32 ASCII digits, however it was pasted."""

import unicodedata
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

DIGITS_LIMIT: Final = 32
TEXT_LIMIT: Final = 256  # what people paste round 32 digits; a longer text is not looked into

_SPACES: Final = frozenset(" \t\u2028\u2029")
_DASHES: Final = frozenset("-\u2010\u2012\u2013\u2014\u2015\u2212\u2e3a\u2e3b")
_DOTS: Final = frozenset(".\u00b7\u2022")
_BRACKETS: Final = frozenset("()[]{}\u3010\u3011\u3014\u3015\u300c\u300d")
_INVISIBLE: Final = frozenset(
    "\u00ad\u034f\u180e\u200b\u200c\u200d\u200e\u200f\u202a\u202b\u202c\u202d\u202e"
    "\u2060\u2061\u2062\u2063\u2064\u2066\u2067\u2068\u2069\ufe0e\ufe0f\ufeff"
)
_DIGITS: Final = frozenset("0123456789")


class Change(StrEnum):
    """One thing that was done to a text to make it a number."""

    SPACE = "space"
    DASH = "dash"
    DOT = "dot"
    BRACKET = "bracket"
    INVISIBLE = "zero-width mark"
    FULL_WIDTH = "full-width"
    PREFIX = "00 to +"


class Rejection(StrEnum):
    """Why a text is not taken."""

    EMPTY = "empty"
    NOT_A_NUMBER = "not a number"
    TOO_LONG = "over 32 digits"


@dataclass(frozen=True, slots=True)
class Normalised:
    """A number and what was done to get it, each kind of change once, in order."""

    value: str
    changes: tuple[Change, ...] = ()


@dataclass(frozen=True, slots=True)
class Rejected:
    """A text that is not a number; `text[start:end]` is the part that is bad."""

    reason: Rejection
    start: int = 0
    end: int = 0


class NotANumberError(ValueError):
    """Raised by `parse`; its text says the reason."""

    def __init__(self, rejected: Rejected) -> None:
        super().__init__(rejected.reason.value)
        self.rejected = rejected


def normalise(text: str) -> Normalised | Rejected:
    """The number that a text stands for, or why it stands for none."""
    digits = text[1:] if text[:1] == "+" else text
    plain = digits.isascii() and digits.isdigit() and len(digits) <= DIGITS_LIMIT
    if plain and text[:2] != "00":
        return Normalised(text)  # what machines send: nothing to clean
    if len(text) > TEXT_LIMIT:
        return _too_big(text)
    return _normalise_slowly(text)


def parse(text: str) -> str:
    """The number's value. Raises NotANumberError."""
    result = normalise(text)
    if isinstance(result, Rejected):
        raise NotANumberError(result)
    return result.value


def _too_big(text: str) -> Rejected:
    if not text.strip():
        return Rejected(Rejection.EMPTY, 0, len(text))
    return Rejected(Rejection.TOO_LONG, TEXT_LIMIT, len(text))


def _normalise_slowly(text: str) -> Normalised | Rejected:
    kept: list[str] = []
    places: list[int] = []
    changes: dict[Change, None] = {}
    bad: tuple[int, int] | None = None
    for place, raw in enumerate(text):
        # One character at a time, so that a bad part can be shown where it stands. What
        # whole-text NFKC would compose further is a letter or a mark, never a digit.
        for char in unicodedata.normalize("NFKC", raw):
            change = _removed(char)
            if change is not None:
                changes[change] = None
            elif char in _DIGITS or (char == "+" and not kept):
                kept.append(char)
                places.append(place)
                if char != raw:
                    changes[Change.FULL_WIDTH] = None
            else:
                bad = (bad[0] if bad else place, place + 1)
    if bad is not None:
        return Rejected(Rejection.NOT_A_NUMBER, *bad)
    return _assembled("".join(kept), places, changes, len(text))


def _removed(char: str) -> Change | None:
    if char in _SPACES:
        return Change.SPACE
    if char in _DASHES:
        return Change.DASH
    if char in _DOTS:
        return Change.DOT
    if char in _BRACKETS:
        return Change.BRACKET
    if char in _INVISIBLE:
        return Change.INVISIBLE
    return None


def _assembled(
    value: str, places: list[int], changes: dict[Change, None], length: int
) -> Normalised | Rejected:
    if not value:
        return Rejected(Rejection.EMPTY, 0, length)
    if value.startswith("00"):
        value = "+" + value[2:]
        places = places[1:]
        changes[Change.PREFIX] = None
    digits = value.removeprefix("+")
    if not digits:
        return Rejected(Rejection.NOT_A_NUMBER, 0, length)
    if len(digits) > DIGITS_LIMIT:
        first_over = places[len(value) - len(digits) + DIGITS_LIMIT]
        return Rejected(Rejection.TOO_LONG, first_over, length)
    return Normalised(value, tuple(changes))
