"""Agents' routes around a room: who the visitor was before, more time, what came of it."""

from typing import Any

from django.http import HttpRequest
from ninja import Path, Query
from pydantic import AwareDatetime

from poolsite.access import principal_of_request
from queueing.line.api.agents import STATE, agent_of, agents, own_room, visit_at_desk
from queueing.line.api.answers_wrap_up import OutcomeOut, VisitorOut
from queueing.line.api.visits import ERRORS
from queueing.line.models import Message, Visit
from queueing.line.schemas import MoreTimeIn, OutcomeIn
from queueing.line.selectors import consoles, visitors
from queueing.line.services import outcomes, rooms, wrapping

VisitId: Any = Path(..., pattern=r"^[A-Za-z0-9_-]{8,32}$")  # type: ignore[type-arg]
Before: Any = Query(None, description="`before` of the page above.")  # type: ignore[type-arg]


@agents.get(
    "/visitor/{visit}", response={200: VisitorOut, **ERRORS}, summary="A visitor's earlier visits"
)
def get_visitor(
    request: HttpRequest, visit: str = VisitId, before: AwareDatetime | None = Before
) -> Any:
    """Of the visitor in one of the agent's own rooms, at this desk, newest first, 50 at once.

    Known by the visitor's key or contact. Their words: `GET /visits/{id}/messages`, while the
    visitor is in the room.
    """
    agent = agent_of(request)
    return visitors.history_out(own_room(agent, visit), agent, before)


@agents.post("/more-time", response=STATE, exclude_unset=True, summary="Prolong a wrap-up")
def more_time(request: HttpRequest, given: MoreTimeIn) -> Any:
    """30 s more for the wrap-up that ends at `until_ms`; sent twice, once.

    At most as much again as the longest wrap-up of the agent's queues, and not less than 150 s.
    """
    agent = agent_of(request)
    wrapping.agent_more_time(agent, given.until_ms)
    return consoles.agent_out(agent)


@agents.post("/outcome", response={200: OutcomeOut, **ERRORS}, summary="What came of a visit")
def post_outcome(request: HttpRequest, given: OutcomeIn) -> Any:
    """By the agent of its last room, in the room or for seven days after it; again: the same.

    With a note for the next agent, once per its `id`.
    """
    agent = agent_of(request)
    visit: Visit = visit_at_desk(agent, given.visit)
    code = outcomes.outcome_of_id(visit, given.outcome)
    actor = principal_of_request(request)
    done = outcomes.visit_outcome(actor=actor, visit=visit, code=code, agent=agent)
    if given.note.strip():
        note = Message.Author.NOTE
        rooms.message_send(
            visit=visit, author=note, client_id=given.id, text=given.note, agent=agent
        )
    return {"visit": visit.public_id, "outcome": done.outcome_code_id}
