"""Responses of the line's API, typed for the OpenAPI document."""

from typing import Annotated, Literal

from ninja import Schema
from pydantic import Field

from queueing.line.api.answers_console import ReadsOut


class Promises(Schema):
    """Visitors of a day who were given a range (the latest 500), and how many were served in it.

    Visitors who gave up or still wait after its end count in `of`; earlier ones do not.
    """

    inside: int
    of: int


class TopicOut(Schema):
    """A topic that visitors can choose. `label`: its text in the language of the request."""

    id: int | None
    text: str
    label: str


class QueueOut(Schema):
    """A queue as visitors see it. `opens_at`: ISO 8601, null if it is open or has no next opening.

    `zone`: the time zone of its hours.
    """

    slug: str
    name: str
    open: bool
    opens_at: str | None
    zone: str
    closed_text: str
    welcome: str
    topics: list[str]
    topic_choices: list[TopicOut]
    grace_seconds: int
    room_grace_seconds: int
    promises: Promises | None


class VisitOut(Schema):
    """A visit's state. `ahead`: visitors before it in its queue, 0 = next.

    `estimate`: a range in seconds; of ten such visitors, eight are served within it, one sooner and
    one later. Null if there is too little data. `seq`: compare it with the moves of the topic
    `line.queue`. `word`: why this agent, the outcome, or why the room was left (`transfer`,
    `returned`).
    """

    visit: str
    answer: str = Field(description="waiting, away, offered, room, ended or gone")
    seq: int
    ahead: int
    priority: int
    ticket: int
    queue: str
    queue_name: str
    agent: str | None
    word: str
    estimate: Annotated[list[int], Field(min_length=2, max_length=2)] | None


class JoinOut(VisitOut):
    """A visit's state and what the visitor keeps; the latter is absent for an existing visit."""

    token: str = Field("", description="Gives access to this visit only, for a day.")
    place: str = Field("", description="Restores the place after a data loss. Send it with beat.")


class DoneOut(Schema):
    """The request was carried out."""

    answer: Literal["ok", "kept"]


class AttachmentOut(Schema):
    """A file of a message. `kind`: its media type; width and height in pixels, 0 for a PDF."""

    id: str
    name: str
    kind: str
    size: int
    width: int
    height: int


class AttachmentAtOut(AttachmentOut):
    """A file with its URL for this reader, valid until `until` (Unix seconds)."""

    url: str
    until: int


class AttachmentsOut(Schema):
    attachments: list[AttachmentAtOut]


class RoomMessageOut(Schema):
    """A message of a transcript. `number` counts from 1 without gaps.

    `text` can be empty if there is an `attachment`.
    """

    number: int
    author: Literal["visitor", "agent", "system", "note", "supervisor", "whisper"]
    name: str
    id: str
    text: str
    at: str
    attachment: AttachmentOut | None


class MessagesOut(Schema):
    messages: list[RoomMessageOut]
    reads: ReadsOut


class RatingOut(Schema):
    stars: int
    comment: str


# -- agents --------------------------------------------------------------------------------------


class CallOut(Schema):
    """A callback: whom to call, and from which number of the pool."""

    state: str
    callee: str
    number: str


class SlotOut(Schema):
    """A room, an offer or a wrap-up, with its end (ms since 1970; 0 = none)."""

    kind: Literal["room", "offer", "wrap_up"]
    visit: str
    until_ms: int
    name: str = ""
    topic: str = ""
    contact: str = ""
    place: int = Field(0, description="Place in line when joining: 1 = next, 0 = unknown.")
    language: str = Field("", description="Language code of the visitor's page.")
    queue: str = ""
    queue_slug: str = ""
    joined: str = ""
    skills: dict[str, int] = Field(default_factory=dict)
    verified: bool = False
    since_ms: int = 0
    away_ms: int = 0
    why: str = ""
    call: CallOut | None = None


class TodayOut(Schema):
    """The agent's day, in the desk's time zone."""

    served: int
    mean_seconds: int | None
    stars: float | None
    since: str | None


class AgentOut(Schema):
    """An agent's state. `pending`: a pause or logout that waits for the last room to end."""

    agent: int
    name: str
    desk: str
    capacity: int
    state: Literal["online", "paused", "offline"]
    pending: str
    word: str
    offer_token: str
    slots: list[SlotOut]
    visit: str = Field("", description="The visit that the call was about.")


class RoomsOut(AgentOut):
    today: TodayOut
