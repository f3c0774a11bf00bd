"""The line's webhook events: rooms and visits that ended, transcripts that are complete."""

from functools import partial
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from poolsite.moments import iso
from poolsite.operations.webhooks.emitting import Happened
from poolsite.operations.webhooks.event_types import EventType, declare
from queueing.line.models import Room, Visit

GROUP = _("Waiting line")
VISIT, ROOM, TRANSCRIPT = "visit.ended", "room.ended", "transcript.ready"
_AT = "2026-03-01T02:32:07.481920+00:00"
_VISIT = {"desk": "support", "visit": "Qm9v4kZr2xWc", "queue": "sales", "agent": "Mei"}


def register() -> None:
    """Declare the event types. Called once, by AppConfig.ready()."""
    declare(
        EventType(
            *(ROOM, GROUP, _("Room ended")),
            _("An agent and a visitor parted. After a transfer, a visit has several rooms."),
            {**_VISIT, "began_at": _AT, "ended_at": _AT},
        ),
        EventType(
            *(VISIT, GROUP, _("Visit ended")),
            _("The visitor was served or has left."),
            {**_VISIT, "outcome": "served", "joined_at": _AT, "matched_at": _AT, "ended_at": _AT},
        ),
        EventType(
            *(TRANSCRIPT, GROUP, _("Transcript ready")),
            _("A visit with an agent has ended, and its transcript is complete."),
            _VISIT,
        ),
    )


def room_ended(room: Room, visit: Visit) -> Happened:
    """Return the event of a room that has ended."""
    data = {
        "agent": room.agent.name,
        "began_at": room.began_at.isoformat(),
        "ended_at": iso(room.ended_at),
    }
    return _of(ROOM, visit, data, f"{visit.public_id} {room.began_at.isoformat()}")


def visit_ended(visit: Visit) -> list[Happened]:
    """Return the events of a visit that has ended."""
    agent = {"agent": visit.agent.name if visit.agent is not None else None}
    data = {
        **agent,
        "outcome": visit.outcome,
        **{name: iso(getattr(visit, name)) for name in ("joined_at", "matched_at", "ended_at")},
    }
    told = [_of(VISIT, visit, data, visit.public_id)]
    if visit.matched_at is not None:
        told.append(_of(TRANSCRIPT, visit, agent, visit.public_id))
    return told


def _of(kind: str, visit: Visit, data: dict[str, Any], key: str) -> Happened:
    desk = visit.desk
    return Happened(
        kind,
        desk.account_id,
        {"desk": desk.slug, "visit": visit.public_id, "queue": visit.queue.slug, **data},
        page=partial(reverse, "line:story", args=[desk.slug, visit.public_id]),
        key=key,
    )
