"""Requests, answers and frames of billing's public interfaces, one definition for every lane.

Amounts are decimal text in the account's currency with four places ("12.3456"): no float is
ever made of money.
"""

from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    model_validator,
)

from billing.pricing.modes import REPORTED
from poolsite import number_format
from poolsite.api.problems import Problem

ITEMS_LIMIT = 1_000
BODY_LIMIT_BYTES = 4_000_000
TEXT_LIMIT = 5_000
KILOBYTES_LIMIT = 100_000

# Texts of messages may have line ends and tabs, but no other control characters.
_TEXT = r"^[^\x00-\x08\x0b\x0c\x0e-\x1f\x7f]*$"
_PRINTABLE = r"^[^\x00-\x1f\x7f]*$"

MessageId = Annotated[str, StringConstraints(pattern=r"^[!-~]{1,80}$")]
ChatbotId = Annotated[str, StringConstraints(pattern=r"^[a-z0-9-]{1,40}$")]
Text = Annotated[str, StringConstraints(max_length=TEXT_LIMIT, pattern=_TEXT)]
Number = Annotated[
    str,
    StringConstraints(min_length=1, max_length=256),
    AfterValidator(number_format.parse),
]
Kilobytes = Annotated[int, Field(ge=0, le=KILOBYTES_LIMIT)]
_STRICT = ConfigDict(extra="forbid", strict=True, hide_input_in_errors=True)


class HoldIn(BaseModel):
    """One message that is about to be sent: what decides its price, never its price.

    Either `template`, or the parts themselves. `fallback`: what the gateway sends when the
    native message fails; `by_terminal` looks up what `to` can show.
    """

    model_config = _STRICT

    message_id: MessageId = Field(description="Makes repeats safe: the same id is held once.")
    chatbot: ChatbotId | None = Field(None, description="The sender; a chatbot's token has its.")
    template: int | None = Field(None, ge=1, le=2**53, description="A template of the account.")
    to: Number | None = Field(None, description="The terminal; needed for `by_terminal`.")
    native: Literal["text", "card"] = "text"
    fallback: Literal["none", "yuexin", "video", "by_terminal"] = "none"
    text: Text = ""
    yuexin_text: Text = Field("", description="With its registered link, as it is sent.")
    card_kilobytes: Kilobytes = 0
    video_kilobytes: Kilobytes = 0
    sent: bool = Field(False, description="Mark it as sent at once: it is handed over next.")

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
    """One message by its id; in a batch the id alone will do."""

    model_config = _STRICT

    message_id: MessageId

    @model_validator(mode="before")
    @classmethod
    def _plain(cls, given: Any) -> Any:
        return {"message_id": given} if isinstance(given, str) else given


class ReportIn(BaseModel):
    """One status report of the gateway. Only a final one moves money."""

    model_config = _STRICT

    message_id: MessageId
    final: bool = Field(description="False: the gateway goes on trying (its fallback).")
    delivered: bool
    mode: Annotated[str, StringConstraints(max_length=64, pattern=_PRINTABLE)] | None = Field(
        None,
        description="Of a delivery: "
        + ", ".join(REPORTED)
        + ". Another word is kept as unreadable.",
    )


class SessionIn(BaseModel):
    """One session message that a terminal's user sent; its id is the uplink message's."""

    model_config = _STRICT

    message_id: MessageId
    chatbot: ChatbotId | None = None
    text: Text = ""


class Ability(BaseModel):
    """What was known of the terminal, who said so, and how long ago."""

    supports_yuexin: bool | None
    source: str = Field(description="table, http; or unknown, failed, slow: then video.")
    age_seconds: int


class MessageAnswer(BaseModel):
    """What became of one message. `spendable` and `seq`: the balance after the whole request."""

    message_id: str
    outcome: str = Field(
        description="held, repeat; sent; cancelled; settled, failed, parked, noted, late, "
        "contradiction, unreadable, unknown; unpaid"
    )
    state: str = Field("", description="held sent settled failed expired cancelled parked unpaid")
    quoted: str = "0.0000"
    charged: str = "0.0000"
    spendable: str = "0.0000"
    seq: int = 0
    flag: str = Field("", description="What stands in the operators' list, or why nothing was done")
    fallback: str | None = Field(None, description="yuexin or video, as looked up")
    ability: Ability | None = None


class MessageProblem(Problem):
    """What a message that was refused answers: the fields of `MessageAnswer` beside."""

    message_id: str | None = None
    outcome: str | None = None
    state: str | None = None
    quoted: str | None = None
    charged: str | None = None
    spendable: str | None = None
    seq: int | None = None
    flag: str | None = None
    fallback: str | None = None
    ability: Ability | None = None


class MessageItemAnswer(BaseModel):
    """One item's answer in a batch: the status and problem type it would have had alone."""

    status: int
    message_id: str | None = None
    outcome: str | None = None
    state: str | None = None
    quoted: str | None = None
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
    """A wallet's figures at one moment, by the sequence number of its last change."""

    account: str
    currency: str
    status: Literal["open", "frozen", "closed", "recovering"]
    spendable: str
    held: str
    receivable: str
    spent_today: str
    daily_limit: str = Field(description="0.0000: none")
    open_holds: int
    generation: int
    seq: int
    as_of: int = Field(description="µs")


class MessageOut(BaseModel):
    """One message as the wallet, or the books after 7 days, have it."""

    message_id: str
    kind: Literal["message", "session", "call", ""]
    state: str
    mode: str
    chatbot: str
    tariff: int | None
    quoted: str
    charged: str
    prices: dict[str, str] = Field(description="Of the quote; empty once Redis has forgotten it.")
    since: int | None = Field(description="Start of the state, µs")


class BalanceFrame(BaseModel):
    """Pushed by the balance's websocket: always the whole state, so the newest one counts.

    `previous` is the `seq` of the frame before on this socket (null: the first). A reader whose
    last frame had another `seq` has missed one and fetches the balance.
    """

    previous: int | None
    balance: BalanceOut
