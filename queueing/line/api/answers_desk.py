"""Responses about a whole desk: reports, the wallboard, left messages."""

from typing import Literal

from ninja import Schema

from queueing.line.api.answers import CallOut, Promises


class BoardPromises(Promises):
    """Also with the visitors who were served `sooner` than the range begins."""

    sooner: int


class RangesOut(Schema):
    """Ranges `told` with a known result: served inside, sooner, later; gave up after the end."""

    told: int
    inside: int
    sooner: int
    later: int
    gave_up_past: int


class ReportRowOut(Schema):
    """Times in seconds, shares 0 to 1, null = no data (docs/reference/line/README.md#reports).

    `missed`: an agent's missed and declined offers. `outcomes`: served visits by outcome.
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


class PauseTimeOut(Schema):
    """The pauses of all agents for one reason. `seconds`: within the days of the report."""

    reason: str
    count: int
    seconds: int


class ReportOut(Schema):
    """A report on whole days in the time zone `zone`. `pauses`: longest first, of all queues."""

    desk: str
    by: Literal["time", "queue", "agent"]
    step: Literal["hour", "day"]
    first: str
    last: str
    zone: str
    rows: list[ReportRowOut]
    total: ReportRowOut
    pauses: list[PauseTimeOut]


class BoardQueueOut(Schema):
    """A queue's card. Its figures are for today, in the desk's time zone.

    `level`: share served within `within` seconds, of all offered (served and gave up). `gave_up`:
    share of all offered that was not served. `short`: visitors who left within 5 s; they count in
    neither. `agents`: the queue's agents by state; `shared`: how many also serve other queues.
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
    """The wallboard now, or at a past minute. Times are in ms since 1970."""

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
    """A callback to the sender of a left message, and the agent who makes it (user ID).

    `state`: asked (no number yet), running, ending.
    """

    agent: int
    name: str
    began_at: str


class LeftMessageOut(Schema):
    """A message that a visitor left. `call`: set while an agent calls back."""

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


class ErasedOut(Schema):
    """The number of erased objects."""

    visits: int
    messages: int
    left_messages: int
