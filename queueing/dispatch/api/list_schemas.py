"""Requests and responses of the groups' lists."""

from typing import Annotated, Final, Literal

from pydantic import AfterValidator, BaseModel, Field, StringConstraints

from poolsite.api.pages import PageIn
from poolsite.api.reading import Moment
from queueing.dispatch import dispatcher as commands

PEER: Final = r"^[fb]:[A-Za-z0-9][A-Za-z0-9._-]{0,39}$"
SESSION: Final = r"^[A-Za-z0-9][A-Za-z0-9._-]{0,39}/[A-Za-z0-9._:@+~-]{1,39}$"


def _known_event(event: str) -> str:
    if event not in ("", *commands.EVENTS):
        raise ValueError(f"use one of {', '.join(commands.EVENTS)}")
    return event


class SessionsIn(PageIn):
    """The sessions of a peer."""

    cursor: str = Field(
        "",
        max_length=80,
        pattern=rf"^$|{SESSION}",
        description="`next` of the page before. Omit it for the first page.",
    )
    peer: Annotated[str, StringConstraints(pattern=PEER)] = Field(
        description="`f:` and a front-end's ID, or `b:` and an instance's ID."
    )


class SessionRowOut(BaseModel):
    """A session in a list. Times are µs since 1970."""

    session: str
    front: str = Field(description="The front-end's ID.")
    back: str = Field(description="The instance's ID.")
    instance: str = Field(description="The instance's name.")
    why: str = Field(description="What chose the instance: least, turn, key:… or restored.")
    live: bool = Field(description="False if one end restarted or is gone. A sweep removes it.")
    ending: bool = Field(description="One end ended it, and the other hasn't been notified yet.")
    provisional: Literal["", "front", "back"] = Field(
        description="The only end that has reported it since a recovery."
    )
    started_us: int
    deadline_us: int | None = Field(description="Null for an untimed session.")
    ends_by_us: int | None = Field(description="When it is cleared at the latest.")
    messages_from_front: int
    messages_from_back: int


class EventsIn(PageIn):
    """Filters of the event log."""

    event: Annotated[str, AfterValidator(_known_event)] = Field(
        "", json_schema_extra={"enum": ["", *commands.EVENTS]}, description="The type of event."
    )
    who: Annotated[str, StringConstraints(max_length=42)] = Field(
        "", description="Part of an instance's name or of a peer's ID."
    )
    since: Moment | None = Field(None, description="Events at or after this time.")
    until: Moment | None = Field(None, description="Events before this time.")


class UpgradesIn(PageIn):
    """Filters of the upgrades."""

    status: Literal["running", "done", "aborted"] | None = None
