"""Requests and responses of the webhooks' API."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, StringConstraints

from poolsite.api.fields import Slug40
from poolsite.api.pages import PageIn
from poolsite.api.reading import LINE, STRICT

EventName = Annotated[str, StringConstraints(pattern=r"^(\*|[a-z_]+\.[a-z_]+)$", max_length=40)]
Url = Annotated[str, StringConstraints(min_length=1, max_length=500, pattern=r"^[!-~]+$")]
Name = Annotated[str, StringConstraints(min_length=1, max_length=80, pattern=LINE)]
Events = Annotated[list[EventName], Field(min_length=1, max_length=100)]
EVENTS = "Event types, see `GET webhook-events`. `*`: all, including types that are added later."


DeliveryState = Literal["pending", "delivered", "failed"]


class EndpointsIn(PageIn):
    """Filters of the list of endpoints."""

    state: Literal["", "active", "paused", "disabled"] = ""


class DeliveriesIn(PageIn):
    """Filters of the list of deliveries."""

    state: Literal["", DeliveryState] = ""
    type: str = Field("", max_length=40, description="An event type.")


class EndpointIn(BaseModel):
    """A new webhook endpoint."""

    model_config = STRICT

    name: Name
    url: Url = Field(description="Events are sent to it as POST requests. Use https.")
    events: Events = Field(description=EVENTS)
    account: Slug40 | None = Field(
        None, description="Omit it for an endpoint of the platform, which gets all events."
    )


class EndpointChangeIn(BaseModel):
    """Changes to a webhook endpoint. Omitted fields keep their value."""

    model_config = STRICT

    name: Name | None = None
    url: Url | None = None
    events: Events | None = Field(None, description=EVENTS)
    reason: str = Field("", max_length=200, description="Kept in the audit log.")


class WebhookReasonIn(BaseModel):
    """The reason. It is kept in the audit log."""

    model_config = STRICT

    reason: str = Field("", max_length=200, description="Kept in the audit log.")


class EndpointOut(BaseModel):
    """A webhook endpoint, without its signing secret."""

    id: str
    name: str
    url: str
    events: list[str]
    account: str | None = Field(description="Null: the platform's.")
    state: Literal["active", "paused", "disabled"] = Field(
        description="`paused`: it accepted nothing for 24 hours."
    )
    failing_since: str | None = Field(description="Since when no request was accepted.")
    created_at: str


class EndpointMadeOut(EndpointOut):
    """A webhook endpoint with its signing secret. No other response has the secret."""

    secret: str


class DeliveryOut(BaseModel):
    """The delivery of an event to an endpoint."""

    id: int
    event: str = Field(description="The event's ID. It stays the same in every attempt.")
    type: str
    created_at: str
    state: DeliveryState
    attempts: int
    status: int | None = Field(description="The HTTP status of the last answer.")
    error: str
    sent_at: str | None = Field(description="When the last attempt was made.")
    next_at: str | None = Field(description="When the next attempt is due.")


class AttemptOut(BaseModel):
    """A request that was sent."""

    at: str
    status: int | None
    error: str
    answer: str = Field(description="The beginning of the answer's body.")
    duration_ms: int


class DeliveryDetailOut(DeliveryOut):
    """A delivery with the body that is sent, and the attempts, newest first."""

    body: dict[str, Any]
    log: list[AttemptOut]


class ResentOut(BaseModel):
    """How many deliveries are sent again."""

    resent: int


class EventTypeOut(BaseModel):
    """A type of event that webhooks send."""

    type: str
    label: str
    description: str
    data: dict[str, Any] = Field(description="An example of the event's `data`.")
