"""Why agents pause: a desk's list of reasons, each with the time that it may take."""

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
MISSED_OFFERS: Final = "missed offers"  # the desk's own reason: nobody chooses it
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
    """`minutes`: how long such a pause may take, 0 = no limit."""

    text: str
    minutes: int = 0

    @property
    def words(self) -> str:
        """The reason as it is shown to the reader."""
        return words_of(self.text)


def read_reasons(text: str) -> list[PauseReason]:
    """A desk's reasons from its setting, one a line. ValidationError when the setting is bad."""
    reasons = [_read(line) for line in map(str.strip, text.splitlines()) if line]
    if not reasons:
        raise ValidationError(_("Enter at least one pause reason."))
    if len(reasons) > MOST_REASONS:
        raise ValidationError(_("Enter no more than 12 pause reasons."))
    if len({reason.text.casefold() for reason in reasons}) < len(reasons):
        raise ValidationError(_("Each pause reason can be listed only once."))
    return reasons


def validate_reasons(text: str) -> None:
    """ValidationError unless it is a list of reasons as `read_reasons` takes it."""
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
    """The reason that somebody means: its text, or the words in which the reader sees it."""
    wanted = given.strip().casefold()
    return next((each for each in reasons if wanted in _names(each)), None)


def _names(reason: PauseReason) -> tuple[str, str]:
    return reason.text.casefold(), reason.words.casefold()


def words_of(text: str) -> str:
    """A reason as it is shown; one that no list has any more is shown as it was written."""
    return str(WORDS.get(text, text))
