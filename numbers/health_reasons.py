"""Why a health rule took a number out of use: stored in English, shown in the user's language.

Redis and the history store one text for all users (`kept`). Pages translate it (`said`), and
incidents build their text from the figures (`as_value`).
"""

import re
from typing import Any, Final

from django.db import models
from django.utils.translation import gettext, gettext_noop
from django.utils.translation import gettext_lazy as _


class Measure(models.TextChoices):
    """What a rule measures."""

    ASR = "asr", _("Answer rate (ASR)")
    MEAN = "mean_duration", _("Mean talk time")
    SHORT = "short_share", _("Share of short calls")
    UNANSWERED = "unanswered_share", _("Share of unanswered calls")
    SPAM = "spam_sources", _("Spam label sources")


KEPT: Final = {
    Measure.ASR: "answer rate {value} %",
    Measure.MEAN: "mean talk time {value} s",
    Measure.SHORT: "short calls {value} %",
    Measure.UNANSWERED: "unanswered {value} %",
    Measure.SPAM: "labelled as spam by {value} sources",
}
TEXTS: Final = {
    Measure.ASR: gettext_noop("answer rate %(value)s%% over %(calls)s calls"),
    Measure.MEAN: gettext_noop("mean talk time %(value)s s over %(calls)s calls"),
    Measure.SHORT: gettext_noop("%(value)s%% short calls out of %(calls)s"),
    Measure.UNANSWERED: gettext_noop("%(value)s%% unanswered out of %(calls)s calls"),
    Measure.SPAM: gettext_noop("spam label sources: %(value)s"),
}
REST: Final = r"(?: over (?P<calls>\d+) calls)? in (?P<window>\w+), rule (?P<rule>.*)"
PATTERNS: Final = {
    measure: re.compile(re.escape(words).replace(r"\{value\}", r"(?P<value>[\d.]+)") + REST)
    for measure, words in KEPT.items()
}


def kept(measure: str, value: float, calls: int, *, window: str, rule: str) -> str:
    """Return the reason as the history and Redis store it, with value, window and rule's name."""
    words = KEPT[Measure(measure)].format(value=_figure(value))
    over = f" over {calls} calls" if measure != Measure.SPAM else ""
    return f"{words}{over} in {window}, rule {rule}"


def as_value(measure: str, value: float, calls: int) -> dict[str, Any]:
    """Return the reason as a value of an incident's text, without window and rule."""
    params = {"value": _figure(value), "calls": calls}
    return {"text": TEXTS[Measure(measure)], "params": params}


def said(text: str) -> str:
    """Return the figures of a stored reason in the active language, or any other text unchanged."""
    for measure, pattern in PATTERNS.items():
        found = pattern.fullmatch(text)
        if found is not None:
            return gettext(TEXTS[measure]) % found.groupdict()
    return text


def _figure(value: float) -> str:
    return f"{value:.0f}" if value >= 10 else f"{value:.1f}".removesuffix(".0")
