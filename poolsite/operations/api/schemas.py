"""Requests and responses about incidents, tags and notes."""

from typing import Annotated, Literal

from pydantic import BaseModel, Field, StringConstraints

from poolsite.api.fields import Reason
from poolsite.api.pages import PageIn
from poolsite.api.paths import LARGEST_ID
from poolsite.api.reading import LINE, STRICT, Moment

SeverityName = Literal["critical", "warning"]
Filter = Annotated[str, StringConstraints(max_length=120, pattern=LINE)]
Text = Annotated[str, StringConstraints(min_length=1, max_length=2_000, pattern=r"^[^\x00]*$")]
TagWord = Annotated[str, StringConstraints(min_length=1, max_length=40, pattern=LINE)]


class IncidentsIn(PageIn):
    """Filters of the list of incidents."""

    state: Literal["open", "closed", "all"] = "open"
    type: Filter = Field("", description="Type of the incident, such as `numbers.full`.")
    object: Filter = Field("", description="The beginning of the object's name.")
    severity: SeverityName | None = None
    account: Filter = Field("", description="The account's slug.")


class IncidentOut(BaseModel):
    """An incident. Texts are in your language."""

    id: int
    type: str
    object: str
    severity: SeverityName
    title: str
    detail: str
    remedy: str = Field(description="What to do about it.")
    account: str | None = Field(description="Null: the platform's.")
    open: bool
    since: str
    until: str | None
    assigned_to: str = Field(description="Name of the owner, or empty.")
    assigned_at: str | None
    snoozed_until: str | None = Field(description="Null, if it isn't snoozed now.")
    snoozed_by: str
    snooze_reason: str


class TimelineOut(BaseModel):
    """An entry of an incident's timeline."""

    at: str
    title: str
    text: str


class OwnerOut(BaseModel):
    """A user whom the incident can be assigned to."""

    id: int
    username: str
    name: str


class IncidentDetailOut(IncidentOut):
    """An incident with its timeline."""

    resolvable: bool = Field(description="Whether it ends by hand: with `resolve`.")
    related: list[int] = Field(
        description="IDs of the other open incidents of this type. They change together."
    )
    timeline: list[TimelineOut] = Field(description="Newest first.")
    owners: list[OwnerOut] = Field(
        description="Whom you can assign it to. Empty, if you can't change it."
    )


class AssignIn(BaseModel):
    """The new owner."""

    model_config = STRICT

    user: int = Field(ge=1, le=LARGEST_ID, description="ID of one of the incident's `owners`.")


class SnoozeIn(BaseModel):
    """Until when to hide the incident, and why."""

    model_config = STRICT

    until: Moment = Field(description="Up to 7 days from now.")
    reason: Reason


class IncidentReasonIn(BaseModel):
    """The reason. It is kept in the audit log."""

    model_config = STRICT

    reason: Reason


class NoteIn(BaseModel):
    """A note."""

    model_config = STRICT

    text: Text


class TagsIn(BaseModel):
    """All tags of an object."""

    model_config = STRICT

    tags: list[TagWord] = Field(max_length=100, description="Up to 20. They replace the others.")


class TagsOut(BaseModel):
    """The tags of an object, in order."""

    tags: list[str]


class NoteOut(BaseModel):
    """A note."""

    id: int
    text: str
    author: str
    created_at: str
