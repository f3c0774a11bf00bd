"""Requests of the line's API as pydantic models. Unknown fields are refused."""

from typing import Annotated, Literal

from ninja import Schema
from pydantic import Field

from poolsite.api.reading import STRICT

BODY_LIMIT_BYTES = 65_536
Visit = Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{8,32}$")]
ClientId = Annotated[str, Field(min_length=1, max_length=40)]


class Strict(Schema):
    """A body without unknown fields. Each value must have its field's type."""

    model_config = STRICT


class JoinIn(Strict):
    """A visitor who joins. `anyway`: wait even if no agents serve. Only tokens can set a class.

    `topic`: the text or ID of a topic of the queue applies that topic's routing; any other text is
    stored as it is. `identity`: a token signed by the customer's own system.
    """

    name: str = Field("", max_length=80)
    topic: str = Field("", max_length=80)
    contact: str = Field("", max_length=120)
    visitor_key: str = Field(
        "",
        pattern=r"^([A-Za-z0-9_-]{16,64})?$",
        description="The visitor's key: a random text that a page or a machine stores.",
    )
    priority: int = Field(5, ge=1, le=9)
    skills: dict[
        Annotated[str, Field(pattern=r"^[a-z0-9-]{1,20}$")], Annotated[int, Field(ge=1, le=9)]
    ] = Field(default_factory=dict, max_length=4)
    anyway: bool = False
    language: str = Field("", max_length=10, pattern=r"^[A-Za-z0-9-]*$")
    identity: str = Field("", max_length=2_048)


class LanguageIn(Strict):
    """The language code of the page, such as zh-hans."""

    language: str = Field(min_length=1, max_length=10)


class TellIn(Strict):
    """When to send the email, to whom, and the time zone. `off` cancels it."""

    when: Literal["third", "next", "turn", "off"]
    email: str = Field("", max_length=254)
    zone: str = Field("UTC", max_length=64)


class TranscriptMailIn(Strict):
    """The recipient, and the time zone."""

    email: str = Field(max_length=254)
    zone: str = Field("UTC", max_length=64)


class CodeIn(Strict):
    """A code as typed. Spaces, hyphens and lowercase letters don't matter."""

    code: str = Field(min_length=1, max_length=40)


class BeatIn(Strict):
    """`place`: the signed proof from the join. It restores the place after a data loss."""

    place: str = Field("", max_length=600)


class MessageIn(Strict):
    """`id`: chosen by the sender. Repeating it doesn't send a second message."""

    id: ClientId
    text: str = Field(max_length=8_000)


class AttachmentIn(Strict):
    """The form's fields except `file`. `id`: as for a message; `text`: sent with the file."""

    id: ClientId
    text: str = Field("", max_length=8_000)


class ReadIn(Strict):
    """The number of the last message read. A higher number counts as the last message."""

    number: int = Field(ge=1, le=1_000_000)


class RatingIn(Strict):
    """One to five stars."""

    stars: int = Field(ge=1, le=5)
    comment: str = Field("", max_length=1_000)


class LeftIn(Strict):
    """A message for when no agents are available, or a request for a callback."""

    name: str = Field(min_length=1, max_length=80)
    contact: str = Field(min_length=3, max_length=120)
    text: str = Field("", max_length=4_000)
    wants_call: bool = False


class EraseIn(Strict):
    """What to erase: one visit, or everyone with this phone number or email. And why."""

    visit: Visit | None = None
    contact: str = Field("", max_length=120)
    reason: str = Field(min_length=1, max_length=200)


class PauseIn(Strict):
    reason: str = Field(min_length=1, max_length=60)


class SupervisorReasonIn(Strict):
    """The supervisor's reason, recorded in the audit log."""

    reason: str = Field(min_length=1, max_length=200)


class TakeOverIn(SupervisorReasonIn):
    """`agent`: the user ID of the agent who gets the room. Default: the caller."""

    agent: int | None = Field(None, ge=1, lt=2**31)


class LogoutIn(Strict):
    reason: str = Field("", max_length=60)


class TakeIn(Strict):
    """A given visitor, or the next one."""

    visit: Visit | None = None


class OfferIn(Strict):
    """The offer to answer, with its token."""

    visit: Visit
    token: str = Field(min_length=1, max_length=64)


class RoomIn(Strict):
    visit: Visit


class MoreTimeIn(Strict):
    """`until_ms`: the end of the wrap-up as the caller knows it. Repeating it extends only once."""

    until_ms: int = Field(ge=0, lt=10**15)


class OutcomeIn(Strict):
    """`outcome`: ID of a desk's outcome, null = none. `note`: for the next agent, with its `id`."""

    visit: Visit
    outcome: int | None = Field(None, ge=1, lt=2**31)
    note: str = Field("", max_length=8_000)
    id: str = Field("", max_length=40)


class CallBackIn(Strict):
    """The number to call. Default: the contact that the visitor left."""

    visit: Visit
    number: str = Field("", max_length=60)


class TransferIn(Strict):
    """The target: a queue (slug) or an agent (user ID) of the same desk."""

    visit: Visit
    queue: str | None = Field(None, max_length=40)
    agent: int | None = Field(None, ge=1, lt=2**31)


class AgentMessageIn(MessageIn):
    visit: Visit


class AgentAttachmentIn(AttachmentIn):
    visit: Visit


class AgentReadIn(ReadIn):
    visit: Visit
