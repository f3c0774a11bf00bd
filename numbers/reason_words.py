"""The short reasons of pools and number formats as sentences in the active language.

Machines get the reason itself (numbers/pool/reasons.py), the same in every language.
"""

from collections.abc import Mapping
from typing import Final

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from numbers.pool import reasons
from poolsite.number_format import NotANumberError
from poolsite.number_rejections import Rejection

_SENTENCES: Final[Mapping[str, str]] = {
    reasons.UNKNOWN_NUMBER: gettext_noop("The number is not in this pool."),
    reasons.UNKNOWN_CALL: gettext_noop("Call not found."),
    reasons.EXHAUSTED: gettext_noop("No number is free."),
    reasons.BUSY: gettext_noop("The number is in a call."),
    reasons.OFFLINE: gettext_noop("The number is offline."),
    reasons.RESTING: gettext_noop("The number is resting."),
    reasons.CAPPED: gettext_noop("The number has reached its daily call limit."),
    reasons.QUARANTINED: gettext_noop("The number is quarantined."),
    reasons.UNCONFIRMED: gettext_noop("The number was added by a script and is not confirmed yet."),
    reasons.ADD_REFUSED: gettext_noop("This pool doesn't accept numbers from scripts."),
    reasons.SUSPECT: gettext_noop("The number's call is suspect."),
    reasons.OFFERED: gettext_noop("The number is offered to a waiting call."),
    reasons.OLD_CALL: gettext_noop("The number's previous call is still in progress."),
    reasons.NOT_IN_A_CALL: gettext_noop("The number is not in a call."),
    reasons.ENDED: gettext_noop("The call has ended."),
    reasons.OTHER_CALL: gettext_noop("The number is in another call."),
    reasons.UNREADABLE_STATE: gettext_noop("The number's state in Redis can't be read."),
    reasons.NO_SUCH_POOL: gettext_noop("The pool is not in Redis yet. It is being rebuilt."),
    reasons.PAUSED: gettext_noop("The pool is paused."),
    reasons.RECOVERING: gettext_noop("The pool is recovering."),
}
_REJECTIONS: Final[Mapping[Rejection, str]] = {
    Rejection.EMPTY: gettext_noop("The number is missing."),
    Rejection.NOT_A_NUMBER: gettext_noop("This is not a number."),
    Rejection.TOO_LONG: gettext_noop("A number can have up to 32 digits."),
    Rejection.TOO_SHORT: gettext_noop("A number must have at least 3 digits."),
    Rejection.ZEROS: gettext_noop("A number can't be all zeros."),
    Rejection.DECIMAL: gettext_noop("A spreadsheet added a decimal point to this number."),
    Rejection.EXPONENT: gettext_noop(
        "This is scientific notation. A spreadsheet dropped digits of the number."
    ),
    Rejection.THOUSANDS: gettext_noop("A spreadsheet added thousands separators to this number."),
    Rejection.DATE: gettext_noop("A spreadsheet turned this number into a date."),
    Rejection.FORMULA: gettext_noop("This is a formula, not a number."),
    Rejection.APOSTROPHE: gettext_noop("A spreadsheet added an apostrophe to this number."),
    Rejection.SHEET_ERROR: gettext_noop("This is a spreadsheet error, not a number."),
    Rejection.RANGE: gettext_noop("This is a range, not a number."),
    Rejection.EXTENSION: gettext_noop("This number has an extension."),
    Rejection.TRUNK: gettext_noop(
        "This international number contains the trunk prefix (0), which is not dialed after "
        "a country code."
    ),
    Rejection.SEVERAL: gettext_noop("This is more than one number."),
}


def sentence_of(reason: str) -> str:
    """A refusal's detail as pages show it. Other texts than short reasons are sentences already."""
    found = _SENTENCES.get(reason)
    return reason if found is None else _(found)


def rejection_of(error: NotANumberError) -> str:
    """Why a text is not a number, and what to write instead if that is clear."""
    told = _(_REJECTIONS[error.rejected.reason])
    if not error.rejected.instead:
        return told
    return _("%(why)s Use %(number)s.") % {"why": told, "number": error.rejected.instead}
