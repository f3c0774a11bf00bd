"""Requests and responses about prices, top-ups, adjustments and refunds."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import BaseModel, Field

from billing.pricing.rate_rows import INCREMENT_LIMIT, RATES_LIMIT
from billing.schemas_books import Mode
from billing.schemas_common import Amount, Line, Name, Once, Reason
from poolsite.api.pages import PageIn
from poolsite.api.reading import STRICT, Moment

WeekDay = Literal["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
Clock = Annotated[
    str, Field(pattern=r"^([01][0-9]|2[0-3]):[0-5][0-9]$|^24:00$", examples=["08:00"])
]
Prefix = Annotated[str, Field(max_length=17, pattern=r"^\+?[0-9]*$")]
Destination = Annotated[str, Field(min_length=1, max_length=80, pattern=r"^[^\x00-\x1f\x7f]+$")]
Increment = Annotated[int, Field(ge=1, le=INCREMENT_LIMIT)]
Unit = Annotated[int, Field(ge=1, le=1_000_000)]
TopUpState = Literal["waiting", "paid", "failed", "refunded"]
AdjustmentState = Literal["waiting", "applied", "rejected", "cancelled"]
AdjustmentKind = Literal["credit", "debit", "cash_refund", "chargeback"]
RefundState = Literal["open", "accepted", "declined", "withdrawn"]


class TariffsIn(PageIn):
    """Filters of the tariffs."""

    state: Literal["scheduled", "current", "ended"] | None = None


class PriceIn(BaseModel):
    """The price of one unit. Without a counting rule, a unit is one message (or SMS)."""

    model_config = STRICT

    unit_price: Amount
    characters_per_unit: Unit | None = None
    kilobytes_per_unit: Unit | None = None


class CallRateIn(BaseModel):
    """What calls to a destination cost. The longest prefix of the callee's number counts."""

    model_config = STRICT

    prefix: Prefix = Field("", description="Such as +49. Empty: every other number.")
    destination: Destination
    days: list[WeekDay] | None = Field(None, max_length=7, description="Default: every day.")
    start: Clock | None = Field(None, description="In the account's time zone. Default: 00:00.")
    end: Clock | None = Field(None, description="Exclusive; may be the next day. Default: 24:00.")
    price_per_minute: Amount
    first_increment: Increment = Field(60, description="Seconds, charged in any case.")
    increment: Increment = Field(60, description="Seconds, each charged once it has started.")
    connection_fee: Amount = "0"


class TariffIn(BaseModel):
    """A new tariff. It ends the current tariff without an end when it starts."""

    model_config = STRICT

    name: Name
    prices: dict[Mode, PriceIn] = Field(description="By mode. Other modes can't be sent.")
    call_rates: list[CallRateIn] | None = Field(
        None,
        max_length=RATES_LIMIT,
        description="Default: none; in a change: as they are.",
    )
    valid_from: Moment | None = Field(None, description="Default: now.")
    valid_until: Moment | None = Field(None, description="Exclusive. Default: no end.")


class TariffChangeIn(TariffIn):
    """The new values of a tariff that has not started."""

    valid_from: Moment
    reason: Reason = ""


class TariffEndIn(BaseModel):
    """When a tariff ends."""

    model_config = STRICT

    valid_until: Moment = Field(description="Exclusive. Not in the past.")


class PriceOut(BaseModel):
    """The price of one unit of a mode."""

    unit_price: str
    characters_per_unit: int | None
    kilobytes_per_unit: int | None


class CallRateOut(BaseModel):
    """What calls to a destination cost."""

    prefix: str = Field(description="Empty: every other number.")
    destination: str
    days: list[WeekDay]
    start: str
    end: str
    price_per_minute: str
    first_increment: int
    increment: int
    connection_fee: str


class CallRatesIn(PageIn):
    """Filters of the call rates."""

    q: Line = Field("", description="A number, or a part of the destination's name.")


class TariffRow(BaseModel):
    """A tariff: the prices for a period."""

    id: int
    name: str
    state: Literal["scheduled", "current", "ended"]
    valid_from: datetime
    valid_until: datetime | None
    prices: dict[str, PriceOut]
    call_rates_count: int


class TariffOut(TariffRow):
    """A tariff with its call rates."""

    call_rates: list[CallRateOut] = Field(description="The first 1,000 by prefix.")


class GapOut(BaseModel):
    """A period in which no tariff is valid and nothing can be sent."""

    begin: datetime
    end: datetime | None


class TariffPreviewOut(BaseModel):
    """What a new tariff would do. Nothing was changed."""

    name: str
    valid_from: datetime
    valid_until: datetime | None
    prices: dict[str, PriceOut]
    call_rates_count: int
    ends: list[int] = Field(description="Tariffs that it would end.")
    gaps: list[GapOut]


class TopUpsIn(PageIn):
    """Filters of the top-ups."""

    q: Line = Field("", description="The number, or the provider's reference.")
    state: TopUpState | None = None
    provider: Line = ""
    since: Moment | None = Field(None, description="Created from this time on.")
    until: Moment | None = Field(None, description="Created before this time.")


class TopUpIn(BaseModel):
    """A top-up to pay."""

    model_config = STRICT

    amount: Amount
    provider: Line = Field(description="Such as stripe.")
    keep_method: bool = Field(False, description="Save the card for automatic top-ups.")
    token: Once = None


class TopUpOut(BaseModel):
    """A top-up."""

    id: int
    number: str
    status: str = Field(
        description="waiting, input, preauth, confirmed, rejected, error, cancelled or refunded."
    )
    amount: str
    currency: str
    refunded: str
    provider: str
    provider_reference: str
    automatic: bool
    requested_by: str
    created_at: datetime
    credited_at: datetime | None
    url: str = Field(description="The page on which it is paid, and later its receipt.")


class AdjustmentsIn(PageIn):
    """Filters of the adjustments."""

    state: AdjustmentState | None = None
    kind: (
        Literal["credit", "debit", "cash_refund", "chargeback", "by_hand", "credit_limit"] | None
    ) = None


class AdjustmentIn(BaseModel):
    """An adjustment of the balance."""

    model_config = STRICT

    kind: AdjustmentKind
    amount: Amount
    reason: Reason
    reference: Annotated[str, Field(max_length=120)] = ""
    top_up: int | None = Field(None, description="The top-up that a chargeback took back.")
    token: Once = None


class AdjustmentOut(BaseModel):
    """An adjustment: requested by one operator, and above a limit approved by another."""

    id: int
    kind: str
    amount: str
    state: AdjustmentState
    reason: str
    reference: str
    top_up: int | None
    flagged_report: int | None
    requested_by: str
    requested_at: datetime
    decided_by: str
    decided_at: datetime | None
    decision_reason: str


class RefundsIn(PageIn):
    """Filters of the refund requests."""

    state: RefundState | None = None


class RefundIn(BaseModel):
    """A request to pay money back."""

    model_config = STRICT

    amount: Amount
    payout: Annotated[str, Field(min_length=1, max_length=200)] = Field(
        description="Bank, account number and account holder."
    )
    reason: Reason


class RefundAcceptIn(BaseModel):
    """Accepts a refund request."""

    model_config = STRICT

    reference: Annotated[str, Field(max_length=120)] = ""
    token: Once = None


class RefundOut(BaseModel):
    """A refund request of a customer."""

    id: int
    amount: str
    state: RefundState
    reason: str
    payout: str
    requested_by: str
    requested_at: datetime
    answered_at: datetime | None
    answer: str
    adjustment: int | None
