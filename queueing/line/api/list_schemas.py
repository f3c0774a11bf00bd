"""Requests and responses of the operations on a desk's skills, replies, outcomes and others."""

from typing import Annotated, Literal

from ninja import Schema
from pydantic import Field

from poolsite.api.reading import Moment
from queueing.line.api.desk_schemas import Reason
from queueing.line.api.queue_schemas import Level, SkillSlug
from queueing.line.schemas import Strict
from queueing.line.schemas import Visit as VisitId


class DeskSkillIn(Strict):
    """A skill that visitors may need."""

    slug: SkillSlug
    name: str = Field(min_length=1, max_length=80)


class DeskSkillOut(Schema):
    """A skill of a desk."""

    slug: str
    name: str


class ReplyIn(Strict):
    """The text of a saved reply."""

    text: str = Field(
        min_length=1,
        max_length=4_000,
        description=(
            "{visitor}, {agent}, {queue}, {topic}, {place} and {wait} are filled in when an agent "
            "inserts the reply."
        ),
    )


class ReplyOut(Schema):
    """A saved reply. Agents insert it with /shortcut."""

    shortcut: str
    text: str


class DeskOutcomeIn(Strict):
    """An outcome that agents can choose for a visit."""

    name: str = Field(min_length=1, max_length=40)
    tone: Literal["good", "open", "plain"] = Field(
        "plain", description="The category: done, needs follow-up, or neutral."
    )


class DeskOutcomeOut(Schema):
    """An outcome of a desk. `position`: its place in the agents' list."""

    id: int
    name: str
    tone: Literal["good", "open", "plain"]
    position: int


class OutcomesAddedOut(Schema):
    """The number of outcomes that were added."""

    added: int


class LanguageSkill(Strict):
    """The skill that an agent needs for visitors of a language."""

    skill: SkillSlug
    level: Level = 1


class LanguagesIn(Strict):
    """Skills by language code. Visitors of other languages need no skill."""

    languages: dict[Annotated[str, Field(max_length=10)], LanguageSkill] = Field(max_length=20)
    reason: str = Reason


class LanguagesOut(Schema):
    """Skills by language code."""

    languages: dict[str, LanguageSkill]


class SigningSecretOut(Schema):
    """A secret that signs visitors' identities. `print`: identifies it without revealing it."""

    id: int
    print: str
    created_at: str
    created_by: str


class SigningSecretMadeOut(Schema):
    """A new secret. It is shown only once."""

    secret: str


class BlockedIn(Strict):
    """A network address to block, or the visit that came from it."""

    address: str = Field("", max_length=80)
    visit: VisitId | None = Field(None, description="Blocks the address of this visit.")
    until: Moment | None = Field(None, description="Null: until it is unblocked.")
    reason: str = Field(min_length=1, max_length=200, description="Recorded in the audit log.")


class BlockedOut(Schema):
    """A blocked network address."""

    id: int
    address: str
    reason: str
    until: str | None
    created_by: str
    created_at: str
