"""Visitors' routes: join, stay, talk, leave. For a visit's token, or a program."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from ninja import Router, Status
from ninja.params import functions as param

from poolsite import access, hotpath
from poolsite.access import Principal, VisitorScope, principal_of_request
from poolsite.api.idempotency import shows_secret
from poolsite.api.paths import slug_in_path
from poolsite.api.problems import kind_of_refusal
from poolsite.api.reading import NothingIn
from poolsite.api.root import ProblemError
from poolsite.moments import zone_names
from queueing.line import desk as commands
from queueing.line.api import joining
from queueing.line.api.answers import (
    DoneOut,
    JoinOut,
    MessagesOut,
    QueueOut,
    RatingOut,
    RoomMessageOut,
    VisitOut,
)
from queueing.line.api.answers_console import ReadsOut
from queueing.line.api.credentials import Anybody, Visiting, count_coming, let_in
from queueing.line.api.examples import TRANSCRIPT
from queueing.line.api.floor_answers import WhyVisitorOut
from queueing.line.models import Message, Queue, ReadReceipt, Visit
from queueing.line.schemas import BeatIn, JoinIn, LeftIn, MessageIn, RatingIn, ReadIn
from queueing.line.selectors import consoles, why
from queueing.line.selectors.receipts import receipts_of
from queueing.line.services import arrivals, beats, hours, left_messages, receipts, rooms
from queueing.line.services import visits as use
from queueing.line.tokens import visitor_key
from queueing.line.topics.standing import standing_as_data
from queueing.line.topics.visit import message_as_data, messages_page

queues = Router(tags=["line"])
visits = Router(tags=["line"], auth=Visiting())
Slug = slug_in_path("The queue's slug.")
VisitId: Any = param.Path(..., pattern=r"^[A-Za-z0-9_-]{8,32}$", description="The visit's ID.")
Zone: Any = param.Query(
    "UTC", max_length=64, description="Time zone of the times, such as Asia/Shanghai."
)
ANYBODY = Anybody()


# -- joining a queue -----------------------------------------------------------------------------


@queues.get("/{slug}", auth=ANYBODY, response={200: QueueOut}, summary="Get a queue")
def get_queue(request: HttpRequest, slug: str = Slug) -> Any:
    """Whether the queue is open, and the texts of its page."""
    return consoles.queue_out(queue_of(slug))


@queues.post(
    "/{slug}/join",
    auth=ANYBODY,
    response={200: JoinOut},
    summary="Join a queue",
    exclude_unset=True,
)
@shows_secret
def join(request: HttpRequest, given: JoinIn, slug: str = Slug) -> Any:
    """Add a visitor: answers `waiting` with the number ahead, or `room`, and a token to keep.

    Joining again with the visit's token keeps the place. A visitor who was lost from a room and
    joins with its token within ten minutes is first in line. Only API tokens can set a class and
    skills, or wait `anyway` where the queue would turn visitors away.
    """
    principal = principal_of_request(request)
    queue = queue_of(slug)
    known = _known(principal, queue)
    if known is not None:
        return known
    is_machine = principal.kind == "token"
    if is_machine:
        decision = access.decide(principal, "line.visit", queue)
        if not decision:
            raise ProblemError(kind_of_refusal(decision, "unknown-queue"))
    address = "" if is_machine else count_coming(request)
    joined = None if given.identity else _again(principal, queue, address)
    joined = joined or arrivals.visitor_arrive(
        queue=queue, coming=_coming(queue, given, address, is_machine=is_machine), run=joining.run
    )
    data = standing_as_data(joined.visit.public_id, joined.standing)
    return {
        **data,
        "visit": joined.visit.public_id,
        "token": joined.token,
        "place": joined.place,
    }


def _coming(queue: Queue, given: JoinIn, address: str, *, is_machine: bool) -> arrivals.Arriving:
    """Return the arriving visitor's data. A visitor cannot choose a class or skills."""
    said = given.dict(include={"name", "topic", "contact", "language", "identity"})
    said["visitor_key"] = visitor_key(queue.desk, given.visitor_key, by_machine=is_machine)
    if not is_machine:
        return arrivals.Arriving(**said, address=address)
    priority = given.priority if "priority" in given.model_fields_set else None
    return arrivals.Arriving(**said, priority=priority, skills=given.skills, anyway=given.anyway)


def _known(principal: Principal, queue: Queue) -> Any:
    """Return the state of a visitor who has already joined, or None."""
    scope = principal.scope
    if not isinstance(scope, VisitorScope) or scope.desk != queue.desk.slug:
        return None
    standing = beats.visit_beat(desk=queue.desk, visit=scope.visit)
    if not standing.is_there:
        return None
    return {**standing_as_data(scope.visit, standing), "visit": scope.visit}


def _again(principal: Principal, queue: Queue, address: str) -> use.Joined | None:
    """Rejoin a visitor whose room ended while the connection was lost. Return None otherwise."""
    scope = principal.scope
    if not isinstance(scope, VisitorScope) or not hours.is_open(queue):
        return None
    return use.visit_join_again(queue=queue, visit=scope.visit, address=address, run=joining.run)


@queues.post(
    "/{slug}/left-messages",
    auth=ANYBODY,
    response={201: DoneOut},
    summary="Leave a message",
)
def leave_message(request: HttpRequest, given: LeftIn, slug: str = Slug) -> Any:
    """Leave a message, or request a callback. A visit's token links it to that visit."""
    queue = queue_of(slug)
    count_coming(request)
    scope = principal_of_request(request).scope
    visit = scope.visit if isinstance(scope, VisitorScope) else ""
    left_messages.message_leave(queue=queue, visit=visit, **given.dict())
    return Status(201, {"answer": "kept"})


def queue_of(slug: str) -> Queue:
    """Return the queue with its desk. Raise ProblemError unknown-queue."""
    queue = Queue.objects.select_related("desk", "desk__account").filter(slug=slug).first()
    if queue is None:
        raise ProblemError("unknown-queue")
    return queue


def visit_row(request: HttpRequest) -> Visit:
    """Return the visit to which `Visiting` admitted the request."""
    return let_in(request, Visit)


# -- a visit -------------------------------------------------------------------------------------


@visits.get("/{visit}", response={200: VisitOut}, summary="Get a visit's state")
def get_visit(request: HttpRequest, visit: str = VisitId) -> Any:
    """Get the visit's state. This doesn't keep the visitor's place; use `beat` for that."""
    row = visit_row(request)
    standing = hotpath.run(commands.place(row.desk.slug, visit))
    if standing.answer == "gone" and row.ended_at is not None:
        standing = commands.Standing("ended", word=row.outcome)
    return {**standing_as_data(visit, standing), "visit": visit}


@visits.get(
    "/{visit}/why",
    response={200: WhyVisitorOut},
    summary="Explain the wait to the visitor",
)
def get_visitors_why(request: HttpRequest, visit: str = VisitId) -> Any:
    """How many agents of the visitor's queue are in each state. Up to a few seconds old."""
    row = visit_row(request)
    standing = hotpath.run(commands.place(row.desk.slug, visit))
    counts = why.agents_of_queue(row.desk.slug, standing.queue or row.queue_id)
    return {**counts, "needs": why.skills_of_visit(visit)}


@visits.post("/{visit}/beat", response={200: VisitOut}, summary="Send a visitor heartbeat")
def visit_beat(request: HttpRequest, given: BeatIn, visit: str = VisitId) -> Any:
    """Keep the visit alive and get its state. For polling."""
    row = visit_row(request)
    standing = beats.visit_beat(desk=row.desk, visit=visit, place=given.place)
    return {**standing_as_data(visit, standing), "visit": visit}


@visits.post("/{visit}/leave", response={200: VisitOut}, summary="Leave the line or the room")
def leave(request: HttpRequest, given: NothingIn, visit: str = VisitId) -> Any:
    """Leave the line, or end the room. Repeating it returns the same answer."""
    row = visit_row(request)
    standing = use.visit_leave(desk=row.desk, visit=visit)
    return {**standing_as_data(visit, standing), "visit": visit}


@visits.get("/{visit}/messages", response={200: MessagesOut}, summary="List messages")
def get_messages(
    request: HttpRequest,
    visit: str = VisitId,
    after: int = param.Query(0, ge=0, le=1_000_000),
) -> Any:
    """Up to 200 messages after a message number, oldest first."""
    return {
        "messages": messages_page(visit, after),
        "reads": receipts_of(visit),
    }


@visits.post("/{visit}/messages", response={200: RoomMessageOut}, summary="Send a message")
def post_visitor_message(request: HttpRequest, given: MessageIn, visit: str = VisitId) -> Any:
    """Send a message as the visitor. Repeating an ID doesn't send it twice."""
    row = visit_row(request)
    said = rooms.message_send(
        visit=row, author=Message.Author.VISITOR, client_id=given.id, text=given.text
    )
    return message_as_data(said.message)


@visits.post("/{visit}/typing", response={200: DoneOut}, summary="Show that the visitor is typing")
def typing_as_visitor(request: HttpRequest, given: NothingIn, visit: str = VisitId) -> Any:
    """Show on the agent's page, for a few seconds, that the visitor is typing."""
    rooms.typing_tell(visit=visit_row(request), by_agent=False)
    return {"answer": "ok"}


@visits.post(
    "/{visit}/read",
    response={200: ReadsOut},
    summary="Mark messages as read by the visitor",
)
def mark_read_as_visitor(request: HttpRequest, given: ReadIn, visit: str = VisitId) -> Any:
    """Mark all messages up to this number as read. Returns how far both sides have read."""
    row = visit_row(request)
    receipts.messages_read(visit=row, side=ReadReceipt.Side.VISITOR, number=given.number)
    return receipts_of(visit)


@visits.post("/{visit}/rating", response={200: RatingOut}, summary="Rate a visit")
def rate(request: HttpRequest, given: RatingIn, visit: str = VisitId) -> Any:
    """Rate with one to five stars. The rating can be changed for an hour."""
    row = visit_row(request)
    rating = use.visit_rate(visit=row, stars=given.stars, comment=given.comment)
    return {"stars": rating.stars, "comment": rating.comment}


TEXT = {"content": {"text/plain": {"schema": {"type": "string"}, "example": TRANSCRIPT}}}


@visits.get(
    "/{visit}/transcript",
    response={200: None},
    summary="Download the transcript",
    openapi_extra={"responses": {200: TEXT}},
)
def get_transcript(request: HttpRequest, visit: str = VisitId, zone: str = Zone) -> Any:
    """The conversation as a text file."""
    if zone not in zone_names():
        raise ProblemError("malformed", f"{zone} is not a time zone.")
    row = visit_row(request)
    name = f'attachment; filename="transcript-{row.public_id}.txt"'
    return HttpResponse(
        consoles.transcript(row, zone),
        content_type="text/plain; charset=utf-8",
        headers={"Content-Disposition": name, "X-Content-Type-Options": "nosniff"},
    )
