"""The short reasons of pools and of number texts as sentences for a person, in the active language.

Machines are told the reason itself (numbers/pool/reasons.py), in every language the same.
"""

from collections.abc import Mapping
from typing import Final

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from numbers.pool import reasons
from poolsite.number_format import NotANumberError, Rejection

_SENTENCES: Final[Mapping[str, str]] = {
    reasons.UNKNOWN_NUMBER: gettext_noop("The number is not in this pool."),
    reasons.UNKNOWN_CALL: gettext_noop("There is no such call."),
    reasons.EXHAUSTED: gettext_noop("No number is free."),
    reasons.BUSY: gettext_noop("The number is in a call."),
    reasons.OFFLINE: gettext_noop("The number is offline."),
    reasons.RESTING: gettext_noop("The number rests."),
    reasons.CAPPED: gettext_noop("The number has had its calls of today."),
    reasons.QUARANTINED: gettext_noop("The number is quarantined."),
    reasons.UNCONFIRMED: gettext_noop("The number was added by a script and is not confirmed yet."),
    reasons.ADD_REFUSED: gettext_noop("This pool takes no numbers from scripts."),
    reasons.SUSPECT: gettext_noop("The number's call is suspect."),
    reasons.OFFERED: gettext_noop("The number is offered to a waiting call."),
    reasons.OLD_CALL: gettext_noop("The number's old call still runs."),
    reasons.NOT_IN_A_CALL: gettext_noop("The number is not in a call."),
    reasons.ENDED: gettext_noop("The call has ended."),
    reasons.OTHER_CALL: gettext_noop("The number is in another call."),
    reasons.UNREADABLE_STATE: gettext_noop("The number's state in Redis cannot be read."),
    reasons.NO_SUCH_POOL: gettext_noop("Redis has no such pool: it is being rebuilt."),
    reasons.PAUSED: gettext_noop("The pool is paused."),
    reasons.RECOVERING: gettext_noop("The pool is recovering."),
}
_REJECTIONS: Final[Mapping[Rejection, str]] = {
    Rejection.EMPTY: gettext_noop("The number is missing."),
    Rejection.NOT_A_NUMBER: gettext_noop("This is not a number."),
    Rejection.TOO_LONG: gettext_noop("A number has at most 32 digits."),
    Rejection.TOO_SHORT: gettext_noop("A number has at least 3 digits."),
    Rejection.ZEROS: gettext_noop("This is only zeros, not a number."),
    Rejection.DECIMAL: gettext_noop("This is a decimal number, as a spreadsheet writes it."),
    Rejection.EXPONENT: gettext_noop(
        "This is scientific notation: a spreadsheet dropped digits of the number."
    ),
    Rejection.THOUSANDS: gettext_noop("This has a spreadsheet's thousands separators."),
    Rejection.DATE: gettext_noop("This is a date, as a spreadsheet writes it."),
    Rejection.FORMULA: gettext_noop("This is a formula, not a value."),
    Rejection.APOSTROPHE: gettext_noop("This begins with a spreadsheet's apostrophe."),
    Rejection.SHEET_ERROR: gettext_noop("This is a spreadsheet's error, not a value."),
    Rejection.RANGE: gettext_noop("This is a range, not a number."),
    Rejection.EXTENSION: gettext_noop("This is a number with an extension."),
    Rejection.TRUNK: gettext_noop(
        "This is an international number with the trunk prefix (0), which is not dialled there."
    ),
    Rejection.SEVERAL: gettext_noop("This is more than one number."),
}


def sentence_of(reason: str) -> str:
    """A refusal's detail as pages show it; what is no short reason is a sentence already."""
    found = _SENTENCES.get(reason)
    return reason if found is None else _(found)


def rejection_of(error: NotANumberError) -> str:
    """Why a text is no number, and what to write instead where that is clear."""
    told = _(_REJECTIONS[error.rejected.reason])
    if not error.rejected.instead:
        return told
    return _("%(why)s Write %(number)s.") % {"why": told, "number": error.rejected.instead}
