"""What the line's interface takes, as pydantic reads it; whatever else stands there is refused."""

from typing import Annotated, Literal

from ninja import Schema
from pydantic import ConfigDict, Field

BODY_LIMIT_BYTES = 65_536
Visit = Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{8,32}$")]
ClientId = Annotated[str, Field(min_length=1, max_length=40)]


class Strict(Schema):
    """A body without unknown fields."""

    model_config = ConfigDict(extra="forbid")


class JoinIn(Strict):
    """A visitor who comes. `anyway`: wait though nobody serves. Only tokens choose a class.

    `topic`: the text or id of one that the queue offers leads where the topic leads; any other text
    is kept as it is. `identity`: a token that the customer's own system has signed.
    """

    name: str = Field("", max_length=80)
    topic: str = Field("", max_length=80)
    contact: str = Field("", max_length=120)
    visitor_key: str = Field(
        "",
        pattern=r"^([A-Za-z0-9_-]{16,64})?$",
        description="The visitor's own: a random text that a page or a machine keeps.",
    )
    priority: int = Field(5, ge=1, le=9)
    skills: dict[
        Annotated[str, Field(pattern=r"^[a-z0-9-]{1,20}$")], Annotated[int, Field(ge=1, le=9)]
    ] = Field(default_factory=dict, max_length=4)
    anyway: bool = False
    language: str = Field("", max_length=10, pattern=r"^[A-Za-z0-9-]*$")
    identity: str = Field("", max_length=2_048)


class LanguageIn(Strict):
    """A code of the page's languages, such as zh-hans."""

    language: str = Field(min_length=1, max_length=10)


class TellIn(Strict):
    """When to mail, whom, and the times' zone; `off` cancels."""

    when: Literal["third", "next", "turn", "off"]
    email: str = Field("", max_length=254)
    zone: str = Field("UTC", max_length=64)


class TranscriptMailIn(Strict):
    """Whom to mail, and the times' zone."""

    email: str = Field(max_length=254)
    zone: str = Field("UTC", max_length=64)


class CodeIn(Strict):
    """A code as it was read; blanks, hyphens and small letters do not matter."""

    code: str = Field(min_length=1, max_length=40)


class BeatIn(Strict):
    """`place`: the signed proof that a join gave, for the day on which everything was lost."""

    place: str = Field("", max_length=600)


class MessageIn(Strict):
    """`id`: the sender's own; the same again is no second message."""

    id: ClientId
    text: str = Field(max_length=8_000)


class AttachmentIn(Strict):
    """The fields of a form beside its `file`. `id` as of a message; `text`: words beside it."""

    id: ClientId
    text: str = Field("", max_length=8_000)


class ReadIn(Strict):
    """The number of the last message that was read; a number beyond the last one is the last."""

    number: int = Field(ge=1, le=1_000_000)


class RatingIn(Strict):
    """One to five stars."""

    stars: int = Field(ge=1, le=5)
    comment: str = Field("", max_length=1_000)


class LeftIn(Strict):
    """What somebody leaves when nobody is there, or a wish to be called back."""

    name: str = Field(min_length=1, max_length=80)
    contact: str = Field(min_length=3, max_length=120)
    text: str = Field("", max_length=4_000)
    wants_call: bool = False


class EraseIn(Strict):
    """Whom to erase: one visit, or everybody with this phone or e-mail; and why."""

    visit: Visit | None = None
    contact: str = Field("", max_length=120)
    reason: str = Field(min_length=1, max_length=200)


class PauseIn(Strict):
    reason: str = Field(min_length=1, max_length=60)


class SupervisorReasonIn(Strict):
    """Why a supervisor does it; the audit log keeps it."""

    reason: str = Field(min_length=1, max_length=200)


class TakeOverIn(SupervisorReasonIn):
    """`agent`: whose seat (a user's id); without it the caller's own."""

    agent: int | None = Field(None, ge=1, lt=2**31)


class LogoutIn(Strict):
    reason: str = Field("", max_length=60)


class TakeIn(Strict):
    """A chosen visitor, or the next."""

    visit: Visit | None = None


class OfferIn(Strict):
    """An offer is answered with its own token."""

    visit: Visit
    token: str = Field(min_length=1, max_length=64)


class RoomIn(Strict):
    visit: Visit


class MoreTimeIn(Strict):
    """`until_ms`: when the wrap-up ends, as the caller has seen it; again: the same wish."""

    until_ms: int = Field(ge=0, lt=10**15)


class OutcomeIn(Strict):
    """`outcome`: one of the desk's, null = none. `note`: for the next agent, under its own id."""

    visit: Visit
    outcome: int | None = Field(None, ge=1, lt=2**31)
    note: str = Field("", max_length=8_000)
    id: str = Field("", max_length=40)


class CallBackIn(Strict):
    """Whom to call: `number`, or what the visitor left as contact."""

    visit: Visit
    number: str = Field("", max_length=60)


class TransferIn(Strict):
    """To a queue (its slug) or an agent (its user id) of the same desk."""

    visit: Visit
    queue: str | None = Field(None, max_length=40)
    agent: int | None = Field(None, ge=1, lt=2**31)


class AgentMessageIn(MessageIn):
    visit: Visit


class AgentAttachmentIn(AttachmentIn):
    visit: Visit


class AgentReadIn(ReadIn):
    visit: Visit
