"""Reasons for agents' pauses: a desk's list, each with an optional time limit."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from django.core.exceptions import ValidationError
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

DEFAULT_TEXT: Final = "Break\nLunch\nMeeting\nTraining"
MOST_REASONS: Final = 12
REASON_LENGTH: Final = 40
LONGEST_MINUTES: Final = 720
MISSED_OFFERS: Final = "missed offers"  # set by the desk; agents cannot choose it
_LINE = re.compile(r"^(?P<text>.+?)(?:[,，]\s*(?P<minutes>[0-9]{1,3})\s*(?:min|分钟))?\Z")
WORDS: Final[Mapping[str, str | Promise]] = {
    "Break": _("Break"),
    "Lunch": _("Lunch"),
    "Meeting": _("Meeting"),
    "Training": _("Training"),
    MISSED_OFFERS: _("Missed offers"),
}


@dataclass(frozen=True, slots=True)
class PauseReason:
    """A reason to pause. `minutes`: the time limit, 0 for none."""

    text: str
    minutes: int = 0

    @property
    def words(self) -> str:
        """The reason in the user's language."""
        return words_of(self.text)


def read_reasons(text: str) -> list[PauseReason]:
    """Return a desk's reasons from its setting, one per line. Raise ValidationError if invalid."""
    reasons = [_read(line) for line in map(str.strip, text.splitlines()) if line]
    if not reasons:
        raise ValidationError(_("Enter at least one pause reason."))
    if len(reasons) > MOST_REASONS:
        raise ValidationError(_("Enter no more than 12 pause reasons."))
    if len({reason.text.casefold() for reason in reasons}) < len(reasons):
        raise ValidationError(_("Each pause reason can be listed only once."))
    return reasons


def validate_reasons(text: str) -> None:
    """Raise ValidationError unless `read_reasons` accepts the text."""
    read_reasons(text)


def _read(line: str) -> PauseReason:
    found = _LINE.match(line)
    text = found["text"].strip() if found is not None else ""
    minutes = int(found["minutes"] or 0) if found is not None else 0
    if not text or len(text) > REASON_LENGTH or "_" in text or not text.isprintable():
        raise ValidationError(_("A pause reason must have 1 to 40 characters and no underscore."))
    if text.casefold() == MISSED_OFFERS:
        raise ValidationError(_("“Missed offers” is set automatically. Remove it from the list."))
    if minutes > LONGEST_MINUTES:
        raise ValidationError(_("A pause limit can't be more than 720 min."))
    return PauseReason(text, minutes)


def find_reason(reasons: list[PauseReason], given: str) -> PauseReason | None:
    """Return the reason with this text, or with this label in the user's language, or None."""
    wanted = given.strip().casefold()
    return next((each for each in reasons if wanted in _names(each)), None)


def _names(reason: PauseReason) -> tuple[str, str]:
    return reason.text.casefold(), reason.words.casefold()


def words_of(text: str) -> str:
    """Return the label of a reason. Reasons of the desk's own are shown as written."""
    return str(WORDS.get(text, text))
