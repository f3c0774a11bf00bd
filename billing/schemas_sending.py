"""Requests and responses about campaigns and their recipients."""

import re
from datetime import datetime, time
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, Field, Strict, WithJsonSchema

from billing.schemas_common import Line, Name
from poolsite.api.pages import PageIn
from poolsite.api.reading import STRICT, Moment


def _as_clock(value: Any) -> Any:
    """Return hours and minutes without a zone. Pydantic would also accept seconds and zones."""
    if isinstance(value, str) and not re.fullmatch(r"[0-9]{2}:[0-9]{2}", value):
        raise ValueError("use a time such as 22:00")
    return value


Clock = Annotated[
    time,
    Strict(False),
    BeforeValidator(_as_clock),
    WithJsonSchema({"type": "string", "pattern": r"^([01][0-9]|2[0-3]):[0-5][0-9]$"}),
    Field(description="Such as 22:00, in the account's zone."),
]
CampaignState = Literal[
    "draft", "scheduled", "sending", "paused", "low", "sent", "done", "cancelled"
]
Csv = Annotated[
    str,
    Field(
        min_length=1,
        max_length=32_000_000,
        description="CSV text with a number in the first column of each row.",
    ),
]
SHOWS = Literal["", "delivered", "waiting", "failed", "refused"]


class CampaignsIn(PageIn):
    """Filters of the campaigns."""

    q: Line = Field("", description="The start of the name.")
    state: CampaignState | None = None


class CampaignIn(BaseModel):
    """A new campaign, which is a draft until it is sent."""

    model_config = STRICT

    name: Name
    template: int = Field(description="A complete template.")
    recipients: Csv | None = None


class CampaignChangeIn(BaseModel):
    """The fields of a draft to change. Omitted fields stay as they are; null removes a time."""

    model_config = STRICT

    name: Name | None = None
    template: int | None = None
    scheduled_at: Moment | None = None
    quiet_from: Clock | None = None
    quiet_until: Clock | None = None


class RecipientsIn(BaseModel):
    """The new recipients of a campaign. They replace the previous ones."""

    model_config = STRICT

    recipients: Csv


class NumberIn(BaseModel):
    """A phone number."""

    model_config = STRICT

    number: Annotated[str, Field(max_length=60)]


class FiguresOut(BaseModel):
    """The current numbers and amounts of a campaign's messages."""

    waiting: int
    held: int
    sent: int
    delivered: int
    failed: int
    expired: int
    cancelled: int
    refused: int
    held_money: str
    charged: str
    returned: str


class CampaignOut(BaseModel):
    """A campaign."""

    id: int
    name: str
    state: CampaignState = Field(description="low: paused because the balance is too low.")
    state_reason: str
    template: int
    chatbot: str
    reading: bool = Field(description="Whether the recipients are still being read.")
    recipients: int
    dropped: int = Field(description="Rows that are skipped, such as duplicates and opt-outs.")
    scheduled_at: datetime | None
    quiet_from: str | None = Field(description="Such as 22:00, in the account's zone.")
    quiet_until: str | None
    created_by: str
    created_at: datetime
    started_at: datetime | None
    ended_at: datetime | None


class CampaignDetailOut(CampaignOut):
    """A campaign with its figures."""

    figures: FiguresOut
    problems: list[str] = Field(description="What keeps a draft from being sent.")


class EstimateOut(BaseModel):
    """What a campaign will cost if every message is delivered."""

    recipients: int
    least: str
    most: str = Field(description="Also the most that is held at once.")
    spendable: str
    missing: str = Field(description="What a top-up must bring so that the balance suffices.")
    covers: int = Field(description="Messages that the balance allows for sure.")
    problem: str = Field(description="Why there is no estimate. Usually empty.")


class TestSendOut(BaseModel):
    """A test message that was passed to the gateway."""

    message_id: str
    number: str
    held: str


class ResultsIn(BaseModel):
    """Filters of a campaign's recipients."""

    state: SHOWS = ""
    after: int = Field(0, ge=0, lt=2**31, description="`next` of the page before.")


class RecipientOut(BaseModel):
    """A recipient, and the result of the message."""

    row: int
    number: str
    message_id: str
    state: str
    mode: str
    charged: str
    reason: str
    at: datetime | None


class RecipientsOut(BaseModel):
    """One page of recipients, in the order of the file."""

    data: list[RecipientOut]
    next: int | None = Field(description="Pass it as `after`. Null on the last page.")


class DroppedOut(BaseModel):
    """A row of the file that is skipped."""

    row: int
    text: str
    why: str = Field(description="empty, not_a_number, too_long, unreachable, twice, opted_out.")
    reason: str
