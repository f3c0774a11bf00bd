"""Responses of the routes around a room, typed for the OpenAPI document."""

from typing import Literal

from ninja import Schema


class EarlierVisitOut(Schema):
    """An earlier visit. `seconds`: time in the room; `by`: what it was matched by."""

    visit: str
    at: str
    name: str
    topic: str
    queue: str
    agent: str | None
    mine: bool
    seconds: int | None
    ended: str
    outcome: str
    tone: Literal["good", "open", "plain", ""]
    stars: int | None
    by: Literal["key", "contact"]


class VisitorNoteOut(Schema):
    """A note by an agent, for colleagues only."""

    text: str
    agent: str
    at: str


class VisitorOut(Schema):
    """`total`, `stars`: of all earlier visits. `before`: pass it to get the next page."""

    visit: str
    total: int
    stars: float | None
    visits: list[EarlierVisitOut]
    before: str | None
    notes: list[VisitorNoteOut]


class OutcomeOut(Schema):
    """`outcome`: the ID of the desk's outcome, null = none."""

    visit: str
    outcome: int | None
