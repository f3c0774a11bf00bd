"""Routes of a desk's visits: listed, read with the transcript, moved, given an outcome."""

from typing import Any

from django.http import HttpRequest
from ninja import Query, Router

from poolsite.access import principal_of_request
from poolsite.api.pages import Page, page
from poolsite.moments import iso
from queueing.line.api.agents import agent_of, agents
from queueing.line.api.answers import DoneOut
from queueing.line.api.answers_wrap_up import OutcomeOut
from queueing.line.api.credentials import AtDesk, ReadingVisit, desk_of_request
from queueing.line.api.desks import Slug
from queueing.line.api.found import queue_named, visit_named
from queueing.line.api.visit_schemas import (
    DeskVisitOut,
    HistoryAskedIn,
    MoveIn,
    OwnRoomOut,
    OwnVisitOut,
    TranscriptOut,
    VisitOutcomeIn,
    VisitsIn,
)
from queueing.line.api.visits import VisitId, visit_row
from queueing.line.errors import LineError
from queueing.line.models import Message, Room, RoomEvent, Visit
from queueing.line.selectors import own_history, stories
from queueing.line.selectors.attachments import attachments_of
from queueing.line.selectors.visits import WantedVisits, visits_of
from queueing.line.services import outcomes, rooms
from queueing.line.topics.visit import message_as_data

records = Router(tags=["line"])
VIEW, SUPERVISE = AtDesk("line.view"), AtDesk("line.supervise")


@records.get("/{slug}/visits", auth=VIEW, response={200: Page[DeskVisitOut]}, summary="List visits")
def list_visits(request: HttpRequest, asked: Query[VisitsIn], slug: str = Slug) -> Any:
    """The visits to the desk, newest first. Changes appear after a few seconds."""
    if asked.queue:
        queue_named(request, asked.queue)
    wanted = WantedVisits(
        queue=asked.queue,
        agent=asked.agent,
        state=asked.state or "",
        since=asked.joined_from,
        until=asked.joined_until,
        stars=asked.rating,
    )
    return page(request, asked, visits_of(desk_of_request(request), wanted), _visit_out)


@records.get(
    "/{slug}/visits/{visit}",
    auth=ReadingVisit(),
    response={200: TranscriptOut},
    summary="Get a visit with its transcript",
)
def get_transcript_of_visit(request: HttpRequest, slug: str = Slug, visit: str = VisitId) -> Any:
    """The visit with its messages, internal notes and whispers, oldest first.

    Agents can read visits whose visitor is in their room.
    """
    row = visit_row(request)
    low, high = row.predicted_low_seconds, row.predicted_high_seconds
    said = Message.objects.filter(visit=row).select_related("agent", "attachment")
    return {
        **_visit_out(row),
        "skills": row.skills,
        "verified": row.verified_subject,
        "predicted_seconds": None if low is None or high is None else [low, high],
        "rooms": [_room_out(room) for room in _rooms(row)],
        "events": [_event_out(event) for event in stories.events_of(row)],
        "messages": [message_as_data(each) for each in said[: stories.MOST]],
        "files": attachments_of(row, principal_of_request(request)),
    }


@records.post(
    "/{slug}/visits/{visit}/move",
    auth=SUPERVISE,
    response={200: DoneOut},
    summary="Move a visitor to another queue",
)
def move_visit(request: HttpRequest, given: MoveIn, slug: str = Slug, visit: str = VisitId) -> Any:
    """Move a visitor to another queue of the desk, from the line or from a room."""
    rooms.visit_move(
        actor=principal_of_request(request),
        visit=visit_named(request, visit),
        queue=queue_named(request, given.queue),
        reason=given.reason,
    )
    return {"answer": "ok"}


@records.post(
    "/{slug}/visits/{visit}/outcome",
    auth=SUPERVISE,
    response={200: OutcomeOut},
    summary="Set a visit's outcome",
)
def set_visit_outcome(
    request: HttpRequest, given: VisitOutcomeIn, slug: str = Slug, visit: str = VisitId
) -> Any:
    """Set or remove the outcome at any time. Agents use `POST /agent/outcome`."""
    row = visit_named(request, visit)
    code = outcomes.outcome_of_id(row, given.outcome)
    actor = principal_of_request(request)
    done = outcomes.visit_outcome(actor=actor, visit=row, code=code)
    return {"visit": row.public_id, "outcome": done.outcome_code_id}


# -- an agent's own history ------------------------------------------------------------------------


@agents.get("/history", response={200: Page[OwnRoomOut]}, summary="List an agent's past rooms")
def list_own_rooms(request: HttpRequest, asked: Query[HistoryAskedIn]) -> Any:
    """The agent's own rooms of the last days that have ended, newest first."""
    wanted = own_history.HistoryQuery(
        days=asked.days, search=asked.q.strip(), outcome=asked.outcome, stars=asked.stars
    )
    rows = own_history.own_rooms(agent_of(request), wanted)
    return page(request, asked, rows, _own_room_out)


@agents.get("/history/{visit}", response={200: OwnVisitOut}, summary="Get a past visit of an agent")
def get_own_visit(request: HttpRequest, visit: str = VisitId) -> Any:
    """A visit of the last 90 days in which the agent had a room, up to the end of that room."""
    agent = agent_of(request)
    row = own_history.own_visit(agent, visit)
    if row is None:
        raise LineError("unknown-visit")
    said = own_history.own_messages(agent, row).select_related("attachment")
    return {
        **_visit_out(row),
        "may_choose": outcomes.may_choose(agent, row),
        "messages": [message_as_data(each) for each in said],
    }


def _own_room_out(row: Room) -> dict[str, Any]:
    visit = row.visit
    told = _visit_out(visit)
    shared = ("visit", "name", "topic", "outcome", "outcome_name", "rating")
    return {
        **{name: told[name] for name in shared},
        "queue": row.queue.slug,
        "began_at": row.began_at.isoformat(),
        "ended_at": iso(row.ended_at),
    }


def _visit_out(row: Visit) -> dict[str, Any]:
    rating = getattr(row, "rating", None)
    code = row.outcome_code
    return {
        "visit": row.public_id,
        "state": _state(row),
        "queue": row.queue.slug,
        "agent": row.agent.user_id if row.agent is not None else None,
        "name": row.name,
        "topic": row.topic,
        "contact": row.contact,
        "language": row.language,
        "priority": row.priority,
        "joined_at": row.joined_at.isoformat(),
        "matched_at": iso(row.matched_at),
        "ended_at": iso(row.ended_at),
        "end": row.outcome,
        "outcome": code.pk if code is not None else None,
        "outcome_name": code.name if code is not None else None,
        "rating": rating.stars if rating is not None else None,
        "comment": rating.comment if rating is not None else "",
        "erased_at": iso(row.erased_at),
    }


def _state(row: Visit) -> str:
    """Return the state as far as SQL has it. A list has already looked up open rooms."""
    if row.ended_at is not None:
        return "ended"
    known: bool | None = getattr(row, "in_room", None)
    in_room = row.rooms.filter(ended_at=None).exists() if known is None else known
    return "room" if in_room else "waiting"


def _rooms(visit: Visit) -> Any:
    return visit.rooms.select_related("agent", "queue").order_by("began_at")


def _room_out(room: Room) -> dict[str, Any]:
    return {
        "agent": room.agent.user_id,
        "name": room.agent.name,
        "queue": room.queue.slug,
        "began_at": room.began_at.isoformat(),
        "ended_at": iso(room.ended_at),
    }


def _event_out(event: RoomEvent) -> dict[str, Any]:
    return {
        "at": event.at.isoformat(),
        "kind": event.kind,
        "agent": event.agent.user_id if event.agent is not None else None,
        "actor": event.actor,
        "text": event.text,
    }
