"""The format of a number: an optional + and 3 to 32 ASCII digits, extracted from pasted text.

Separators are dropped where that doesn't change the meaning. poolsite/number_rejections.py detects
the texts where it would.
"""

import unicodedata
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from poolsite.number_rejections import (
    CLOSING,
    DOTS,
    HYPHENS,
    INVISIBLE,
    LONG_DASHES,
    OPENING,
    SPACES,
    Rejected,
    Rejection,
    suspicion,
)

DIGITS_LIMIT: Final = 32
DIGITS_NEEDED: Final = 3
TEXT_LIMIT: Final = 256  # what people paste around 32 digits; a longer text is not examined

_DIGITS: Final = frozenset("0123456789")
_REMOVED: Final = (
    (SPACES, "space"),
    (HYPHENS | LONG_DASHES, "dash"),
    (DOTS, "dot"),
    (OPENING | CLOSING, "bracket"),
    (INVISIBLE, "zero-width mark"),
)


class Correction(StrEnum):
    """A change that was made to a text to turn it into a number."""

    SPACE = "space"
    DASH = "dash"
    DOT = "dot"
    BRACKET = "bracket"
    INVISIBLE = "zero-width mark"
    FULL_WIDTH = "full-width"
    PREFIX = "00 to +"


@dataclass(frozen=True, slots=True)
class Normalised:
    """A number and the changes that led to it, each kind of change once, in order."""

    value: str
    changes: tuple[Correction, ...] = ()


class NotANumberError(ValueError):
    """Raised by `parse`. Its text states the reason, and what to write if that is clear."""

    def __init__(self, rejected: Rejected) -> None:
        instead = f"; write {rejected.instead}" if rejected.instead else ""
        super().__init__(rejected.reason.value + instead)
        self.rejected = rejected


def normalise(text: str) -> Normalised | Rejected:
    """Return the number that a text means, or the reason why it means none."""
    digits = text[1:] if text[:1] == "+" else text
    plain = digits.isascii() and digits.isdigit() and len(digits) <= DIGITS_LIMIT
    if plain and text[:2] != "00" and len(digits) >= DIGITS_NEEDED and digits.strip("0"):
        return Normalised(text)  # sent by machines: nothing to clean
    if len(text) > TEXT_LIMIT:
        return _too_big(text)
    suspect = None if plain else suspicion(text)
    if suspect is not None:
        return _advised(suspect, text)
    return _normalise_slowly(text)


def parse(text: str) -> str:
    """Return the number's value. Raise NotANumberError if the text is not a number."""
    result = normalise(text)
    if isinstance(result, Rejected):
        raise NotANumberError(result)
    return result.value


def cleaned(text: str) -> str:
    """Return the number's value.

    A text that is not a number (a SIP address) is returned unchanged.
    """
    result = normalise(text)
    return result.value if isinstance(result, Normalised) else text


def beginning(text: str) -> str:
    """Return the part of a number that was typed so far, for a search.

    A few digits are enough, and separators are not checked. Return "" if no number begins with it.
    """
    read = _read(text) if len(text) <= TEXT_LIMIT else None
    if read is None or isinstance(read, Rejected):
        return ""
    value = "".join(read.kept)
    if value.startswith("00"):
        value = "+" + value[2:]
    return value if value.removeprefix("+") else ""


def masked(number: str) -> str:
    """Mask a number for a page that many see. The first three and last four digits remain."""
    digits = number.removeprefix("+")
    if not digits.isdecimal() or len(digits) < 8:
        return number
    local = digits[2:] if digits.startswith("86") and len(digits) == 13 else digits
    return f"{local[:3]}\N{NO-BREAK SPACE}••••\N{NO-BREAK SPACE}{local[-4:]}"


def _too_big(text: str) -> Rejected:
    if not text.strip():
        return Rejected(Rejection.EMPTY, 0, len(text))
    return Rejected(Rejection.TOO_LONG, TEXT_LIMIT, len(text))


def _advised(suspect: Rejected, text: str) -> Rejected:
    """Return the rejection, with what to write instead if the text can mean only one number."""
    bad = text[suspect.start : suspect.end]
    without = text[: suspect.start] + text[suspect.end :]
    if suspect.reason is Rejection.THOUSANDS:
        without = text.replace(",", "").replace("\uff0c", "")
    elif suspect.reason is Rejection.DECIMAL:
        if any(char.isdecimal() and unicodedata.decimal(char) for char in bad):
            return suspect  # 13978000024.5: its meaning is unknown
    elif suspect.reason not in (Rejection.TRUNK, Rejection.APOSTROPHE):
        return suspect
    meant = normalise(without)
    if isinstance(meant, Rejected):
        return suspect
    return Rejected(suspect.reason, suspect.start, suspect.end, meant.value)


@dataclass(frozen=True, slots=True)
class _Read:
    """The characters of a number, the place of each in the text, and what was dropped."""

    kept: list[str]
    places: list[int]
    changes: dict[Correction, None]


def _normalise_slowly(text: str) -> Normalised | Rejected:
    read = _read(text)
    return read if isinstance(read, Rejected) else _assembled(read, len(text))


def _read(text: str) -> _Read | Rejected:
    kept: list[str] = []
    places: list[int] = []
    changes: dict[Correction, None] = {}
    bad: tuple[int, int] | None = None
    for place, raw in enumerate(text):
        # One character at a time, so that a bad part can be shown at its place. NFKC of the whole
        # text could also compose letters and marks, but never a digit.
        for char in unicodedata.normalize("NFKC", raw):
            change = _removed(char)
            if change is not None:
                changes[change] = None
            elif char in _DIGITS or (char == "+" and not kept):
                kept.append(char)
                places.append(place)
                if char != raw:
                    changes[Correction.FULL_WIDTH] = None
            else:
                bad = (bad[0] if bad else place, place + 1)
    if bad is not None:
        return Rejected(Rejection.NOT_A_NUMBER, *bad)
    return _Read(kept, places, changes)


def _removed(char: str) -> Correction | None:
    return next((Correction(name) for signs, name in _REMOVED if char in signs), None)


def _assembled(read: _Read, length: int) -> Normalised | Rejected:
    value, places, changes = "".join(read.kept), read.places, read.changes
    if not value:
        return Rejected(Rejection.EMPTY, 0, length)
    if not value.strip("0"):
        return Rejected(Rejection.ZEROS, 0, length)
    if value.startswith("00"):
        value = "+" + value[2:]
        places = places[1:]
        changes[Correction.PREFIX] = None
    digits = value.removeprefix("+")
    if not digits:
        return Rejected(Rejection.NOT_A_NUMBER, 0, length)
    if len(digits) > DIGITS_LIMIT:
        first_over = places[len(value) - len(digits) + DIGITS_LIMIT]
        return Rejected(Rejection.TOO_LONG, first_over, length)
    if not digits.strip("0"):
        return Rejected(Rejection.ZEROS, 0, length)
    if len(digits) < DIGITS_NEEDED:
        return Rejected(Rejection.TOO_SHORT, 0, length)
    return Normalised(value, tuple(changes))
