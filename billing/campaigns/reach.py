"""The form in which recipients' and opt-outs' numbers are stored: international, with a +.

Only so does an opt-out of 138 0013 0000 also apply to +86 138 0013 0000.
"""

from dataclasses import dataclass

import phonenumbers
from django.conf import settings

from poolsite.number_format import Normalised, normalise
from poolsite.number_rejections import Rejection

_WHY = {
    Rejection.EMPTY: "empty",
    Rejection.TOO_LONG: "too_long",
    Rejection.TOO_SHORT: "unreachable",
    Rejection.ZEROS: "unreachable",
}


@dataclass(frozen=True, slots=True)
class Reached:
    """A number that can be sent to, or why the text is none (`why`, a code of DroppedRow)."""

    number: str = ""
    why: str = ""


def reach(text: str) -> Reached:
    """Read a number, however it was typed. Without a +, it is a number of PLATFORM_REGION."""
    found = normalise(text)
    if not isinstance(found, Normalised):
        return Reached(why=_WHY.get(found.reason, "not_a_number"))
    number = international(found.value)
    return Reached(number) if number else Reached(why="unreachable")


def international(value: str) -> str:
    """Return +<country><number> for a normalised number, or "" if it can't be a phone number."""
    try:
        parsed = phonenumbers.parse(value, settings.PLATFORM_REGION)
    except phonenumbers.NumberParseException:
        return ""
    if not phonenumbers.is_possible_number(parsed):
        return _with_country(value)
    return phonenumbers.format_number(parsed, phonenumbers.PhoneNumberFormat.E164)


def _with_country(value: str) -> str:
    """Read a number whose + is missing, such as 8613800130000, as is common in files."""
    code = str(phonenumbers.country_code_for_region(settings.PLATFORM_REGION))
    if value[:1] == "+" or not value.startswith(code):
        return ""
    return international(f"+{value}")
