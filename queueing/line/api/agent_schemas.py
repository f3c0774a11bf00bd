"""Requests and responses of the operations on a desk's agents."""

from typing import Annotated, Literal

from ninja import Schema
from pydantic import Field

from poolsite.api.pages import PageIn
from queueing.line.api.desk_schemas import Reason
from queueing.line.api.queue_schemas import Level, SkillSlug
from queueing.line.schemas import Strict

Skills = Annotated[dict[SkillSlug, Level], Field(max_length=40)]
QueueSlugs = Annotated[list[Annotated[str, Field(max_length=40)]], Field(max_length=200)]


class DeskAgentIn(Strict):
    """A person who becomes an agent of the desk."""

    user: int = Field(
        ge=1, lt=2**31, description="The person's user ID, one of the desk's candidates."
    )
    name: str = Field(min_length=1, max_length=80, description="The name shown to visitors.")
    queues: QueueSlugs = Field(min_length=1, description="Slugs of the queues that they serve.")
    capacity: int = Field(1, ge=1, le=20, description="Most rooms at the same time.")
    skills: Skills = Field(default_factory=dict, description="Skills with levels from 1 to 9.")
    phone: str = Field("", max_length=33, description="The phone for callbacks.")


class DeskAgentChangeIn(Strict):
    """The settings to change. Those that are left out stay as they are."""

    name: str = Field(default_factory=str, min_length=1, max_length=80)
    queues: QueueSlugs = Field(default_factory=list, min_length=1, description="Slugs.")
    capacity: int = Field(default_factory=int, ge=1, le=20)
    skills: Skills = Field(
        default_factory=dict, description="All skills of the agent, with levels from 1 to 9."
    )
    phone: str = Field(default_factory=str, max_length=33)
    reason: str = Reason


class DeskAgentOut(Schema):
    """An agent of a desk."""

    agent: int = Field(description="The user ID.")
    name: str
    capacity: int
    queues: list[str]
    skills: dict[str, int]
    state: Literal["offline", "away", "room", "offer", "paused", "wrap_up", "free"]
    pause: str = Field(description="The reason of the pause. Empty if the agent isn't paused.")
    archived_at: str | None
    phone: str | None = Field(description="Null unless the caller may change the desk's settings.")


class DeskAgentsIn(PageIn):
    """The filters of the list of agents."""

    queue: str = Field("", max_length=40, description="Only agents of this queue (slug).")
    archived: bool = Field(
        False,
        description="Archived agents instead of the current ones. Requires the right to configure.",
    )


class CandidateOut(Schema):
    """A person who can become an agent of the desk."""

    user: int
    name: str
