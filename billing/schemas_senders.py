"""Requests and responses about templates and chatbots."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import BaseModel, Field

from billing.schemas_common import Line, Name, Reason
from poolsite.api.pages import PageIn
from poolsite.api.reading import STRICT

Text = Annotated[str, Field(max_length=5_000, pattern=r"^[^\x00]*$")]
Kilobytes = Annotated[int, Field(ge=0, le=100_000)]
Rate = Annotated[int, Field(ge=0, le=1_000_000, description="Messages per second. 0 for no limit.")]


class TemplatesIn(PageIn):
    """Filters of the templates."""

    q: Line = Field("", description="The start of the name.")
    state: Literal["active", "archived"] | None = None
    chatbot: Line = ""


class TemplateFields(BaseModel):
    """The parts of a template."""

    model_config = STRICT

    name: Name | None = None
    native_kind: Literal["text", "card"] | None = None
    native_text: Text | None = None
    card_kilobytes: Kilobytes | None = None
    yuexin_text: Text | None = None
    yuexin_link: Line | None = None
    link_registered: bool | None = None
    video_subject: Line | None = None
    video_kilobytes: Kilobytes | None = None


class TemplateIn(TemplateFields):
    """A new template. Missing parts can follow later."""

    chatbot: Line = Field(description="The chatbot's ID.")
    name: Name


class TemplateChangeIn(TemplateFields):
    """The parts to change. Omitted fields stay as they are."""

    reason: Reason = ""


class TemplateOut(BaseModel):
    """A template: one message in every mode."""

    id: int
    name: str
    chatbot: str
    native_kind: str
    native_text: str
    card_kilobytes: int
    yuexin_text: str
    yuexin_link: str
    link_registered: bool
    video_subject: str
    video_kilobytes: int
    missing: list[str] = Field(description="Parts that are missing. A campaign needs them all.")
    archived: bool
    created_at: datetime


class ChatbotsIn(PageIn):
    """Filters of the chatbots."""

    state: Literal["active", "archived"] | None = None


class ChatbotIn(BaseModel):
    """A new chatbot."""

    model_config = STRICT

    id: Annotated[str, Field(pattern=r"^[a-z0-9-]{1,40}$", description="Can't be changed later.")]
    name: Name
    rate_limit: Rate = 0


class ChatbotChangeIn(BaseModel):
    """The fields to change. Omitted fields stay as they are."""

    model_config = STRICT

    name: Name | None = None
    rate_limit: Rate | None = None
    reason: Reason = ""


class ChatbotOut(BaseModel):
    """A chatbot: it sends in the account's name."""

    id: str
    name: str
    rate_limit: int
    token: str = Field(description="The start of its token. Empty without a token.")
    archived: bool
    created_at: datetime


class TokenOut(BaseModel):
    """A chatbot's new token, shown only once."""

    token: str
