"""Requests and responses about the books: messages, entries, amounts owed, statements."""

from datetime import date, datetime
from typing import Literal

from pydantic import BaseModel, Field

from billing.schemas_common import Line
from poolsite.api.pages import PageIn
from poolsite.api.reading import Moment

State = Literal["parked", "held", "sent", "settled", "failed", "expired", "cancelled", "unpaid"]
Mode = Literal[
    "native_text",
    "native_card",
    "native_session",
    "yuexin_resolved",
    "yuexin_unresolved",
    "video",
    "call",
]
SINCE = Field(None, description="From this time on.")
UNTIL = Field(None, description="Before this time.")


class MessagesIn(PageIn):
    """Filters of the messages."""

    q: Line = Field("", description="The start of a message ID, or a whole recipient's number.")
    state: State | None = None
    mode: Mode | None = None
    chatbot: Line = ""
    campaign: int | None = Field(None, ge=1, lt=2**63)
    flagged: bool = Field(False, description="Only messages with a flag.")
    since: Moment | None = SINCE
    until: Moment | None = UNTIL


class HoldsIn(PageIn):
    """Filters of the open holds."""

    state: Literal["held", "sent"] | None = None
    chatbot: Line = ""
    until: Moment | None = Field(None, description="Only holds that began before this time.")


class MessageRow(BaseModel):
    """A message as stored in the books."""

    message_id: str
    kind: str = Field(description="message, session or call.")
    state: str
    mode: str = Field(description="How it was delivered. Empty until then.")
    chatbot: str
    campaign: int | None
    to: str = Field(description="The recipient, partly hidden. Empty if it is not stored.")
    tariff: int | None
    quoted: str
    held: str
    charged: str
    flag: str
    held_at: datetime | None
    sent_at: datetime | None
    ended_at: datetime | None


class JournalEntriesIn(PageIn):
    """Filters of the journal entries."""

    q: Line = Field("", description="The start of the operation's ID.")
    kind: Line = Field("", description="Such as hold, settle or recharge.")
    chatbot: Line = ""
    mode: Mode | None = None
    since: Moment | None = SINCE
    until: Moment | None = UNTIL


class EntryOut(BaseModel):
    """A journal entry: what it added to each figure, with its sign."""

    generation: int
    seq: int
    at: datetime
    kind: str
    operation: str
    state: str = Field(description="State of the message after the entry.")
    mode: str
    chatbot: str
    spendable: str
    held: str
    owed: str
    charged: str


class OwedOut(BaseModel):
    """An amount that a debit or chargeback left owed, or that was paid."""

    operation: str
    amount: str = Field(description="Positive if it is owed, negative if it was paid.")
    at: datetime


class LineOut(BaseModel):
    """The entries of one mode, chatbot or type: how many, and their sum."""

    name: str
    count: int
    amount: str


class StatementOut(BaseModel):
    """A month's totals. `opening + top_ups - charges + adjustments = closing`."""

    month: str = Field(description="Such as 2026-11, in the account's time zone.")
    state: Literal["running", "closing", "final"]
    opening: str
    top_ups: str
    charges: str
    adjustments: str
    closing: str
    available: str = Field(
        description="The closing balance less what is held; negative where credit is used."
    )
    held: str
    owed: str
    by_mode: list[LineOut]
    by_chatbot: list[LineOut]
    by_adjustment: list[LineOut]


class YearOut(BaseModel):
    """The statements of one year, newest first."""

    year: int
    years: list[int] = Field(description="All years that have statements.")
    months: list[StatementOut]


class DayOut(BaseModel):
    """What a day cost."""

    day: date
    charges: str


class CallsOut(BaseModel):
    """The calls of a month by one rate."""

    prefix: str = Field(description="Empty: the call was not charged by its destination.")
    destination: str
    calls: int
    charged_seconds: int
    amount: str
    explanation: str


class MonthOut(StatementOut):
    """A month's totals, its days, and its calls by destination."""

    days: list[DayOut]
    calls: list[CallsOut] = Field(description="The 1,000 that cost most.")
    promotional: str = Field(description="The part of the charges that promotional credit paid.")


class StatementRow(BaseModel):
    """A journal entry of the month, with the spendable balance after it."""

    generation: int
    seq: int
    at: datetime
    kind: str
    operation: str
    mode: str
    chatbot: str
    spendable: str
    held: str
    owed: str
    balance: str
    charged_seconds: int = Field(description="Of the interval of a call; else 0.")
    explanation: str = Field(description="Of a charge for a call: its rate and the seconds.")
