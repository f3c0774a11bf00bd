"""Requests and responses of the operations on a desk's past and running visits."""

from typing import Literal

from ninja import Schema
from pydantic import Field

from poolsite.api.pages import PageIn
from poolsite.api.reading import Moment
from queueing.line.api.answers import AttachmentAtOut, RoomMessageOut
from queueing.line.api.desk_schemas import Reason
from queueing.line.schemas import Strict

State = Literal["waiting", "room", "ended"]


class VisitsIn(PageIn):
    """The filters of the list of visits."""

    queue: str = Field("", max_length=40, description="Only visits to this queue (slug).")
    agent: int | None = Field(
        None, ge=1, lt=2**31, description="Only visits that this agent served last (user ID)."
    )
    state: State | None = Field(None, description="Only visits in this state.")
    joined_from: Moment | None = Field(
        None, description="Only visitors who joined at this time or later."
    )
    joined_until: Moment | None = Field(
        None, description="Only visitors who joined before this time."
    )
    rating: int | None = Field(None, ge=1, le=5, description="Only visits with this rating.")


class DeskVisitOut(Schema):
    """A visit of a desk. Names and contacts of erased visits are empty."""

    visit: str
    state: State
    queue: str
    agent: int | None = Field(description="User ID of the last agent.")
    name: str
    topic: str
    contact: str
    language: str
    priority: int
    joined_at: str
    matched_at: str | None = Field(description="When the first room started.")
    ended_at: str | None
    end: str = Field(description="How the visit ended. Empty while it runs.")
    outcome: int | None = Field(description="ID of the outcome that an agent chose.")
    outcome_name: str | None
    rating: int | None
    comment: str
    erased_at: str | None


class VisitRoomOut(Schema):
    """A room of a visit."""

    agent: int
    name: str
    queue: str
    began_at: str
    ended_at: str | None


class VisitEventOut(Schema):
    """Something that happened to a visit, besides messages."""

    at: str
    kind: str
    agent: int | None
    actor: str
    text: str


class TranscriptOut(DeskVisitOut):
    """A visit with all its stored data: skills, rooms, events, messages and files."""

    skills: dict[str, int]
    verified: str = Field(description="Who the visitor is to the customer's own system.")
    predicted_seconds: list[int] | None = Field(
        description="The wait range that the visitor was told."
    )
    rooms: list[VisitRoomOut]
    events: list[VisitEventOut]
    messages: list[RoomMessageOut]
    files: list[AttachmentAtOut]


class MoveIn(Strict):
    """The visitor's new queue."""

    queue: str = Field(max_length=40, description="Slug of a queue of the desk.")
    reason: str = Reason


class VisitOutcomeIn(Strict):
    """The outcome of a visit."""

    outcome: int | None = Field(ge=1, lt=2**31, description="The outcome's ID. Null: none.")


class HistoryAskedIn(PageIn):
    """The filters of an agent's history."""

    agent: int | None = Field(
        None,
        ge=1,
        lt=10**9,
        description="The agent's user ID. Required with a token; not needed with a session.",
    )
    days: int = Field(30, ge=1, le=90, description="Only rooms of the last days.")
    q: str = Field("", max_length=80, description="Only visits in which this text occurs.")
    outcome: int | None = Field(
        None, ge=0, lt=2**31, description="Only visits with this outcome. 0: without one."
    )
    stars: int | None = Field(None, ge=1, le=5, description="Only ratings up to this one.")


class OwnRoomOut(Schema):
    """A past room of an agent."""

    visit: str
    name: str
    topic: str
    queue: str
    began_at: str
    ended_at: str
    outcome: int | None
    outcome_name: str | None
    rating: int | None


class OwnVisitOut(DeskVisitOut):
    """A past visit as far as the agent could read it."""

    may_choose: bool = Field(description="Whether the agent can still choose the outcome.")
    messages: list[RoomMessageOut]
