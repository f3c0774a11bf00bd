"""Why an import leaves a row out, what to write instead, and what was cleaned up.

A reason is stored as a code, with its argument after a colon: `twice:7`, `decimal:13978000024`.
"""

from collections.abc import Mapping
from typing import Final

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

COUNTRY_CODE: Final = "country code"  # added where it was missing, or separated from a trunk prefix

_REASONS: Final[Mapping[str, str]] = {
    "empty": gettext_noop("Number is empty"),
    "not_a_number": gettext_noop("Not a phone number"),
    "letter_o": gettext_noop("Not a phone number: the letter O instead of 0"),
    "too_long": gettext_noop("%s digits; the maximum is 32"),
    "too_short": gettext_noop("Fewer than 3 digits"),
    "zeros": gettext_noop("Only zeros"),
    "twice": gettext_noop("Duplicate of row %s"),
    "in_this_pool": gettext_noop("Already in this pool"),
    "in_pool": gettext_noop("Already in pool %s"),
    "in_other_pool": gettext_noop("Already in another pool"),
    "stored_as": gettext_noop("Already stored as %s"),
    "in_old_call": gettext_noop("Deleted from another pool, but its call is still in progress"),
    "quote_opens": gettext_noop("Unclosed quote in this row"),
    "quoted": gettext_noop("Inside the unclosed quote that starts in row %s"),
    # The codes below are the names of poolsite.number_format.Rejection.
    "decimal": gettext_noop("Decimal point added by a spreadsheet"),
    "exponent": gettext_noop("Scientific notation: a spreadsheet dropped digits"),
    "thousands": gettext_noop("Thousands separators added by a spreadsheet"),
    "date": gettext_noop("Turned into a date by a spreadsheet"),
    "formula": gettext_noop("A formula, not a value"),
    "apostrophe": gettext_noop("Apostrophe added by a spreadsheet"),
    "sheet_error": gettext_noop("A spreadsheet error, not a value"),
    "range": gettext_noop("A range, not a number"),
    "extension": gettext_noop("A number with an extension"),
    "trunk": gettext_noop("(0) is not dialed after a country code"),
    "several": gettext_noop("More than one number"),
}
_REMEDIES: Final[Mapping[str, str]] = {
    "exponent": gettext_noop("Format the column as text, then export it again"),
    "decimal": gettext_noop("Format the column as text, then export it again"),
    "date": gettext_noop("Format the column as text, then type the number again"),
    "formula": gettext_noop("Paste the column as values"),
    "sheet_error": gettext_noop("Type the number"),
    "range": gettext_noop("Use one row per number, or “Add range”"),
    "extension": gettext_noop("Enter the number alone, or its digits without the dash"),
    "several": gettext_noop("Use one row per number"),
    "quote_opens": gettext_noop("Close or delete the quote"),
}
_CHANGES: Final[Mapping[str, str]] = {
    "space": gettext_noop("space"),
    "dash": gettext_noop("dash"),
    "dot": gettext_noop("dot"),
    "bracket": gettext_noop("bracket"),
    "zero-width mark": gettext_noop("zero-width mark"),
    "full-width": gettext_noop("full-width"),
    "00 to +": gettext_noop("00 to +"),
    COUNTRY_CODE: gettext_noop("country code"),
}
_NAMES_WHAT_TO_WRITE: Final = frozenset({"decimal", "thousands", "apostrophe", "trunk"})


def reason_of(why: str, *, cleaned: bool = False) -> str:
    """The reason of a row, or its clean-ups, in the active language."""
    if cleaned:
        return ", ".join(_(_CHANGES.get(change, change)) for change in why.split(","))
    code, _colon, named = why.partition(":")
    words = _REASONS.get(code)
    if words is None:
        return why
    return _(words) % named if "%s" in words else _(words)


def number_instead(why: str) -> str:
    """The number to write instead, or "" if the text has more than one meaning."""
    code, _colon, named = why.partition(":")
    return named if code in _NAMES_WHAT_TO_WRITE else ""


def remedy_of(why: str) -> str:
    """What to write instead, in the active language, or "" if there is no general answer."""
    number = number_instead(why)
    if number:
        return _("Use %(number)s") % {"number": number}
    words = _REMEDIES.get(why.partition(":")[0])
    return _(words) if words else ""
