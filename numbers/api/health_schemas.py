"""Requests and answers about number health."""

from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import BaseModel, Field, StringConstraints

from numbers.models import HealthRule
from numbers.models.health_rules import RULE_SETTINGS
from numbers.selectors.health import HealthFigures
from numbers.services.spam_labels import TEXT_LENGTH
from poolsite.api.fields import Line
from poolsite.api.pages import PageIn
from poolsite.api.reading import LINE, STRICT, Moment
from poolsite.api.setting_models import settings_in, settings_out

WindowName = Literal["1h", "24h", "7d"]
LABELS_LIMIT = 1_000


class HealthFiguresOut(BaseModel):
    """Figures of outbound calls that ended in a window. Null if there were none to divide by."""

    calls: int = Field(
        description="Calls for which the switch reported whether they were answered."
    )
    not_told: int = Field(description="Calls without that report. They count in no rate.")
    answered: int
    asr: float | None = Field(description="Answer rate: answered calls of all calls, 0 to 1.")
    unanswered_share: float | None
    short_share: float | None = Field(
        description="Share of short calls among answered calls, 0 to 1."
    )
    mean_talk_seconds: float | None


class HealthGroupOut(BaseModel):
    """The figures of a switch or region. Empty key: calls that named none."""

    key: str
    figures: HealthFiguresOut


class PoolHealthOut(BaseModel):
    """A pool's health over a window."""

    window: WindowName
    short_call_seconds: int
    figures: HealthFiguresOut
    switches: list[HealthGroupOut]
    regions: list[HealthGroupOut]


class NumberHealthOut(BaseModel):
    """One number's health over a window."""

    number: str
    region: str
    switch: str
    figures: HealthFiguresOut
    spam_sources: int = Field(description="Sources that labeled it in the last seven days.")
    quarantined: bool
    rests_until: str | None = Field(description="When the rest set by a rule ends.")


class WorstNumbersOut(BaseModel):
    """Numbers with at least ten calls, lowest answer rate first."""

    numbers: list[NumberHealthOut]
    next: str = Field(
        description="Pass it as `after` to get the next page. Empty on the last page."
    )


if TYPE_CHECKING:
    RuleSettingsIn = BaseModel
    RuleSettingsOut = BaseModel
else:
    RuleSettingsIn = settings_in("RuleSettingsIn", HealthRule, RULE_SETTINGS)
    RuleSettingsOut = settings_out("RuleSettingsOut", HealthRule, RULE_SETTINGS)


class HealthRuleOut(RuleSettingsOut):
    """A health rule of a pool."""

    id: int
    held: int = Field(description="Numbers that the rule currently keeps out of use.")


class HealthRuleIn(RuleSettingsIn):
    """A new rule. Settings that you leave out have their defaults."""

    name: Annotated[str, StringConstraints(min_length=1, max_length=60, pattern=LINE)]
    reason: Line = Field("", description="Why, for the audit log.")


class HealthRuleChangeIn(RuleSettingsIn):
    """The settings to change. Settings that you leave out stay as they are."""

    reason: Line = Field("", description="Why, for the audit log.")


class HealthActionsIn(PageIn):
    """The numbers that rules took out of use: filters."""

    number: str = Field("", max_length=256)
    returned: bool | None = Field(None, description="Only numbers that are back, or still out.")


class HealthActionOut(BaseModel):
    """A number that a rule took out of use."""

    id: int
    number: str
    rule: str
    action: Literal["rest", "quarantine"]
    reason: str
    value: float = Field(description="The measured value, in the unit of the rule's threshold.")
    calls: int
    at: str
    until: str | None = Field(description="When the rest ends. Null for a quarantine.")
    returned_at: str | None
    returned_how: Literal["", "ended", "undone", "released"]


ShortText = Annotated[str, StringConstraints(min_length=1, max_length=TEXT_LENGTH)]


class SpamLabelIn(BaseModel):
    """A spam label that a callee was shown for a number."""

    model_config = STRICT

    number: str = Field(max_length=256)
    source: ShortText = Field(description="The carrier or app that shows it, for example `Hiya`.")
    label: ShortText = Field(description="The text of the label, for example `Spam risk`.")
    seen_at: Moment


class SpamLabelsIn(BaseModel):
    """Up to 1,000 labels."""

    model_config = STRICT

    labels: list[SpamLabelIn] = Field(min_length=1, max_length=LABELS_LIMIT)


class RefusedLabel(BaseModel):
    """A label that was not accepted. `item` counts from 0."""

    item: int
    reason: str


class SpamLabelsOut(BaseModel):
    """The result of the report."""

    added: int
    known: int = Field(description="Already stored, or repeated in the request.")
    refused: list[RefusedLabel]


def figures_out(figures: HealthFigures) -> HealthFiguresOut:
    """Figures as the API returns them."""
    return HealthFiguresOut(
        calls=figures.calls,
        not_told=figures.untold,
        answered=figures.tally.answered,
        asr=figures.asr,
        unanswered_share=figures.unanswered_share,
        short_share=figures.short_share,
        mean_talk_seconds=figures.mean_seconds,
    )
