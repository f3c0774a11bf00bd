"""Requests and responses for managing gates and batches."""

from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import BaseModel, Field, StringConstraints

from poolsite.api.fields import Slug40
from poolsite.api.pages import PageIn
from poolsite.api.reading import LINE, STRICT, Moment
from poolsite.api.setting_models import settings_in, settings_out
from queueing.admission.models import Gate
from queueing.admission.models.gates import CAP_LIMIT
from queueing.admission.schemas import Token
from queueing.admission.services.gates import SETTINGS

Cap = Annotated[int, Field(ge=1, le=CAP_LIMIT, description="The most permits in use at once.")]
Reason = Annotated[str, StringConstraints(max_length=500)]
BatchState = Literal["scheduled", "loading", "open", "paused", "closing", "ended", "cancelled"]
TaskState = Literal["pending", "issued", "done", "failed", "expired"]
WHY = "Why. Kept in the audit log."

if TYPE_CHECKING:
    GateSettingsIn = BaseModel
    GateSettingsOut = BaseModel
else:
    GateSettingsIn = settings_in("GateSettingsIn", Gate, SETTINGS)
    GateSettingsOut = settings_out("GateSettingsOut", Gate, SETTINGS)


# -- gates ---------------------------------------------------------------------------------------


class GateIn(GateSettingsIn):
    """A new gate. Settings that you omit get their defaults."""

    slug: Slug40 = Field(description="Identifies the gate. It can't be changed later.")
    account: Slug40 | None = Field(
        None, description="The account's slug. Omit it for a gate of the platform itself."
    )
    reason: Reason = Field("", description=WHY)


class GateChangeIn(GateSettingsIn):
    """The settings to change. Settings that you omit keep their values."""

    reason: Reason = Field("", description=WHY)


class GateReasonIn(BaseModel):
    """The reason for an action."""

    model_config = STRICT

    reason: Reason = Field("", description=WHY)


class CapIn(BaseModel):
    """The new concurrency limit."""

    model_config = STRICT

    cap: Cap
    reason: Reason = Field("", description=WHY)


class WaitsOut(BaseModel):
    """Seconds from the first request to the permit, in the last 15 minutes. Null without permits.

    Gates without a line do not measure it.
    """

    p50: float | None
    p95: float | None
    p99: float | None


class GateOut(GateSettingsOut):
    """A gate with its settings and current figures."""

    slug: str
    account: str | None = Field(description="The account's slug. Null for the platform.")
    status: str = Field(description="open, paused, recovering; missing while Redis is rebuilt.")
    paused_at: datetime | None
    paused_by: str
    paused_reason: str
    cap_now: int = Field(
        description="The limit that counts now: pinned, or moved by the adaptive limit."
    )
    pinned_cap: int | None = Field(description="The limit at which the gate is pinned.")
    used: int = Field(description="Slots in use: the sum of the weights of the permits.")
    permits: int
    wait_seconds: WaitsOut
    waiting: int
    granted: int
    refused: int
    expired: int
    overrun: int


class GateSampleOut(BaseModel):
    """A gate at the end of a minute, and its counts within that minute."""

    minute: datetime
    cap: int
    used: int
    waiting: int
    granted: int
    refused: int
    expired: int
    overrun: int


class KeyOut(BaseModel):
    """A gate's signing keys, by fingerprint. A new key itself is shown only once."""

    key: str | None = Field(None, description="The new key: 32 bytes, hexadecimal.")
    signs: str = Field(
        description="Fingerprint of the key that signs permits. Empty if permits are not signed."
    )
    next: str = Field(description="Fingerprint of the key that waits for `use`.")


# -- permits -------------------------------------------------------------------------------------


class HoldersIn(PageIn):
    """Filters of the list of permits."""

    cursor: str = Field(
        "", max_length=160, description="`next` of the page before. Omit it for the first page."
    )


class HolderOut(BaseModel):
    """A permit. Times are in µs since 1970."""

    holder: str = Field(description="A name, `@device`, or `#token` for an anonymous permit.")
    token: int
    granted: int
    deadline: int
    task: str | None
    weight: int = Field(description="How many slots the permit counts as.")


class WaiterOut(BaseModel):
    """A requester in the waiting line. Times are in µs since 1970."""

    holder: str
    arrived: int
    asked: int = Field(description="When it asked last.")
    weight: int = Field(description="How many slots it asks for.")


class FreeIn(BaseModel):
    """The permit to end, and the reason."""

    model_config = STRICT

    token: Token
    reason: Reason = Field(description=WHY)


# -- batches -------------------------------------------------------------------------------------


class BatchIn(BaseModel):
    """A batch: its time window, and a CSV text with device and payload."""

    model_config = STRICT

    name: str
    opens_at: Moment
    closes_at: Moment
    csv: str
    skip_bad: bool = False


class BatchesIn(PageIn):
    """Filters of the list of batches."""

    state: BatchState | None = None
    name: str = Field("", max_length=120, pattern=LINE, description="Part of the name.")


class BatchOut(BaseModel):
    """A batch and its progress."""

    id: int
    name: str
    gate: str
    state: str
    opens_at: datetime
    closes_at: datetime
    total: int
    pending: int
    issued: int
    done: int
    failed: int
    expired: int
    late: int


class TasksIn(PageIn):
    """Filters of the list of tasks."""

    state: TaskState | None = None
    device: str = Field("", max_length=63, pattern=LINE, description="The device's ID.")


class TaskOut(BaseModel):
    """A task of a batch."""

    task: str = Field(description="The name that devices report results with.")
    device: str
    payload: str
    state: TaskState
    attempt: int
    token: int | None = Field(description="The fencing token of the latest attempt.")
    issued_at: datetime | None
    deadline_at: datetime | None
    ended_at: datetime | None
    reason: str = Field(description="Why the task failed or expired.")
    result: str = Field(description="The data that the device reported, as JSON.")
    late_results: int
