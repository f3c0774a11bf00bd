"""Requests and responses of the operations on desks and their widgets."""

from typing import Literal

from ninja import Schema
from pydantic import Field

from poolsite.api.pages import PageIn
from queueing.line.schemas import Strict

Slug = Field(pattern=r"^[a-z0-9-]{1,40}$")
Reason = Field("", max_length=200, description="Recorded in the audit log.")


class DeskSettings(Strict):
    """The settings of a desk."""

    name: str = Field(default_factory=str, min_length=1, max_length=120)
    pause_reasons: str = Field(
        default_factory=str,
        description="One per line. A time limit marks longer pauses on the floor: Lunch, 45 min.",
    )
    outcome_required: bool = Field(
        default_factory=bool,
        description="Whether agents must choose an outcome before they finish a visit.",
    )
    callback_pool: str = Field(
        default_factory=str,
        max_length=40,
        description="Slug of the number pool for callbacks. Empty: no callbacks.",
    )
    transcript_days: int = Field(
        default_factory=int,
        ge=1,
        lt=2**31,
        description="Transcripts and files are deleted after this many days.",
    )
    attachment_kinds: Literal["all", "images", "pdf"] = Field(
        default_factory=lambda: "all", description="The file types that the desk accepts."
    )
    attachment_mb: int = Field(
        default_factory=int, ge=0, le=25, description="Largest file in MB. 0: no files."
    )
    attachments_per_visit: int = Field(
        default_factory=int,
        ge=1,
        le=200,
        description="Files per visit, counted separately for the visitor and the agents.",
    )
    attachment_day_mb: int = Field(
        default_factory=int,
        ge=1,
        le=1_000_000,
        description="MB of files per day, counted separately for visitors and agents.",
    )
    log_limit: int = Field(
        default_factory=int, ge=1_000, lt=2**31, description="Most entries in the event backlog."
    )


class DeskIn(DeskSettings):
    """A new desk. Settings that are left out have their defaults."""

    slug: str = Slug
    name: str = Field(min_length=1, max_length=120)
    account: str | None = Field(
        None, max_length=40, description="Slug of the account. Null: the platform."
    )


class DeskChangeIn(DeskSettings):
    """The settings to change. Those that are left out stay as they are."""

    reason: str = Reason


class DeskOut(Schema):
    """A desk. Its figures are null while its data is being rebuilt."""

    slug: str
    name: str
    account: str | None
    status: Literal["open", "recovering", "missing"]
    queues: int | None = Field(description="Number of queues.")
    waiting: int | None = Field(description="Visitors in line.")
    longest_seconds: int | None = Field(description="How long the first in line has waited.")
    free: int | None = Field(description="Agents who can take a visitor, summed over the queues.")


class DeskFullOut(DeskOut):
    """A desk and its settings."""

    settings: DeskSettings | None = Field(
        description="Null unless the caller may change the desk's settings."
    )


class DesksIn(PageIn):
    """The filters of the list of desks."""

    account: str = Field("", max_length=40, description="Only desks of this account (slug).")
    q: str = Field("", max_length=80, description="Only desks with this text in name or slug.")


class WidgetSettings(Strict):
    """How a desk's chat looks on other sites."""

    origins: list[str] = Field(
        default_factory=list,
        max_length=20,
        description="The sites that may show the chat, such as https://shop.example.",
    )
    colour: str = Field(
        default_factory=str,
        max_length=7,
        description="Color of the bubble as #rrggbb. White text must be readable on it.",
    )
    side: Literal["right", "left"] = Field(
        default_factory=lambda: "right", description="The corner of the page."
    )
    greeting: str = Field(
        default_factory=str,
        max_length=300,
        description="Shown when a visitor opens the chat. Empty: the queue's welcome text.",
    )


class WidgetChangeIn(WidgetSettings):
    """The settings to change. Those that are left out stay as they are."""

    reason: str = Reason


class SupervisedReasonIn(Strict):
    """The reason, for the audit log."""

    reason: str = Reason
