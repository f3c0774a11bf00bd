"""What the line's interface answers, typed: the OpenAPI document says it to external ACDs."""

from typing import Annotated, Literal

from ninja import Schema
from pydantic import Field

from queueing.line.api.answers_console import ReadsOut


class Promises(Schema):
    """Of a day's visitors who were told a range (the newest 500): how many were served inside it.

    Who gave up or still waits after its end counts in `of`; who gave up before it does not.
    """

    inside: int
    of: int


class BoardPromises(Promises):
    """The same with those who were served `sooner` than the range begins."""

    sooner: int


class TopicOut(Schema):
    """A topic that visitors choose. `label`: its text in the language of the request."""

    id: int | None
    text: str
    label: str


class QueueOut(Schema):
    """A queue's door. `opens_at`: ISO 8601, null while it is open or nothing tells.

    `zone`: of its hours.
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
    """Where a visit stands. `ahead`: visitors before it in its queue, 0 = next.

    `estimate`: eight of ten such visitors are served between the two, one sooner, one later,
    in seconds; null while the data do not suffice. `seq`: compare it with the moves of the topic
    `line.queue`. `word`: why this agent, the outcome, or why the room was left
    (`transfer`, `returned`).
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
    """The same, with what the visitor keeps; absent where the visit was there already."""

    token: str = Field("", description="Opens this visit and nothing else, for a day.")
    place: str = Field("", description="Brings the place back after a loss: send it with beat.")


class DoneOut(Schema):
    """It is done."""

    answer: Literal["ok", "kept"]


class AttachmentOut(Schema):
    """A file of a message. `kind`: its media type; width and height in pixels, 0 of a PDF."""

    id: str
    name: str
    kind: str
    size: int
    width: int
    height: int


class AttachmentAtOut(AttachmentOut):
    """The same with its address for this reader, who may use it until `until` (Unix seconds)."""

    url: str
    until: int


class AttachmentsOut(Schema):
    attachments: list[AttachmentAtOut]


class RoomMessageOut(Schema):
    """One line of a transcript; `number` counts from 1 without gaps.

    `text` may be empty where there is an `attachment`.
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
    """A call back: whom to call, from which number of the pool."""

    state: str
    callee: str
    number: str


class SlotOut(Schema):
    """A room, an offer, or a wrap-up until a moment (ms since 1970; 0 = none)."""

    kind: Literal["room", "offer", "wrap_up"]
    visit: str
    until_ms: int
    name: str = ""
    topic: str = ""
    contact: str = ""
    place: int = Field(0, description="In line on joining, 1 = next; 0 = not known.")
    language: str = Field("", description="Of the visitor's page, by its code.")
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
    """The agent's day, in the desk's zone."""

    served: int
    mean_seconds: int | None
    stars: float | None
    since: str | None


class AgentOut(Schema):
    """How an agent stands. `pending`: a pause or log-out that waits for the last room's end."""

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


# -- a desk --------------------------------------------------------------------------------------


class RangesOut(Schema):
    """Ranges `told` whose end is known: served inside, sooner, later; gave up past the end."""

    told: int
    inside: int
    sooner: int
    later: int
    gave_up_past: int


class ReportRowOut(Schema):
    """Seconds; shares 0 to 1; null = nothing to tell. docs/line.md says what each counts.

    `missed`: an agent's offers, missed or declined. `outcomes`: of those served, by name.
    """

    name: str
    arrivals: int
    served: int
    abandoned: int
    short: int
    in_time: int | None
    level: float | None
    abandonment: float | None
    wait_p50: float | None
    wait_p90: float | None
    wait_longest: float | None
    room_mean: float | None
    occupancy: float | None
    ratings: int
    stars: float | None
    ranges: RangesOut
    missed: int | None
    outcomes: dict[str, int]


class ReportOut(Schema):
    """Days are whole ones of `zone`."""

    desk: str
    by: Literal["time", "queue", "agent"]
    step: Literal["hour", "day"]
    first: str
    last: str
    zone: str
    rows: list[ReportRowOut]
    total: ReportRowOut


class BoardQueueOut(Schema):
    """A queue's card; its figures are of today, in the desk's zone.

    `level`: served within `within` seconds, of all offered (served and given up). `gave_up`: the
    share of all offered that was not served. `short`: who left within 5 s counts in neither.
    `agents`: those who serve it, by state; `shared`: how many of them serve other queues, too.
    """

    slug: str
    name: str
    open: bool
    opens: str
    waiting: int
    oldest_ms: int
    alarm_seconds: int
    level: float | None
    goal: float
    within: int
    served: int
    promises: BoardPromises | None
    gave_up: float | None
    short: int
    agents: dict[str, int]
    shared: int


class BoardAgentOut(Schema):
    name: str
    state: str
    since: int
    rooms: int
    id: int = 0
    until: int = 0
    word: str = ""
    pending: str = ""


class BoardStepOut(Schema):
    at: str
    served: int
    gave_up: int


class BoardOut(Schema):
    """The wallboard: now, or at a past minute. Times in ms since 1970."""

    status: str
    waiting: int
    served: int
    queues: list[BoardQueueOut]
    agents: list[BoardAgentOut]
    more_agents: int
    states: dict[str, int]
    offline: list[str] = []
    chart: list[BoardStepOut]
    drift: int


class MessageCallOut(CallOut):
    """A call back to who left a message, and the agent who makes it (its user's id).

    `state`: asked (no number yet), running, ending.
    """

    agent: int
    name: str
    began_at: str


class LeftMessageOut(Schema):
    """What a visitor left. `call`: while somebody calls back."""

    id: int
    at: str
    queue: str
    name: str
    contact: str
    text: str
    wants_call: bool
    handled_at: str | None
    handled_by: str
    call: MessageCallOut | None


class LeftMessagesOut(Schema):
    """Newest first, 100 at most; `before` of the next call is the last one's id."""

    messages: list[LeftMessageOut]


class ErasedOut(Schema):
    """How much was erased."""

    visits: int
    messages: int
    left_messages: int
