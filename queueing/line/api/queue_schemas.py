"""Requests and responses of the operations on queues, their topics and their closures."""

from datetime import date
from typing import Annotated, Literal

from ninja import Schema
from pydantic import Field
from pydantic import Strict as StrictType

from poolsite.api.pages import PageIn
from queueing.line.api.desk_schemas import Reason, Slug
from queueing.line.schemas import Strict

Clock = Annotated[str, Field(pattern=r"^([01]\d|2[0-3]):[0-5]\d$|^24:00$")]
Hours = Annotated[list[Clock], Field(min_length=2, max_length=2)]
Spans = Annotated[list[Hours], Field(max_length=8)]
Weekday = Literal["0", "1", "2", "3", "4", "5", "6"]
Level = Annotated[int, Field(ge=1, le=9)]
SkillSlug = Annotated[str, Field(pattern=r"^[a-z0-9-]{1,20}$")]
Seconds = Annotated[int, Field(ge=0, lt=2**31)]
Day = Annotated[date, StrictType(False)]


class QueueSettings(Strict):
    """The settings of a queue."""

    name: str = Field(default_factory=str, min_length=1, max_length=120)
    is_open: bool = Field(
        default_factory=bool, description="Whether visitors can join during the queue's hours."
    )
    welcome: str = Field(default_factory=str, description="Shown above the place in line.")
    closed_text: str = Field(default_factory=str, description="Shown outside the queue's hours.")
    hours: dict[Weekday, Spans] = Field(
        default_factory=dict,
        description=(
            'Hours by weekday, 0 is Monday: {"0": [["09:00", "18:00"]]}. A time range that ends '
            "before it starts runs past midnight. Empty: always open."
        ),
    )
    zone: str = Field(
        default_factory=str,
        max_length=64,
        description="Time zone of the hours. Empty: the desk's time zone.",
    )
    overflow: str | None = Field(
        None,
        max_length=40,
        description="Slug of the queue for visitors whom this queue can't take or serve.",
    )
    position: int = Field(
        default_factory=int, ge=0, le=32_767, description="Lower numbers come first in lists."
    )
    mode: Literal["auto", "offer", "manual"] = Field(
        default_factory=lambda: "auto",
        description="How agents get visitors: automatically, by an offer, or by taking them.",
    )
    offer_seconds: Seconds = Field(
        default_factory=int, ge=1, description="An offer ends after this time."
    )
    decline_seconds: Seconds = Field(
        default_factory=int, le=3_600, description="Time before the same agent is asked again."
    )
    misses_limit: int = Field(
        default_factory=int,
        ge=0,
        le=32_767,
        description="Missed offers before the agent is paused. 0: never.",
    )
    wrap_up_seconds: Seconds = Field(
        default_factory=int, le=3_600, description="Time before the agent's next visitor."
    )
    max_wait_seconds: Seconds = Field(
        default_factory=int, description="A visit ends after this wait. 0: no limit."
    )
    max_length: int = Field(
        default_factory=int, ge=1, lt=2**31, description="Most waiting visitors."
    )
    grace_seconds: Seconds = Field(
        default_factory=int,
        le=3_600,
        description="How long the place of a disconnected visitor is held.",
    )
    room_grace_seconds: Seconds = Field(
        default_factory=int,
        le=3_600,
        description="How long the room of a disconnected visitor is held.",
    )
    agent_grace_seconds: Seconds = Field(
        default_factory=int,
        le=3_600,
        description="How long the rooms of a disconnected agent are held.",
    )
    ttl_seconds: int = Field(
        default_factory=int,
        ge=10,
        le=600,
        description="Visitors and agents count as away after this time without a heartbeat.",
    )
    skills_relax_seconds: Seconds = Field(
        default_factory=int,
        description="The required skill level is lowered after each such wait. 0: never.",
    )
    no_agent: Literal["wait", "overflow", "form", "end"] = Field(
        default_factory=lambda: "wait", description="What visitors get when no agent is online."
    )
    no_agent_seconds: Seconds = Field(
        default_factory=int, description="How long a visitor waits before that."
    )
    answer_within_seconds: Seconds = Field(
        default_factory=int, description="The target time that the service level counts."
    )
    service_level_alarm_percent: Annotated[float, StrictType(False)] = Field(
        default_factory=float,
        description="Alert when the service level is below this percentage.",
    )
    longest_wait_alarm_seconds: Seconds = Field(
        default_factory=int, description="Alert when someone has waited this long."
    )


class DeskQueueIn(QueueSettings):
    """A new queue. Settings that are left out have their defaults."""

    slug: str = Slug
    name: str = Field(min_length=1, max_length=120)


class DeskQueueChangeIn(QueueSettings):
    """The settings to change. Those that are left out stay as they are."""

    reason: str = Reason


class DeskQueueOut(Schema):
    """A queue of a desk. `open`: whether visitors can join now."""

    slug: str
    name: str
    open: bool
    settings: QueueSettings | None = Field(
        description="Null unless the caller may change the desk's settings."
    )


class TopicSettings(Strict):
    """A topic that visitors choose, and where it leads."""

    text: str = Field(min_length=1, max_length=80)
    texts: dict[str, Annotated[str, Field(min_length=1, max_length=80)]] = Field(
        default_factory=dict, max_length=20, description="The text in other languages, by code."
    )
    queue: str | None = Field(
        None, max_length=40, description="Slug of the queue that it leads to. Null: this queue."
    )
    skills: dict[SkillSlug, Level] = Field(
        default_factory=dict, max_length=4, description="Skills that the agent needs, with levels."
    )
    priority: Level = Field(5, description="The visitor's class. 1 is served first.")


class TopicsIn(Strict):
    """All topics of the queue, in their order. Topics that are left out are archived."""

    topics: list[TopicSettings] = Field(max_length=20)
    reason: str = Reason


class TopicsOut(Schema):
    """The topics of a queue, in their order."""

    topics: list[TopicSettings]


class ClosureIn(Strict):
    """The hours of a day, instead of the weekday's."""

    hours: Spans = Field(default_factory=list, description="Empty: closed all day.")
    text: str = Field("", max_length=200, description="Shown to visitors.")
    yearly: bool = Field(False, description="Whether the day is repeated every year.")


class ClosureDay(Strict):
    """A day with its hours."""

    day: Day
    hours: Spans = Field(default_factory=list, description="Empty: closed all day.")
    text: str = Field("", max_length=200, description="Shown to visitors.")


class ClosuresIn(Strict):
    """Days to set at several queues. Either all of them are set, or none."""

    queues: list[Annotated[str, Field(max_length=40)]] = Field(
        default_factory=list, max_length=200, description="Slugs. Empty: all queues of the desk."
    )
    days: list[ClosureDay] = Field(min_length=1, max_length=200)
    yearly: bool = Field(False, description="Whether the days are repeated every year.")


class ClosureOut(Schema):
    """A day on which a queue is closed or has other hours."""

    queue: str
    day: date
    hours: list[list[str]]
    text: str
    yearly: bool


class ClosuresOut(Schema):
    """How many days were set. A day counts once, even if it was set at several queues."""

    days: int


class ClosuresAskedIn(PageIn):
    """The filters of the list of days."""

    queue: str = Field("", max_length=40, description="Only days of this queue (slug).")
    day_from: date | None = Field(None, description="Only this day and later ones.")
