"""The one canonical form of a number, so that one line is never lent under two spellings.

What phonenumbers reads as a valid number, national or international, for a home country is its
E.164 form: `13977000099`, `8613977000099` and `+8613977000099` are one number at home in CN.
What it cannot read (short codes, private extensions, new ranges) stays as it is. Only an
identity, never a verdict: nothing is refused here.
"""

from collections.abc import Iterable
from functools import lru_cache
from typing import Final

import phonenumbers
from django.conf import settings
from phonenumbers import PhoneNumber, PhoneNumberFormat

CACHED: Final = 65_536
SHORTEST: Final = 5  # digits; what is shorter is a short code, whatever the country
LONGEST: Final = 17  # digits of an international number with an exit code's 00

E164: Final = "e164"
NATIONAL: Final = "national"
DIGITS: Final = "digits"


def home_of(home_country: str) -> str:
    """A pool's home country; blank is the platform's."""
    return home_country or str(settings.PLATFORM_REGION)


def canonical(value: str, home_country: str) -> str:
    """The one form of a normalised number (`poolsite.number_format`) at home in a country."""
    return _canonical(value, home_of(home_country))


def spelled(value: str, spelling: str, home_country: str) -> str:
    """A number as a switch is answered: E.164, national or digits.

    Every answer can be sent back: a spelling that would be read as another number is not used.
    National and digits are for numbers of the home country; others keep their +.
    """
    return _spelled(value, spelling, home_of(home_country))


def spellings(value: str, homes: Iterable[str]) -> tuple[str, ...]:
    """Every spelling under which history may have a number, the given one first.

    For look-ups: call records and events keep the spelling that Redis had.
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
    """A number that phonenumbers finds valid, else None."""
    try:
        parsed = phonenumbers.parse(value, home)
    except phonenumbers.NumberParseException:
        return None
    return parsed if phonenumbers.is_valid_number(parsed) else None


def _national(parsed: PhoneNumber) -> str:
    """The digits that are dialled within the country, with its trunk prefix where it has one."""
    text = phonenumbers.format_number(parsed, PhoneNumberFormat.NATIONAL)
    return "".join(char for char in text if char.isdigit())


def _significant(parsed: PhoneNumber) -> str:
    return str(phonenumbers.national_significant_number(parsed))
