"""Agents' routes around a room: earlier visits, more time for the wrap-up, the outcome."""

from typing import Any

from django.http import HttpRequest
from ninja.params import functions as param

from poolsite.access import principal_of_request
from poolsite.api.reading import Moment
from queueing.line.api.agents import STATE, agent_of, agents, own_room, visit_at_desk
from queueing.line.api.answers_wrap_up import OutcomeOut, VisitorOut
from queueing.line.models import Message, Visit
from queueing.line.schemas import MoreTimeIn, OutcomeIn
from queueing.line.selectors import consoles, visitors
from queueing.line.services import outcomes, rooms, wrapping

VisitId: Any = param.Path(..., pattern=r"^[A-Za-z0-9_-]{8,32}$")
Before: Any = param.Query(None, description="`before` of the previous page.")


@agents.get(
    "/visitor/{visit}",
    response={200: VisitorOut},
    summary="List a visitor's earlier visits",
)
def get_visitor(request: HttpRequest, visit: str = VisitId, before: Moment | None = Before) -> Any:
    """Earlier visits to this desk of a visitor in the agent's rooms: newest first, 50 per page.

    Matched by the visitor's key or contact. For the messages of a visit, use
    `GET /visits/{id}/messages` while the visitor is in the room.
    """
    agent = agent_of(request)
    return visitors.history_out(own_room(agent, visit), agent, before)


@agents.post("/more-time", response=STATE, exclude_unset=True, summary="Extend a wrap-up")
def more_time(request: HttpRequest, given: MoreTimeIn) -> Any:
    """Extend the wrap-up that ends at `until_ms` by 30 s. Repeating it extends only once.

    All extensions together can last as long as the longest wrap-up of the agent's queues, and
    at least 150 s.
    """
    agent = agent_of(request)
    wrapping.agent_more_time(agent, given.until_ms)
    return consoles.agent_out(agent)


@agents.post("/outcome", response={200: OutcomeOut}, summary="Record a visit's outcome")
def post_outcome(request: HttpRequest, given: OutcomeIn) -> Any:
    """Only for the agent of its last room, during the room or up to seven days later.

    Can be repeated. A note for the next agent is stored once per `id`.
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
