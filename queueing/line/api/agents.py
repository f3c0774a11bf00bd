"""Agents' routes: presence, rooms, offers, messages. By session, or by a token and `?agent=`."""

from typing import Any

from django.http import HttpRequest
from django.utils import timezone
from ninja import Router
from ninja.params import functions as param

from poolsite.access import principal_of_request
from poolsite.api.reading import NothingIn
from poolsite.api.root import ProblemError
from queueing.line import desk as commands
from queueing.line.api.answers import (
    AgentOut,
    DoneOut,
    RoomMessageOut,
    RoomsOut,
)
from queueing.line.api.answers_console import ColleaguesOut, ReadsOut
from queueing.line.api.credentials import Serving, let_in
from queueing.line.api.floor_answers import WhyOut
from queueing.line.api.whys import why_as_data
from queueing.line.models import Agent, Message, Queue, ReadReceipt, Visit
from queueing.line.schemas import (
    AgentMessageIn,
    AgentReadIn,
    CallBackIn,
    LogoutIn,
    OfferIn,
    PauseIn,
    RoomIn,
    TakeIn,
    TransferIn,
)
from queueing.line.selectors import consoles, transfers
from queueing.line.selectors.receipts import receipts_of
from queueing.line.services import calling, outcomes, receipts, rooms
from queueing.line.topics.visit import message_as_data

agents = Router(tags=["line"], auth=Serving())
STATE: dict[int, Any] = {200: AgentOut}
SAID: dict[int, Any] = {200: RoomMessageOut}


# `Serving` reads this parameter before the body. This is its documentation, for every route.
NAMED = {
    "name": "agent",
    "in": "query",
    "required": False,
    "schema": {"type": "integer", "minimum": 1, "exclusiveMaximum": 10**9},
    "description": "The agent's user ID. Required with a token; not needed with a session.",
}
NAMED_BY_FILTER = ("/history",)  # a list refuses parameters that it does not have


def agent_of(request: HttpRequest) -> Agent:
    """Return the agent that `Serving` admitted."""
    return let_in(request, Agent)


@agents.get(
    "/rooms",
    response={200: RoomsOut},
    exclude_unset=True,
    summary="Get the agent's rooms",
)
def get_rooms(request: HttpRequest) -> Any:
    """The agent's state, rooms, offers with tokens, wrap-ups with end times, today's figures."""
    me = agent_of(request)
    return {**consoles.agent_out(me), "today": consoles.agent_day(me, timezone.now())}


@agents.get("/colleagues", response={200: ColleaguesOut}, summary="List transfer targets")
def get_colleagues(request: HttpRequest) -> Any:
    """The desk's queues with their waiting visitors, and its online agents with their rooms."""
    return transfers.colleagues(agent_of(request))


@agents.get("/why/{visit}", response={200: WhyOut}, summary="Explain a visitor's wait")
def get_why(
    request: HttpRequest,
    visit: str = param.Path(..., pattern=r"^[A-Za-z0-9_-]{8,32}$"),
) -> Any:
    """Why each agent doesn't serve the visitor. The caller first, then those closest to serving."""
    me = agent_of(request)
    return why_as_data(me.desk, visit, first=me.user_id)


# -- presence ------------------------------------------------------------------------------------


@agents.post("/login", response=STATE, exclude_unset=True, summary="Go online")
def login(request: HttpRequest, given: NothingIn) -> Any:
    """Go online, or resume after a pause. A second login shows the same rooms."""
    return _state(agent_of(request), rooms.agent_login)


@agents.post("/pause", response=STATE, exclude_unset=True, summary="Pause the agent")
def pause(request: HttpRequest, given: PauseIn) -> Any:
    """Pause for one of the desk's reasons. With open rooms, it starts when the last one ends."""
    return _state(agent_of(request), lambda agent: rooms.agent_pause(agent, given.reason))


@agents.post("/logout", response=STATE, exclude_unset=True, summary="Go offline")
def logout(request: HttpRequest, given: LogoutIn) -> Any:
    """Go offline. With open rooms, this happens when the last one ends."""
    return _state(agent_of(request), lambda agent: rooms.agent_logout(agent, given.reason))


@agents.post("/beat", response=STATE, exclude_unset=True, summary="Send an agent heartbeat")
def agent_beat(request: HttpRequest, given: NothingIn) -> Any:
    """Keep the agent online and get the rooms. For polling."""
    return _state(agent_of(request), rooms.agent_beat)


@agents.post("/ready", response=STATE, exclude_unset=True, summary="End the wrap-up")
def ready(request: HttpRequest, given: NothingIn) -> Any:
    """End all wrap-ups of the agent."""
    return _done(agent_of(request), rooms.agent_ready)


def _state(agent: Agent, run: Any) -> Any:
    return consoles.agent_out(agent, run(agent))


def _done(agent: Agent, run: Any) -> Any:
    """Run a use case with a short answer, then return the current rooms."""
    answer: commands.DeskReply | commands.Standing = run(agent)
    out = consoles.agent_out(agent)
    return {**out, "visit": answer.visit} if isinstance(answer, commands.DeskReply) else out


# -- visitors ------------------------------------------------------------------------------------


@agents.post("/take", response=STATE, exclude_unset=True, summary="Take a visitor")
def take(request: HttpRequest, given: TakeIn) -> Any:
    """Take the given visitor, or the next one in the agent's queues."""
    return _done(agent_of(request), lambda agent: rooms.visit_take(agent, given.visit or ""))


@agents.post("/accept", response=STATE, exclude_unset=True, summary="Accept an offer")
def accept(request: HttpRequest, given: OfferIn) -> Any:
    """Accept an offer. If it is too late, nothing changes: the visitor has moved on."""
    return _offer(request, given, yes=True)


@agents.post("/decline", response=STATE, exclude_unset=True, summary="Decline an offer")
def decline(request: HttpRequest, given: OfferIn) -> Any:
    """Decline an offer. The visitor keeps the place."""
    return _offer(request, given, yes=False)


def _offer(request: HttpRequest, given: OfferIn, *, yes: bool) -> Any:
    return _done(
        agent_of(request),
        lambda agent: rooms.offer_answer(agent, given.visit, given.token, yes=yes),
    )


@agents.post("/finish", response=STATE, exclude_unset=True, summary="End a room")
def finish(request: HttpRequest, given: RoomIn) -> Any:
    """End one of the agent's own rooms. Repeating it returns the same answer."""
    return _done(agent_of(request), lambda agent: rooms.room_finish(agent, given.visit))


@agents.post("/transfer", response=STATE, exclude_unset=True, summary="Transfer a visitor")
def transfer(request: HttpRequest, given: TransferIn) -> Any:
    """Transfer a visitor in one of the agent's own rooms to a queue or agent of the desk."""
    me = agent_of(request)
    visit = own_room(me, given.visit)
    queue = Queue.objects.filter(desk=me.desk, slug=given.queue or "").first()
    other = Agent.objects.filter(desk=me.desk, user_id=given.agent or 0, archived_at=None).first()
    if (queue is None) == (other is None):
        raise ProblemError("unknown-queue", "Choose a queue or an agent of the same desk.")
    actor = principal_of_request(request)
    return _done(
        me, lambda _: rooms.visit_transfer(actor=actor, visit=visit, queue=queue, agent=other)
    )


@agents.post("/call-back", response=STATE, exclude_unset=True, summary="Call a visitor back")
def call_back(request: HttpRequest, given: CallBackIn) -> Any:
    """Claim a number of the desk's pool for the call. Repeating it returns the same call."""
    me = agent_of(request)
    visit = own_room(me, given.visit)
    actor = principal_of_request(request)
    calling.call_back(actor=actor, agent=me, visit=visit, number=given.number)
    return consoles.agent_out(me)


@agents.post("/call-end", response=STATE, exclude_unset=True, summary="End a callback")
def call_end(request: HttpRequest, given: RoomIn) -> Any:
    """Return the number. Repeating it returns the same answer."""
    me = agent_of(request)
    calling.call_end(actor=principal_of_request(request), agent=me, visit=given.visit)
    return consoles.agent_out(me)


@agents.post("/messages", response=SAID, summary="Send a message")
def post_agent_message(request: HttpRequest, given: AgentMessageIn) -> Any:
    """Send a message in one of the agent's own rooms. Repeating an ID doesn't send it twice."""
    me = agent_of(request)
    return _say(me, own_room(me, given.visit), given, Message.Author.AGENT)


@agents.post("/notes", response=SAID, summary="Add a note")
def post_note(request: HttpRequest, given: AgentMessageIn) -> Any:
    """Add a note for colleagues, in one of the agent's own rooms or in the wrap-up after it."""
    me = agent_of(request)
    visit = visit_at_desk(me, given.visit)
    if not outcomes.had_last(me, visit):
        visit = own_room(me, given.visit)
    return _say(me, visit, given, Message.Author.NOTE)


@agents.post("/read", response={200: ReadsOut}, summary="Mark messages as read by the agent")
def mark_read_as_agent(request: HttpRequest, given: AgentReadIn) -> Any:
    """Mark messages of an own room up to this number as read. Lower numbers change nothing."""
    visit = own_room(agent_of(request), given.visit)
    receipts.messages_read(visit=visit, side=ReadReceipt.Side.AGENT, number=given.number)
    return receipts_of(visit.public_id)


@agents.post("/typing", response={200: DoneOut}, summary="Show that the agent is typing")
def typing_as_agent(request: HttpRequest, given: RoomIn) -> Any:
    """Show on the visitor's page, for a few seconds, that the agent is typing."""
    me = agent_of(request)
    rooms.typing_tell(visit=own_room(me, given.visit), by_agent=True)
    return {"answer": "ok"}


def _say(me: Agent, visit: Visit, given: AgentMessageIn, author: str) -> Any:
    said = rooms.message_send(
        visit=visit, author=author, client_id=given.id, text=given.text, agent=me
    )
    return message_as_data(said.message)


def visit_at_desk(me: Agent, public_id: str) -> Visit:
    """Return a visit of the agent's desk. Raise ProblemError unknown-visit."""
    visit = Visit.objects.select_related("desk").filter(desk=me.desk, public_id=public_id).first()
    if visit is None:
        raise ProblemError("unknown-visit")
    return visit


def own_room(me: Agent, public_id: str) -> Visit:
    """Return the visit of one of the agent's current rooms, by Redis.

    Raise ProblemError not-yours.
    """
    visit = visit_at_desk(me, public_id)
    slots = rooms.agent_rooms(me)
    if not any(slot.kind == "room" and slot.visit == public_id for slot in slots):
        raise ProblemError("not-yours", "The room has ended or belongs to another agent.")
    return visit


def document() -> None:
    """Document the agent parameter on each route. Called once, after all routes are registered."""
    for path, view in agents.path_operations.items():
        for operation in view.operations:
            if path not in NAMED_BY_FILTER:
                operation.openapi_extra = {"parameters": [NAMED]}
