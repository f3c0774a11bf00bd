"""Responses about why no one serves a visit, and about a desk's floor."""

from typing import Literal

from ninja import Schema

Code = Literal[
    "free",
    "declined",
    "offered",
    "wrap_up",
    "at_capacity",
    "skill",
    "leaving",
    "paused",
    "away",
    "queue",
    "offline",
]


class WhyRow(Schema):
    """An agent. `reason`: a code; `params`: the values in `words` (durations in seconds)."""

    agent: int
    name: str
    reason: Code
    params: dict[str, str | int | bool]
    words: str


class WhyOut(Schema):
    """Why a visit isn't being served now, agent by agent. Up to 200 agents."""

    visit: str
    state: str
    mode: str
    agents: list[WhyRow]


class WhyVisitorOut(Schema):
    """Agents of a visitor's queue, counted by state. `needs`: names of the required skills."""

    agents: int
    free: int
    talking: int
    wrap_up: int
    paused: int
    needs: list[str]


class WhyLineRow(Schema):
    """Why a visitor in line isn't being served, in one sentence."""

    visit: str
    code: str
    words: str


class WhyLineOut(Schema):
    """The first 50 visitors in a queue."""

    queue: str
    visits: list[WhyLineRow]


class FloorSlotOut(Schema):
    """A room, an offer or a wrap-up, with its end (ms since 1970; 0 = none)."""

    kind: Literal["room", "offer", "wrap_up"]
    visit: str
    name: str
    since: int
    until: int


class FloorSkillOut(Schema):
    name: str
    level: int


class FloorAgentOut(Schema):
    """An agent on the floor. Times are in ms since 1970."""

    id: int
    name: str
    state: Literal["away", "room", "offer", "paused", "wrap_up", "free"]
    since: int
    login: int
    heard: int
    reason: str
    limit_seconds: int
    pending: str
    capacity: int
    slots: list[FloorSlotOut]
    skills: list[FloorSkillOut]
    queues: list[str]
    served: int
    mean_seconds: int | None
    missed: int


class FloorQueueOut(Schema):
    slug: str
    name: str
    open: bool
    waiting: int
    oldest: int
    alarm_seconds: int
    level: float | None
    goal: float
    within: int
    online: int
    staff: int


class FloorOut(Schema):
    """A desk's floor now: agents who need attention come first, queues worst first."""

    at: int
    status: str
    queues: list[FloorQueueOut]
    agents: list[FloorAgentOut]
    offline: list[str]
    served: int
    mean_seconds: int | None
    missed: int


class GuestOut(Schema):
    """Whether the caller has joined the room, and who else has."""

    visit: str
    joined: bool
    guests: list[str]
