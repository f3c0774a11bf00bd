"""Requests and answers about number health."""

from typing import Annotated, Literal

from pydantic import BaseModel, Field, StringConstraints

from numbers.selectors.health import HealthFigures
from numbers.services.spam_labels import TEXT_LENGTH
from poolsite.api.reading import STRICT, Moment

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


class HealthRuleOut(BaseModel):
    """A health rule of a pool."""

    name: str
    enabled: bool
    measure: str
    direction: str
    threshold: float
    least_calls: int
    window: WindowName
    action: Literal["rest", "quarantine"]
    rest_hours: int
    daily_limit: int
    pool_percent: float
    held: int = Field(description="Numbers that the rule currently keeps out of use.")


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
    """Figures as the interface tells them."""
    return HealthFiguresOut(
        calls=figures.calls,
        not_told=figures.untold,
        answered=figures.tally.answered,
        asr=figures.asr,
        unanswered_share=figures.unanswered_share,
        short_share=figures.short_share,
        mean_talk_seconds=figures.mean_seconds,
    )
