"""What the routes around a room answer, typed for the OpenAPI document."""

from typing import Literal

from ninja import Schema


class EarlierVisitOut(Schema):
    """An earlier visit. `seconds`: in the room; `by`: what it was known by."""

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
    """What an agent noted, for colleagues only."""

    text: str
    agent: str
    at: str


class VisitorOut(Schema):
    """`total` and `stars` are of all earlier visits; `before`: ask for the next page with it."""

    visit: str
    total: int
    stars: float | None
    visits: list[EarlierVisitOut]
    before: str | None
    notes: list[VisitorNoteOut]


class OutcomeOut(Schema):
    """`outcome`: the id of the desk's outcome; null = none."""

    visit: str
    outcome: int | None
