"""Requests and answers about the numbers of a pool, and about its calls."""

from typing import Annotated, Literal

from pydantic import BaseModel, Field, StringConstraints

from poolsite.api.fields import Line, Reason, Slug40
from poolsite.api.pages import PageIn
from poolsite.api.reading import LINE, LINES, STRICT, Moment

MANY_LIMIT = 1_000
WHY_AUDIT = "Why, for the audit log."
NumberAsTyped = Annotated[str, StringConstraints(min_length=1, max_length=256)]
Label = Annotated[str, StringConstraints(max_length=120, pattern=LINE)]
Word80 = Annotated[str, StringConstraints(max_length=80, pattern=LINE)]
Notes = Annotated[str, StringConstraints(max_length=5_000, pattern=LINES)]
Tags = Annotated[
    list[Annotated[str, StringConstraints(min_length=1, max_length=40, pattern=LINE)]],
    Field(max_length=20),
]


class NumberOut(BaseModel):
    """A number as stored in SQL, and its current state."""

    number: str = Field(description="The canonical form: E.164, or a short number's digits.")
    stored_as: str = Field(description="The format in which Redis stores it.")
    pool: str
    label: str
    notes: str
    tags: list[str]
    region: str
    carrier: str
    import_id: int | None = Field(description="The import that added the number.")
    duplicate: bool = Field(description="Whether the same number is stored in another format.")
    quarantined_at: str | None
    quarantined_by: str
    quarantined_reason: str
    quarantined_until: str | None = Field(
        description="When a health rule's rest ends. Null for a quarantine without an end."
    )
    state: str
    pickable: bool
    why_not: str = Field(
        description="resting, quarantined, capped, old call, unconfirmed, suspect, …"
    )
    pickable_from: int | None = Field(
        description="When the number can be used again, in µs. Null unless it is resting or capped."
    )
    call_id: str
    agent: str
    callee: str
    switch: str
    direction: str
    since: int | None = Field(description="Start of the current call, in µs.")
    lease_until: int | None
    as_of: int


class NumbersIn(PageIn):
    """The numbers of a pool: filters."""

    q: str = Field("", max_length=40, description="The first digits, with or without + or 00.")
    region: str = Field("", max_length=80)
    carrier: str = Field("", max_length=80)
    tag: str = Field("", max_length=40)
    quarantined: bool | None = Field(None, description="Only quarantined numbers, or the others.")
    import_id: int | None = Field(None, ge=1, lt=2**63, description="Numbers of one import.")


class NewNumber(BaseModel):
    """A number to add."""

    model_config = STRICT

    number: NumberAsTyped = Field(description="In any format.")
    label: Label = ""
    notes: Notes = ""
    region: Word80 = Field("", description="Omit it to use the region of the prefix.")
    tags: Tags = Field(default_factory=list)


class NumbersAddIn(BaseModel):
    """Up to 1,000 numbers to add."""

    model_config = STRICT

    numbers: list[NewNumber] = Field(min_length=1, max_length=MANY_LIMIT)
    reason: Line = Field("", description=WHY_AUDIT)


class AddedOut(BaseModel):
    """The result for one number, with the status and problem type of a single request."""

    number: str = Field(description="The canonical form, or the text if it is not a number.")
    status: Literal[201, 409, 422]
    type: Literal["not-allowed", "malformed"] | None
    detail: str = Field(description="Why the number was not added.")


class NumbersAddedOut(BaseModel):
    """The result of adding numbers. `results` has the order of the request."""

    added: int
    results: list[AddedOut]


class RangeIn(BaseModel):
    """The first and the last number of a range, both included. Up to 1,000,000 numbers."""

    model_config = STRICT

    first: NumberAsTyped
    last: NumberAsTyped
    label: Label = ""
    region: Word80 = ""
    tags: Tags = Field(default_factory=list)
    reason: Line = Field("", description=WHY_AUDIT)


class RangeAddedOut(BaseModel):
    """How many numbers of the range were added, and why the others weren't."""

    added: int
    in_this_pool: int = Field(description="Already in this pool.")
    in_other_pools: int
    in_calls: int = Field(description="A call of the number's previous pool is still in progress.")


class NumberChangeIn(BaseModel):
    """The fields to change. Others stay as they are. `tags` replaces all tags."""

    model_config = STRICT

    label: Label | None = None
    notes: Notes | None = None
    region: Word80 | None = None
    carrier: Word80 | None = None
    tags: Tags | None = None
    reason: Line = Field("", description=WHY_AUDIT)


class NumbersChangeIn(BaseModel):
    """One action for many numbers: those in `numbers`, or all that match `filter`."""

    model_config = STRICT

    action: Literal["quarantine", "release", "move", "hangup", "delete"]
    numbers: list[NumberAsTyped] | None = Field(None, min_length=1, max_length=MANY_LIMIT)
    filter: "NumbersFilterIn | None" = None
    target: Slug40 | None = Field(None, description="`move`: the slug of the pool to move to.")
    reason: Reason = Field(description=WHY_AUDIT)


class NumbersFilterIn(BaseModel):
    """All numbers of the pool that match every given field."""

    model_config = STRICT

    q: Annotated[str, StringConstraints(max_length=40)] = Field(
        "", description="The first digits, with or without + or 00."
    )
    region: Word80 = ""
    tag: Annotated[str, StringConstraints(max_length=40, pattern=LINE)] = ""
    state: Literal["", "idle+up", "idle+down", "busy+up", "busy+down", "quarantined"] = ""
    import_id: int | None = Field(None, ge=1, lt=2**63)


class NumbersChangedOut(BaseModel):
    """The result of an action for many numbers, or the job that carries it out."""

    changed: int
    unchanged: dict[str, str] = Field(description="Numbers that stayed as they are, with why.")
    job: str | None = Field(description="ID of the job. Null if the action is complete.")


class CallsIn(PageIn):
    """The calls of a pool: filters."""

    number: str = Field("", max_length=256)
    agent: str = Field("", max_length=64)
    callee: str = Field("", max_length=64)
    call_id: str = Field("", max_length=128)
    started_from: Moment | None = Field(None, description="The earliest start.")
    started_to: Moment | None = Field(None, description="The first start that is too late.")
    in_progress: bool | None = Field(None, description="Only calls in progress, or ended calls.")


class PoolCallOut(BaseModel):
    """A call through a number of the pool."""

    number: str
    call_id: str
    direction: str
    agent: str
    callee: str
    switch: str
    started_at: str
    ended_at: str | None
    ended_how: str
    answered: bool | None = Field(description="Null if the switch did not report it.")
    talk_seconds: int | None
    cause: str = Field(description="The release cause as the switch reported it.")


class NumberEventsIn(PageIn):
    """The events of a number."""


class NumberEventOut(BaseModel):
    """What happened to a number."""

    at: str
    event: str
    state_before: str
    state_after: str
    call_id: str
    switch: str
    agent: str
    callee: str
    direction: str
    reason: str
