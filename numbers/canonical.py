"""The canonical form of a number, so that one line is never lent in two formats.

If phonenumbers reads a text as a valid number, national or international, for a home country, its
canonical form is E.164: `13977000099`, `8613977000099` and `+8613977000099` are one number at home
in CN. Other texts (short codes, private extensions, new ranges) stay unchanged. The canonical form
is an identity, not a validation: nothing is refused here.
"""

from collections.abc import Iterable
from functools import lru_cache
from typing import Final

import phonenumbers
from django.conf import settings
from phonenumbers import PhoneNumber, PhoneNumberFormat

CACHED: Final = 65_536
SHORTEST: Final = 5  # digits; a shorter text is a short code in every country
LONGEST: Final = 17  # digits of an international number with the exit code 00

E164: Final = "e164"
NATIONAL: Final = "national"
DIGITS: Final = "digits"


def home_of(home_country: str) -> str:
    """Return the pool's home country, or the platform's if it is blank."""
    return home_country or str(settings.PLATFORM_REGION)


def canonical(value: str, home_country: str) -> str:
    """Return the canonical form of a number normalised by `poolsite.number_format`."""
    return _canonical(value, home_of(home_country))


def spelled(value: str, spelling: str, home_country: str) -> str:
    """Return a number in the format for a switch: E.164, national or digits.

    A switch can send every answer back: a format that would be read as another number is not used.
    The formats national and digits apply to numbers of the home country; others keep their +.
    """
    return _spelled(value, spelling, home_of(home_country))


def spellings(value: str, homes: Iterable[str]) -> tuple[str, ...]:
    """Return every format that history may have for a number, starting with the given one.

    For look-ups: call records and events store the format that Redis had.
    """
    found: dict[str, None] = {value: None}
    for home in homes:
        one = canonical(value, home)
        found[one] = None
        parsed = _read(one, home_of(home)) if one.startswith("+") else None
        if parsed is None:
            continue
        national = _national(parsed)
        prefix = phonenumbers.ndd_prefix_for_region(home_of(home), True) or ""
        for text in (one[1:], national, f"{prefix}{_significant(parsed)}", _significant(parsed)):
            if _canonical(text, home_of(home)) == one:
                found[text] = None
    return tuple(found)


@lru_cache(CACHED)
def _canonical(value: str, home: str) -> str:
    digits = value.removeprefix("+")
    if not SHORTEST <= len(digits) <= LONGEST:
        return value
    parsed = _read(value, home)
    if parsed is None and not value.startswith("+"):
        code = str(phonenumbers.country_code_for_region(home))
        if digits.startswith(code):
            parsed = _read(f"+{digits}", home)
    if parsed is None:
        return value
    return str(phonenumbers.format_number(parsed, PhoneNumberFormat.E164))


@lru_cache(CACHED)
def _spelled(value: str, spelling: str, home: str) -> str:
    one = _canonical(value, home)
    if spelling == E164 or not one.startswith("+"):
        return one
    parsed = _read(one, home)
    if parsed is None or parsed.country_code != phonenumbers.country_code_for_region(home):
        return one
    text = _national(parsed) if spelling == NATIONAL else one[1:]
    return text if _canonical(text, home) == one else one


def _read(value: str, home: str) -> PhoneNumber | None:
    """Return the parsed number, or None if phonenumbers finds it invalid."""
    try:
        parsed = phonenumbers.parse(value, home)
    except phonenumbers.NumberParseException:
        return None
    return parsed if phonenumbers.is_valid_number(parsed) else None


def _national(parsed: PhoneNumber) -> str:
    """The digits that are dialled within the country, with its trunk prefix if it has one."""
    text = phonenumbers.format_number(parsed, PhoneNumberFormat.NATIONAL)
    return "".join(char for char in text if char.isdigit())


def _significant(parsed: PhoneNumber) -> str:
    return str(phonenumbers.national_significant_number(parsed))
