"""A supervisor's routes: the floor, why no one serves, and operations on rooms and agents."""

import time
from typing import Any

from django.http import HttpRequest
from ninja import Router
from ninja.params import functions as param

from poolsite.access import principal_of_request
from poolsite.api.paths import slug_in_path
from poolsite.api.reading import NothingIn
from poolsite.api.root import ProblemError
from queueing.line.api.answers import DoneOut, RoomMessageOut
from queueing.line.api.credentials import AtDesk, desk_of_request
from queueing.line.api.desks import Slug
from queueing.line.api.floor_answers import FloorOut, GuestOut, WhyLineOut, WhyOut
from queueing.line.api.visits import VisitId
from queueing.line.api.whys import why_as_data
from queueing.line.models import Agent, RoomGuest, Visit
from queueing.line.schemas import MessageIn, PauseIn, SupervisorReasonIn, TakeOverIn
from queueing.line.selectors import floor
from queueing.line.services import guests, rooms
from queueing.line.topics.visit import message_as_data

supervising = Router(tags=["line"])
VIEW, SUPERVISE = AtDesk("line.view"), AtDesk("line.supervise")
SAID: dict[int, Any] = {200: RoomMessageOut}
GUEST: dict[int, Any] = {200: GuestOut}
DONE: dict[int, Any] = {200: DoneOut}
QueueSlug = slug_in_path("The queue's slug.")
AgentId: Any = param.Path(..., ge=1, lt=2**31, description="The agent's user ID.")


@supervising.get("/{slug}/floor", auth=VIEW, response={200: FloorOut}, summary="Get a desk's floor")
def get_floor(request: HttpRequest, slug: str = Slug) -> Any:
    """All agents on shift with rooms and figures, and all queues, worst first."""
    return {**floor.floor(desk_of_request(request)), "at": round(time.time() * 1_000)}


@supervising.get(
    "/{slug}/queues/{queue}/why",
    auth=VIEW,
    response={200: WhyLineOut},
    summary="Explain why a line waits",
)
def get_line_why(request: HttpRequest, slug: str = Slug, queue: str = QueueSlug) -> Any:
    """Why each of the first 50 visitors isn't being served, in one sentence each."""
    rows = desk_of_request(request).queues.select_related("desk")
    found = rows.filter(slug=queue).first()
    if found is None:
        raise ProblemError("unknown-queue")
    return {"queue": queue, "visits": floor.line_of(found)}


@supervising.get(
    "/{slug}/visits/{visit}/why",
    auth=VIEW,
    response={200: WhyOut},
    summary="Explain a visitor's wait",
)
def get_visit_why(request: HttpRequest, slug: str = Slug, visit: str = VisitId) -> Any:
    """Why each agent doesn't serve the visitor. Those closest to serving come first."""
    return why_as_data(desk_of_request(request), visit)


# -- a room ----------------------------------------------------------------------------------------


@supervising.post(
    "/{slug}/visits/{visit}/whisper", auth=SUPERVISE, response=SAID, summary="Whisper to the agent"
)
def post_whisper(
    request: HttpRequest, given: MessageIn, slug: str = Slug, visit: str = VisitId
) -> Any:
    """Send a message that only the room's agent and supervisors see. An ID is sent only once."""
    return _said(guests.room_whisper, request, given, visit)


@supervising.post(
    "/{slug}/visits/{visit}/messages",
    auth=SUPERVISE,
    response=SAID,
    summary="Send a message in a joined room",
)
def post_supervisor_message(
    request: HttpRequest, given: MessageIn, slug: str = Slug, visit: str = VisitId
) -> Any:
    """Send a message to the visitor and the agent under your own name, after joining."""
    return _said(guests.room_say, request, given, visit)


@supervising.post(
    "/{slug}/visits/{visit}/join", auth=SUPERVISE, response=GUEST, summary="Join a room"
)
def post_join(
    request: HttpRequest, given: NothingIn, slug: str = Slug, visit: str = VisitId
) -> Any:
    """Join as a third person. The visitor and the agent are notified. Can be repeated."""
    row = _visit(request, visit)
    guests.room_join(actor=principal_of_request(request), visit=row)
    return _guest(request, row)


@supervising.post(
    "/{slug}/visits/{visit}/leave", auth=SUPERVISE, response=GUEST, summary="Leave a joined room"
)
def post_leave(
    request: HttpRequest, given: NothingIn, slug: str = Slug, visit: str = VisitId
) -> Any:
    """Leave the room. The visitor and the agent are notified. Can be repeated."""
    row = _visit(request, visit)
    guests.room_leave(actor=principal_of_request(request), visit=row)
    return _guest(request, row)


@supervising.post(
    "/{slug}/visits/{visit}/take-over", auth=SUPERVISE, response=DONE, summary="Take over a room"
)
def post_take_over(
    request: HttpRequest, given: TakeOverIn, slug: str = Slug, visit: str = VisitId
) -> Any:
    """Take over the room as an agent of the desk, or assign it to `agent` (a user ID)."""
    row, actor = _visit(request, visit), principal_of_request(request)
    if given.agent is None:
        guests.room_take_over(actor=actor, visit=row, reason=given.reason)
    else:
        agent = _agent(request, given.agent)
        rooms.visit_take_over(actor=actor, visit=row, agent=agent, reason=given.reason)
    return {"answer": "ok"}


@supervising.post(
    "/{slug}/visits/{visit}/front",
    auth=SUPERVISE,
    response=DONE,
    summary="Move a visitor to the front",
)
def post_front(
    request: HttpRequest, given: NothingIn, slug: str = Slug, visit: str = VisitId
) -> Any:
    """Move the visit to the front of its class in its queue. A visitor in a room stays there."""
    row = _visit(request, visit)
    rooms.visit_move(
        actor=principal_of_request(request), visit=row, queue=guests.queue_of(row), front=True
    )
    return {"answer": "ok"}


@supervising.post(
    "/{slug}/visits/{visit}/end", auth=SUPERVISE, response=DONE, summary="End a visit"
)
def post_end(
    request: HttpRequest, given: SupervisorReasonIn, slug: str = Slug, visit: str = VisitId
) -> Any:
    """End a visit in the line or in a room. The visitor sees that a supervisor ended it."""
    actor = principal_of_request(request)
    row = _visit(request, visit)
    rooms.visit_end_by_supervisor(actor=actor, visit=row, reason=given.reason)
    return {"answer": "ok"}


# -- agents ----------------------------------------------------------------------------------------


@supervising.post(
    "/{slug}/agents/{agent}/pause", auth=SUPERVISE, response=DONE, summary="Pause an agent"
)
def post_pause(request: HttpRequest, given: PauseIn, slug: str = Slug, agent: int = AgentId) -> Any:
    """Pause an agent for one of the desk's reasons. It starts when the agent's rooms have ended."""
    row = _agent(request, agent)
    rooms.agent_pause_by_supervisor(
        actor=principal_of_request(request), agent=row, reason=given.reason
    )
    return {"answer": "ok"}


@supervising.post(
    "/{slug}/agents/{agent}/logout", auth=SUPERVISE, response=DONE, summary="Log an agent out"
)
def post_logout(
    request: HttpRequest, given: SupervisorReasonIn, slug: str = Slug, agent: int = AgentId
) -> Any:
    """Log the agent out immediately. The agent's visitors return to the front of the line."""
    row = _agent(request, agent)
    rooms.agent_log_out_now(actor=principal_of_request(request), agent=row, reason=given.reason)
    return {"answer": "ok"}


def _said(verb: Any, request: HttpRequest, given: MessageIn, visit: str) -> dict[str, Any]:
    said: rooms.SentMessage = verb(
        actor=principal_of_request(request),
        visit=_visit(request, visit),
        client_id=given.id,
        text=given.text,
    )
    return message_as_data(said.message)


def _guest(request: HttpRequest, visit: Visit) -> dict[str, Any]:
    there = RoomGuest.objects.filter(visit=visit, left_at=None).order_by("joined_at")
    by = guests.identity_of(principal_of_request(request))
    return {
        "visit": visit.public_id,
        "joined": any(guest.by == by for guest in there),
        "guests": [guest.name for guest in there],
    }


def _visit(request: HttpRequest, public_id: str) -> Visit:
    rows = Visit.objects.select_related("desk__account", "queue")
    visit = rows.filter(desk=desk_of_request(request), public_id=public_id).first()
    if visit is None:
        raise ProblemError("unknown-visit")
    return visit


def _agent(request: HttpRequest, user_id: int) -> Agent:
    rows = Agent.objects.select_related("desk__account").filter(archived_at=None)
    agent = rows.filter(desk=desk_of_request(request), user_id=user_id).first()
    if agent is None:
        raise ProblemError("unknown-agent")
    return agent
