"""Requests and responses about opt-outs and flagged reports."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import BaseModel, Field

from billing.schemas_common import Amount, Line, Once, Reason
from poolsite.api.pages import PageIn
from poolsite.api.reading import STRICT


class OptOutsIn(PageIn):
    """Filters of the opt-outs."""

    q: Line = Field("", description="The start of the number.")


class OptOutsAddIn(BaseModel):
    """Numbers that opt out."""

    model_config = STRICT

    numbers: list[Annotated[str, Field(max_length=60)]] = Field(min_length=1, max_length=1_000)
    reason: Reason = ""


class OptOutsAddedOut(BaseModel):
    """How many numbers are new."""

    added: int


class OptOutOut(BaseModel):
    """A number that the account's campaigns are not sent to."""

    id: int
    number: str
    reason: str
    added_by: str
    created_at: datetime


class FlaggedIn(PageIn):
    """Filters of the flagged reports."""

    state: Literal["open", "waiting", "closed", "all"] = Field(
        "open", description="waiting: a manual charge is waiting for approval."
    )
    flag: (
        Literal["late", "contradiction", "unexpected mode", "unpaid", "orphan", "unreadable"] | None
    ) = None
    q: Line = Field("", description="The start of the message ID.")


class FlaggedOut(BaseModel):
    """A status report that the rules could not settle."""

    id: int
    message_id: str
    flag: str
    reported_mode: str
    state: str = Field(description="State of the message when the report came.")
    difference: str = Field(description="What was delivered by the report, less what was paid.")
    at: datetime
    waiting: bool = Field(description="Whether a manual charge is waiting for approval.")
    closing: str = Field(description="accepted, charged or paid. Empty while it is open.")
    closed_by: str
    closed_at: datetime | None
    closing_reason: str


class ChargeIn(BaseModel):
    """A manual charge."""

    model_config = STRICT

    amount: Amount
    reason: Reason
    token: Once = None
