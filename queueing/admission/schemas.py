"""Requests and responses of devices and holders, with one definition for both lanes."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, StringConstraints

from poolsite.api.reading import STRICT
from poolsite.api.waiting import WAIT_LIMIT_MS
from queueing.admission.gate import CAP_LIMIT

BODY_LIMIT_BYTES = 400_000
RESULTS_LIMIT = 32
DATA_LIMIT_BYTES = 8_192

Holder = Annotated[
    str, StringConstraints(min_length=1, max_length=64, pattern=r"^[A-Za-z0-9][A-Za-z0-9._:-]*$")
]
Slug = Annotated[str, StringConstraints(pattern=r"^[a-z0-9-]{1,40}$")]
Weight = Annotated[int, Field(ge=1, le=CAP_LIMIT)]
TaskName = Annotated[
    str, StringConstraints(max_length=56, pattern=r"^[a-z0-9-]{1,40}\.[0-9]{1,15}$")
]
Token = Annotated[int, Field(ge=10**15, lt=2**53, description="The fencing token.")]
TookMs = Annotated[int, Field(ge=0, le=86_400_000)]
Count = Annotated[int, Field(ge=0, le=100_000_000)]


class TaskResult(BaseModel):
    """The result of a task. Only the token of the latest attempt counts, and only once."""

    model_config = STRICT

    task: TaskName
    token: Token
    ok: bool
    took_ms: TookMs | None = Field(None, description="How long the external system took.")
    data: Any = Field(None, description=f"Up to {DATA_LIMIT_BYTES} bytes as JSON.")


class DeviceReport(BaseModel):
    """A device's periodic report."""

    model_config = STRICT

    results: list[TaskResult] = Field(default_factory=list, max_length=RESULTS_LIMIT)
    renew: Token | None = Field(None, description="Renews the task with this token.")


class TakenResult(BaseModel):
    """What happened to one result."""

    task: str
    outcome: Literal["accepted", "repeat", "late", "unknown-task", "unknown-token"]


class ReportAnswer(BaseModel):
    """A task to carry out, a place in line, or nothing."""

    task: str | None
    payload: str | None = None
    token: int | None = Field(description="Fencing token to present to the external system.")
    deadline: int | None = Field(description="Stop by this time, less the margin. µs since 1970.")
    attempt: int | None = None
    remaining_ms: int | None = Field(
        None, description="Time until the deadline, by the gate's clock."
    )
    permit: str | None = Field(
        None, description="The signed permit, if the gate has a signing key."
    )
    retry_after: int = Field(description="Seconds to wait before the next report.")
    place: int | None = Field(None, description="Place in line, starting at 1.")
    estimate_seconds: int | None = None
    reason: str = Field(
        "",
        description="Why there is no task: full, turn, rate, paused, recovering, not open, closed, "
        "loading (a window is open but its tasks are still loading: ask again).",
    )
    results: list[TakenResult] = Field(default_factory=list)


class AcquireIn(BaseModel):
    """Requests a permit. A holder gets the same permit until it ends."""

    model_config = STRICT

    holder: Holder
    weight: Weight = Field(1, description="How many slots the permit counts as.")
    wait_ms: int = Field(
        0, ge=0, le=WAIT_LIMIT_MS, description="How long to wait for a permit before the answer."
    )
    keep_place: bool = Field(
        False,
        description="With `wait_ms`: keep the place in line if there is no permit in time, because "
        "the holder asks again at once.",
    )
    gates: list[Slug] | None = Field(
        None,
        min_length=1,
        max_length=32,
        description="Only the gate of the path. Several gates are refused with `several-gates`.",
    )


class ReleaseIn(BaseModel):
    """Releases a permit."""

    model_config = STRICT

    holder: Holder
    token: Token
    ok: bool | None = None
    took_ms: TookMs | None = None


class RenewIn(BaseModel):
    """Renews a permit."""

    model_config = STRICT

    holder: Holder
    token: Token
    weight: Weight | None = Field(
        None, description="The permit's weight, which counts if Redis lost the permit. Default: 1."
    )


class ObserveIn(BaseModel):
    """The external system's count of current clients, and what it served since the last report."""

    model_config = STRICT

    count: Count
    good: Count | None = None
    bad: Count | None = None
    took_ms: TookMs | None = None


class PermitAnswer(BaseModel):
    """A permit, or a place in line."""

    granted: bool
    token: int | None = None
    deadline: int | None = Field(None, description="When the slot is freed, in µs since 1970.")
    remaining_ms: int | None = Field(
        None, description="Time until the deadline, by the gate's clock."
    )
    permit: str | None = Field(
        None, description="The signed permit, if the gate has a signing key."
    )
    waited_ms: int | None = Field(
        None,
        description="With `wait_ms`: how long the request waited. A caller counts `remaining_ms` "
        "from the moment it sent the request, plus this.",
    )
    reason: str = ""
    place: int | None = None
    estimate_seconds: int | None = None
    retry_after: int | None = None


class ReleaseAnswer(BaseModel):
    """Whether this ended the permit; if not, why."""

    released: bool
    reason: str = ""


class CountAnswer(BaseModel):
    """Whether a permit was granted or released, and how many are in use."""

    done: Literal[0, 1]
    count: int


class ObserveAnswer(BaseModel):
    """The gate's own count."""

    cap: int
    used: int
    over: bool
