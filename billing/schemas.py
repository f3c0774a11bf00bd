"""Requests, responses and frames of billing's public interfaces, for the hot lane and Django.

Amounts are decimal text in the account's currency with four places ("12.3456"), so money is never
converted to a float.
"""

from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    Field,
    StringConstraints,
    model_validator,
)

from billing.pricing.modes import REPORTED
from billing.schemas_common import BALANCE, CREDIT_LIMIT, PROMOTIONAL, SPENDABLE
from poolsite import number_format
from poolsite.api.problems import Problem
from poolsite.api.reading import LINE, LINES, STRICT

ITEMS_LIMIT = 1_000
BODY_LIMIT_BYTES = 4_000_000
TEXT_LIMIT = 5_000
KILOBYTES_LIMIT = 100_000

# Texts of messages may have line breaks and tabs, but no other control characters.

MessageId = Annotated[str, StringConstraints(pattern=r"^[!-~]{1,80}$")]
ChatbotId = Annotated[str, StringConstraints(pattern=r"^[a-z0-9-]{1,40}$")]
Text = Annotated[str, StringConstraints(max_length=TEXT_LIMIT, pattern=LINES)]
Number = Annotated[
    str,
    StringConstraints(min_length=1, max_length=256),
    AfterValidator(number_format.parse),
]
Kilobytes = Annotated[int, Field(ge=0, le=KILOBYTES_LIMIT)]


class HoldIn(BaseModel):
    """A message to be sent: what determines its price, never the price itself.

    Give either `template` or the parts. `fallback`: what the gateway sends if the native
    message fails; `by_terminal` looks up what `to` can display.
    """

    model_config = STRICT

    message_id: MessageId = Field(description="Makes retries safe: each ID is held once.")
    chatbot: ChatbotId | None = Field(
        None, description="The sender. Not needed with a chatbot's token."
    )
    template: int | None = Field(None, ge=1, le=2**53, description="A template of the account.")
    to: Number | None = Field(None, description="The terminal. Required for `by_terminal`.")
    native: Literal["text", "card"] = "text"
    fallback: Literal["none", "yuexin", "video", "by_terminal"] = "none"
    text: Text = ""
    yuexin_text: Text = Field("", description="The text as sent, including its registered link.")
    card_kilobytes: Kilobytes = 0
    video_kilobytes: Kilobytes = 0
    sent: bool = Field(False, description="Also mark it as sent: it goes to the gateway next.")

    @model_validator(mode="after")
    def _fits(self) -> "HoldIn":
        given = self.model_fields_set
        parts = {"native", "text", "yuexin_text", "card_kilobytes", "video_kilobytes"}
        if self.template is not None and given & parts:
            raise ValueError("give a template or the parts of a message, not both")
        if self.fallback == "by_terminal" and self.to is None:
            raise ValueError("to: by_terminal needs the terminal's number")
        if self.template is None:
            self._check_parts()
        return self

    def _check_parts(self) -> None:
        if self.native == "text" and not self.text:
            raise ValueError("text: a native text message has one")
        if self.native == "card" and not self.card_kilobytes:
            raise ValueError("card_kilobytes: a card has a size")
        if self.fallback in ("yuexin", "by_terminal") and not self.yuexin_text:
            raise ValueError("yuexin_text: the fallback needs it")
        if self.fallback in ("video", "by_terminal") and not self.video_kilobytes:
            raise ValueError("video_kilobytes: the fallback needs it")


class IdIn(BaseModel):
    """A message ID. In a batch, the bare ID is enough."""

    model_config = STRICT

    message_id: MessageId

    @model_validator(mode="before")
    @classmethod
    def _plain(cls, given: Any) -> Any:
        return {"message_id": given} if isinstance(given, str) else given


class ReportIn(BaseModel):
    """A status report of the gateway. Only final reports move money."""

    model_config = STRICT

    message_id: MessageId
    final: bool = Field(description="False if the gateway is still trying (its fallback).")
    delivered: bool
    mode: Annotated[str, StringConstraints(max_length=64, pattern=LINE)] | None = Field(
        None,
        description="How it was delivered: "
        + ", ".join(REPORTED)
        + ". Any other value is stored as unreadable.",
    )


class SessionIn(BaseModel):
    """A session message sent by a terminal's user. Its ID is that of the uplink message."""

    model_config = STRICT

    message_id: MessageId
    chatbot: ChatbotId | None = None
    text: Text = ""


class Ability(BaseModel):
    """What was known about the terminal, from which source, and how long ago."""

    supports_yuexin: bool | None
    source: str = Field(
        description="table or http; or unknown, failed or slow, in which case video is used."
    )
    age_seconds: int


class MessageAnswer(BaseModel):
    """The result for one message. `spendable`, `seq`: the balance after the whole request."""

    message_id: str
    outcome: str = Field(
        description="held, repeat; sent; cancelled; settled, failed, parked, noted, late, "
        "contradiction, unreadable, unknown; unpaid"
    )
    state: str = Field("", description="held sent settled failed expired cancelled parked unpaid")
    quoted: str = "0.0000"
    held: str = Field("0.0000", description="The amount on hold until the message ends")
    charged: str = Field("0.0000", description="What was charged; 0.0000 while it is held")
    spendable: str = "0.0000"
    seq: int = 0
    flag: str = Field("", description="What the operators' list shows, or why nothing was done")
    fallback: str | None = Field(None, description="The fallback found: yuexin or video")
    ability: Ability | None = None


class MessageProblem(Problem):
    """The answer to a refused message, with the fields of `MessageAnswer`."""

    message_id: str | None = None
    outcome: str | None = None
    state: str | None = None
    quoted: str | None = None
    held: str | None = None
    charged: str | None = None
    spendable: str | None = None
    seq: int | None = None
    flag: str | None = None
    fallback: str | None = None
    ability: Ability | None = None


class MessageItemAnswer(BaseModel):
    """The answer to one item of a batch, with the status and problem type of a single request."""

    status: int
    message_id: str | None = None
    outcome: str | None = None
    state: str | None = None
    quoted: str | None = None
    held: str | None = None
    charged: str | None = None
    spendable: str | None = None
    seq: int | None = None
    flag: str | None = None
    fallback: str | None = None
    ability: Ability | None = None
    type: str | None = None
    title: str | None = None
    detail: str | None = None


class BalanceOut(BaseModel):
    """A wallet's figures at one time, with the sequence number of its last change."""

    account: str
    currency: str
    status: Literal["open", "frozen", "closed", "recovering"]
    balance: str = BALANCE
    credit_limit: str = CREDIT_LIMIT
    promotional: str = PROMOTIONAL
    spendable: str = SPENDABLE
    held: str
    receivable: str
    spent_today: str
    daily_limit: str = Field(description="0.0000 if there is no limit")
    open_holds: int
    generation: int
    seq: int
    as_of: int = Field(description="Time of the figures, in µs")


class MessageOut(BaseModel):
    """A message as it is now: in the wallet, or after 7 days in the books."""

    message_id: str
    kind: Literal["message", "session", "call", ""]
    state: str
    mode: str
    chatbot: str
    tariff: int | None
    quoted: str
    held: str = Field(description="The amount on hold until the message ends")
    charged: str = Field(description="What was charged; 0.0000 while it is held")
    prices: dict[str, str] = Field(
        description="Prices of the quote. Empty once Redis has dropped it."
    )
    since: int | None = Field(description="Start of the current state, in µs")


class BalanceFrame(BaseModel):
    """Pushed by the balance's websocket: always the whole state, so the newest frame counts.

    `previous` is the `seq` of the previous frame on this socket (null for the first). If your last
    frame had another `seq`, you missed a frame: fetch the balance.
    """

    previous: int | None
    balance: BalanceOut
