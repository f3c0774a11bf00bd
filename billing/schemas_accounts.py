"""Requests and responses about accounts with a balance: figures, settings, state."""

from typing import Annotated, Literal

from pydantic import BaseModel, Field

from billing.schemas_common import (
    BALANCE,
    CREDIT_LIMIT,
    PROMOTIONAL,
    SPENDABLE,
    Amount,
    Line,
    Once,
    Reason,
)
from billing.schemas_paying import AdjustmentOut
from poolsite.api.pages import PageIn
from poolsite.api.reading import STRICT

Times = Annotated[int, Field(ge=0, le=24)]


class WalletsIn(PageIn):
    """Filters of the accounts."""

    q: Line = Field("", description="Part of the slug or the name.")
    state: Literal["", "open", "frozen", "closed", "recovering", "owing", "low"] = Field(
        "", description="owing: with an amount owed. low: below the account's own alert."
    )


class AccountOut(BaseModel):
    """An account and its current figures."""

    account: str
    name: str
    currency: str
    zone: str
    status: Literal["open", "frozen", "closed", "recovering", "missing"] = Field(
        description="missing: the live data can't be read, so the figures are those of the books."
    )
    status_reason: str
    balance: str = BALANCE
    credit_limit: str = CREDIT_LIMIT
    promotional: str = PROMOTIONAL
    spendable: str = SPENDABLE
    held: str
    receivable: str
    spent_today: str | None = Field(description="Null while the live data can't be read.")


class WalletSettingsOut(BaseModel):
    """An account's limits, alerts and automatic top-ups."""

    daily_limit: str = Field(description="0.0000 if there is no limit.")
    alert_below: str = Field(description="0.0000 if there is no alert.")
    top_up_below: str = Field(description="0.0000 if automatic top-ups are off.")
    top_up_amount: str
    top_up_daily_count: int
    payment_method: str = Field(description="The saved payment method. Empty if there is none.")


class WalletSettingsIn(BaseModel):
    """The settings to change. Omitted fields stay as they are."""

    model_config = STRICT

    daily_limit: Amount | None = None
    alert_below: Amount | None = None
    top_up_below: Amount | None = None
    top_up_amount: Amount | None = None
    top_up_daily_count: Times | None = None
    reason: Reason = ""


class CreditLimitIn(BaseModel):
    """The credit limit that an account should have."""

    model_config = STRICT

    amount: Amount = Field(description="How far the balance can go below zero. 0: prepaid only.")
    reason: Reason
    token: Once = None


class CreditLimitOut(BaseModel):
    """The credit limit in force, and the higher one that waits for approval."""

    credit_limit: str
    waiting: AdjustmentOut | None = Field(
        description="The adjustment that another operator must approve. Null if nothing waits."
    )


class RebuiltOut(BaseModel):
    """How the rebuild of an account's live data ended."""

    seconds: float
    messages: int = Field(description="Messages that were loaded from the books.")
    difference: str = Field(description="What could be spent after the rebuild, less before.")
    held_difference: str
