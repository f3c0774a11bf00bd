"""Requests and responses of the groups' API. `frames.py` has the sockets' frames."""

from typing import Annotated, Literal

from pydantic import BaseModel, Field, StringConstraints

from poolsite.api.reading import STRICT, Moment

Word = Annotated[
    str, StringConstraints(min_length=1, max_length=40, pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")
]
Reason = Annotated[str, StringConstraints(max_length=200)]


class GroupOut(BaseModel):
    """A group's settings and its current figures."""

    slug: str
    status: str = Field(description="open, recovering; missing while Redis is rebuilt.")
    name: str
    description: str
    heartbeat_seconds: int
    missed_limit: int
    disconnect_seconds: int
    sharing: str
    route_limit_seconds: int
    timed_route_seconds: int
    out_limit: int
    ends_limit: int
    log_limit: int
    start_retries: int
    answer_seconds: int
    failure_threshold_percent: int
    failure_minimum_sessions: int
    failure_window_seconds: int
    ejection_seconds: int
    max_ejection_percent: int
    slow_start_seconds: int
    sessions: int
    active: int = Field(description="Active links of front-ends and instances.")
    pending: int
    names: int
    clearing: int
    started: int
    ended: int
    refused: int
    messages: int
    delivered: int
    cleared: int
    expired: int
    restored: int
    freed: int
    retried: int = Field(description="Sessions that were offered to another instance.")
    ejections: int
    ejected: int = Field(description="Instances that are ejected now.")


class ManualIn(BaseModel):
    """The manual state to set for an instance."""

    model_config = STRICT

    state: Literal["open", "drain", "blocked"]
    reason: Reason = ""
    until: Moment | None = Field(
        None, description="The instance opens automatically at this time. Include a time zone."
    )


class BackupIn(BaseModel):
    """Whether an instance is a backup."""

    model_config = STRICT

    backup: bool
    reason: Reason = ""


class PeerOut(BaseModel):
    """A peer. Times are µs since 1970."""

    kind: Literal["front", "back"]
    id: str
    name: str
    state: Literal["active", "pending", "stop"]
    version: str
    capacity: int
    weight: int
    sessions: int
    since_us: int | None
    heard_us: int | None
    pending_until_us: int | None
    unacked: int
    buffered_ends: int
    messages: int = Field(description="Frames sent and received since it registered.")
    incarnation: str


class InstanceOut(PeerOut):
    """An instance and the manual state of its name."""

    manual: Literal["open", "drain", "blocked"]
    manual_by: str
    manual_reason: str
    manual_since_us: int | None
    manual_until_us: int | None
    upgrading: bool
    backup: bool = Field(description="Gets new sessions only while no primary can take them.")
    ejected_until_us: int | None = Field(description="null: not ejected.")
    ejections: int = Field(description="How many ejections count for the length of the next one.")
    judged: int = Field(description="Sessions counted in the failure window.")
    failed: int = Field(description="Failed sessions among them.")
    share_percent: int = Field(description="Less than 100 during a slow start.")


class FrontEndOut(PeerOut):
    """A front-end and its own session count."""

    profile: str
    told_started: int | None
    told_lost: int | None


class CountIn(BaseModel):
    """A front-end's own session count since it started counting."""

    model_config = STRICT

    started: Annotated[int, Field(ge=0, lt=2**53)]
    lost: Annotated[int, Field(ge=0, lt=2**53)]


class SessionOut(BaseModel):
    """An explanation of a session's route."""

    session: str
    front: str
    back: str
    instance: str
    why: str
    live: bool
    ending: bool
    provisional: str
    started_us: int
    deadline_us: int | None
    left_seconds: int | None
    messages_from_front: int
    messages_from_back: int
    front_state: str
    back_state: str
    back_manual: str
    back_ejected_until_us: int | None
    back_is_backup: bool
    offered: list[str] = Field(
        description="IDs of instances that were offered the session and did not accept it."
    )
    if_blocked: str


class UpgradeIn(BaseModel):
    """A rolling upgrade."""

    model_config = STRICT

    target_version: Word
    max_drain_seconds: Annotated[int, Field(ge=1, le=86_400)] = 600
    at_limit: Literal["wait", "force"] = "wait"
    reason: Reason = ""


class StepOut(BaseModel):
    """An instance's step in an upgrade."""

    name: str
    status: str
    version_before: str
    sessions_at_start: int
    sessions: int
    sessions_ended: int
    counted_at: str = Field(description="When the sessions were last counted.")
    count_is_late: bool = Field(
        description="True if the count is outdated, so there is no estimate."
    )
    oldest_seconds: int | None
    estimate_seconds: int | None
    drain_began_at: str
    safe_at: str
    beats: int
    ended_at: str
    manual_state: str


class UpgradeOut(BaseModel):
    """An upgrade and its progress."""

    id: int
    group: str
    target_version: str
    status: Literal["running", "done", "aborted"]
    waits_for: str
    max_drain_seconds: int
    at_limit: str
    created_by: str
    created_at: str
    ended_at: str
    ended_by: str
    ended_reason: str
    done: int
    total: int
    steps: list[StepOut]


class EventOut(BaseModel):
    """An entry of the event log."""

    at_us: int
    event: str
    peer: str
    name: str
    other: str
    count: int | None
    reason: str


class ReasonIn(BaseModel):
    """The reason for the change."""

    model_config = STRICT

    reason: Annotated[str, StringConstraints(min_length=1, max_length=200)]


class EndedOut(BaseModel):
    """The number of sessions that were ended."""

    ended: int
