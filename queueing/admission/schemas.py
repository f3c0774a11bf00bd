"""Requests and answers of the gates' public interfaces, one definition for both lanes."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

BODY_LIMIT_BYTES = 400_000
RESULTS_LIMIT = 32
DATA_LIMIT_BYTES = 8_192

_STRICT = ConfigDict(extra="forbid", strict=True, hide_input_in_errors=True)

Holder = Annotated[
    str, StringConstraints(min_length=1, max_length=64, pattern=r"^[A-Za-z0-9][A-Za-z0-9._:-]*$")
]
TaskName = Annotated[
    str, StringConstraints(max_length=56, pattern=r"^[a-z0-9-]{1,40}\.[0-9]{1,15}$")
]
Token = Annotated[int, Field(ge=10**15, lt=2**53, description="The fencing token.")]
TookMs = Annotated[int, Field(ge=0, le=86_400_000)]
Count = Annotated[int, Field(ge=0, le=100_000_000)]


class TaskResult(BaseModel):
    """What became of a task. Only the newest attempt's token decides it, once."""

    model_config = _STRICT

    task: TaskName
    token: Token
    ok: bool
    took_ms: TookMs | None = Field(None, description="How long the external system took.")
    data: Any = Field(None, description=f"At most {DATA_LIMIT_BYTES} bytes as JSON.")


class DeviceReport(BaseModel):
    """A device's periodic report."""

    model_config = _STRICT

    results: list[TaskResult] = Field(default_factory=list, max_length=RESULTS_LIMIT)
    renew: Token | None = Field(None, description="Goes on with the task of this token.")


class TakenResult(BaseModel):
    """What was made of one result."""

    task: str
    outcome: Literal["accepted", "repeat", "late", "unknown-task", "unknown-token"]


class ReportAnswer(BaseModel):
    """A task to carry out, a place in the line, or nothing."""

    task: str | None
    payload: str | None = None
    token: int | None = Field(description="To be shown to the external system.")
    deadline: int | None = Field(description="µs since 1970: stop by then. Less the margin.")
    attempt: int | None = None
    remaining_ms: int | None = Field(None, description="Until the deadline, by the gate's clock.")
    permit: str | None = Field(None, description="Signed, when the gate has a signing key.")
    retry_after: int = Field(description="Seconds until the next report is of use.")
    place: int | None = Field(None, description="In the line, from 1.")
    estimate_seconds: int | None = None
    reason: str = Field(
        "",
        description="Without a task: full, turn, rate, paused, recovering, "
        "loading (a window is open, not all its tasks are loaded yet: ask again).",
    )
    results: list[TakenResult] = Field(default_factory=list)


class AcquireIn(BaseModel):
    """Asks for a permit; the same holder gets the same permit until it ends."""

    model_config = _STRICT

    holder: Holder


class ReleaseIn(BaseModel):
    """Gives a permit back."""

    model_config = _STRICT

    holder: Holder
    token: Token
    ok: bool | None = None
    took_ms: TookMs | None = None


class RenewIn(BaseModel):
    """Goes on with a permit."""

    model_config = _STRICT

    holder: Holder
    token: Token


class ObserveIn(BaseModel):
    """The external system's own count of clients at once, and what it served since it told last."""

    model_config = _STRICT

    count: Count
    good: Count | None = None
    bad: Count | None = None
    took_ms: TookMs | None = None


class PermitAnswer(BaseModel):
    """A permit, or a place in the line."""

    granted: bool
    token: int | None = None
    deadline: int | None = Field(None, description="µs since 1970: the slot is free then.")
    remaining_ms: int | None = Field(None, description="Until the deadline, by the gate's clock.")
    permit: str | None = Field(None, description="Signed, when the gate has a signing key.")
    reason: str = ""
    place: int | None = None
    estimate_seconds: int | None = None
    retry_after: int | None = None


class ReleaseAnswer(BaseModel):
    """Whether the permit ended by this; else why not."""

    released: bool
    reason: str = ""


class CountAnswer(BaseModel):
    """The seed's pair: whether it was granted or freed, and how many are in use."""

    done: Literal[0, 1]
    count: int


class ObserveAnswer(BaseModel):
    """What the gate thinks itself."""

    cap: int
    used: int
    over: bool


class GateOut(BaseModel):
    """A gate and its figures now."""

    slug: str
    name: str
    key: str
    status: str = Field(description="open, paused, recovering; missing while Redis is rebuilt.")
    cap: int
    used: int
    waiting: int
    permit_seconds: int
    margin_seconds: int
    period_seconds: int
    granted: int
    refused: int
    expired: int
    overrun: int


class HolderOut(BaseModel):
    """One permit. Times are µs since 1970."""

    holder: str
    token: int
    granted: int
    deadline: int
    task: str | None


class KeyOut(BaseModel):
    """A gate's signing keys by their fingerprints; a new key itself is told this one time."""

    key: str | None = Field(None, description="The new key: 32 bytes, hexadecimal.")
    signs: str = Field(description="Fingerprint of the key that signs permits; empty: none does.")
    next: str = Field(description="Fingerprint of the one that waits for `use`.")


class BatchOut(BaseModel):
    """A batch and how far it is."""

    id: int
    name: str
    gate: str
    state: str
    opens_at: Any
    closes_at: Any
    total: int
    pending: int
    issued: int
    done: int
    failed: int
    expired: int
    late: int
