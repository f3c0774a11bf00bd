"""Why a health rule took a number out of use: kept in English, said in the reader's language.

Redis and the history keep one text for everybody (`kept`); pages say it anew from that text
(`said`), incidents from its parts (`as_value`).
"""

import re
from typing import Any, Final

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from numbers.models import HealthRule, Measure
from poolsite.access.services.actor import clean_reason

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


def kept(rule: HealthRule, value: float, calls: int) -> str:
    """The reason as the history and Redis keep it: the figures, and which rule."""
    words = KEPT[Measure(rule.measure)].format(value=_figure(value))
    over = f" over {calls} calls" if rule.measure != Measure.SPAM else ""
    return clean_reason(f"{words}{over} in {rule.window}, rule {rule.name}")


def as_value(rule: HealthRule, value: float, calls: int) -> dict[str, Any]:
    """The same as a value of an incident's text: the figures alone."""
    params = {"value": _figure(value), "calls": calls}
    return {"text": TEXTS[Measure(rule.measure)], "params": params}


def said(text: str) -> str:
    """The figures of a kept reason in the active language; another text as it is."""
    for measure, pattern in PATTERNS.items():
        found = pattern.fullmatch(text)
        if found is not None:
            return _(TEXTS[measure]) % found.groupdict()
    return text


def _figure(value: float) -> str:
    return f"{value:.0f}" if value >= 10 else f"{value:.1f}".removesuffix(".0")
