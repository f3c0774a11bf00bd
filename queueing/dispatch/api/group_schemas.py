"""A group's settings in requests: a field for each of the services' SETTINGS."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, StringConstraints

from poolsite.api.fields import Line, Slug40
from poolsite.api.reading import LINE, LINES, STRICT
from queueing.dispatch.services.groups import SETTINGS

Name = Annotated[str, StringConstraints(max_length=120, pattern=LINE)]
Seconds = Annotated[int, Field(ge=1, le=86_400)]


class SettingsIn(BaseModel):
    """Settings of a group. Settings that you omit or set to null are not changed."""

    model_config = STRICT

    name: Name | None = Field(None, description="Shown in lists and alerts.")
    description: Annotated[str, StringConstraints(max_length=2_000, pattern=LINES)] | None = None
    heartbeat_seconds: Annotated[int, Field(ge=1, le=300)] | None = Field(
        None, description="How often both sides send a heartbeat."
    )
    missed_limit: Annotated[int, Field(ge=1, le=20)] | None = Field(
        None, description="The link is pending after this many missed heartbeats."
    )
    disconnect_seconds: Seconds | None = Field(
        None, description="A pending peer that doesn't reconnect in this time counts as stopped."
    )
    sharing: Literal["least", "turn", "key"] | None = Field(
        None, description="How new sessions are spread over the instances."
    )
    route_limit_seconds: Annotated[int, Field(ge=1, le=31_536_000)] | None = Field(
        None, description="Older routes are cleared."
    )
    timed_route_seconds: Annotated[int, Field(ge=1, le=2_592_000)] | None = Field(
        None, description="How long SMP and HTTP sessions last that don't set their own time."
    )
    out_limit: Annotated[int, Field(ge=1, le=10_000)] | None = Field(
        None, description="Unacknowledged frames kept for a peer."
    )
    ends_limit: Annotated[int, Field(ge=1, le=20_000)] | None = Field(
        None, description="Session ends kept for a pending peer."
    )
    log_limit: Annotated[int, Field(ge=1_000, le=2**31 - 1)] | None = Field(
        None, description="How many history entries Redis keeps while SQL can't accept them."
    )

    start_retries: Annotated[int, Field(ge=0, le=9)] | None = Field(
        None, description="How many more instances a session is offered to. 0: none."
    )
    answer_seconds: Annotated[int, Field(ge=1, le=3_600)] | None = Field(
        None, description="A session without an answer from its instance in this time failed."
    )
    failure_threshold_percent: Annotated[int, Field(ge=0, le=100)] | None = Field(
        None, description="The share of failed sessions that ejects an instance. 0: never."
    )
    failure_minimum_sessions: Annotated[int, Field(ge=1, le=10_000)] | None = Field(
        None, description="With fewer sessions in the window, an instance isn't ejected."
    )
    failure_window_seconds: Annotated[int, Field(ge=1, le=3_600)] | None = Field(
        None, description="Sessions and failures are counted over this time."
    )
    ejection_seconds: Seconds | None = Field(
        None, description="The length of an ejection, times the number of ejections, up to 10."
    )
    max_ejection_percent: Annotated[int, Field(ge=1, le=100)] | None = Field(
        None, description="The highest share of instances that are ejected at the same time."
    )
    slow_start_seconds: Annotated[int, Field(ge=0, le=3_600)] | None = Field(
        None, description="The time over which the share of a new instance grows. 0: off."
    )

    @property
    def given(self) -> dict[str, Any]:
        """The settings that the request sets."""
        values = {name: getattr(self, name) for name in SETTINGS}
        return {name: value for name, value in values.items() if value is not None}


class GroupIn(SettingsIn):
    """A new group. Settings that you omit get their defaults."""

    slug: Slug40 = Field(description="Identifies the group. It can't be changed later.")
    reason: Line = Field("", description="Why, for the audit log.")


class GroupChangeIn(SettingsIn):
    """The settings to change. Settings that you omit keep their values."""

    reason: Line = Field("", description="Why, for the audit log.")
