"""A supervisor in a room: whispers to the agent, joins as a third person, takes the room over."""

from typing import Final

from django.db import IntegrityError, transaction
from django.utils import timezone

from poolsite import access, hotpath
from poolsite.access import Principal
from poolsite.access.services.actor import Actor, name_of, require, user_of
from queueing.line import desk as commands
from queueing.line.errors import LineError
from queueing.line.models import Agent, Message, Queue, RoomGuest, Visit
from queueing.line.services.common import clean
from queueing.line.services.rooms import SentMessage, message_send, visit_take_over

SUPERVISE: Final = "line.supervise"
IDENTITY_LENGTH: Final = 150
JOINED, LEFT, WHISPERED = "joined", "left", "whispered"  # also the texts of SYSTEM messages


def room_whisper(*, actor: Actor, visit: Visit, client_id: str, text: str) -> SentMessage:
    """Send the agent of a room a message that the visitor never sees. Idempotent by client_id.

    Raise LineError not-in-room or malformed.
    """
    require(actor, SUPERVISE, visit)
    _require_room(visit)
    with transaction.atomic():
        said = message_send(
            visit=visit,
            author=Message.Author.WHISPER,
            client_id=client_id,
            text=text,
            said_by=shown_name(actor, visit),
        )
        if said.is_new:
            access.audit(actor=actor, action="line.room_whisper", thing=visit)
    if said.is_new:
        _tell(visit, WHISPERED, actor)
    return said


def room_join(*, actor: Actor, visit: Visit) -> RoomGuest:
    """Join a room as a third person and notify both sides. Repeating it changes nothing.

    Raise LineError not-in-room.
    """
    require(actor, SUPERVISE, visit)
    _require_room(visit)
    by = identity_of(actor)
    try:
        with transaction.atomic():
            guest, is_new = RoomGuest.objects.get_or_create(
                visit=visit,
                by=by,
                left_at=None,
                defaults={"name": shown_name(actor, visit), "joined_at": timezone.now()},
            )
            if is_new:
                access.audit(actor=actor, action="line.room_join", thing=visit)
                _announce(guest, JOINED)
    except IntegrityError:  # another tab joined at the same moment
        return RoomGuest.objects.get(visit=visit, by=by, left_at=None)
    if is_new:
        _tell(visit, JOINED, actor)
    return guest


def room_leave(*, actor: Actor, visit: Visit) -> RoomGuest | None:
    """Leave a room and notify both sides. Return None if the actor was not in it."""
    require(actor, SUPERVISE, visit)
    with transaction.atomic():
        guests = RoomGuest.objects.select_for_update()
        guest = guests.filter(visit=visit, by=identity_of(actor), left_at=None).first()
        if guest is None:
            return None
        guest.left_at = timezone.now()
        guest.save(update_fields=["left_at"])
        access.audit(actor=actor, action="line.room_leave", thing=visit)
        if visit.ended_at is None:
            _announce(guest, LEFT)
    _tell(visit, LEFT, actor)
    return guest


def room_say(*, actor: Actor, visit: Visit, client_id: str, text: str) -> SentMessage:
    """Send both sides a message under the supervisor's own name. Idempotent by client_id.

    Raise LineError not-joined, not-in-room or malformed.
    """
    require(actor, SUPERVISE, visit)
    guest = RoomGuest.objects.filter(visit=visit, by=identity_of(actor), left_at=None).first()
    if guest is None:
        raise LineError("not-joined", "Join the room first.")
    _require_room(visit)
    return message_send(
        visit=visit,
        author=Message.Author.SUPERVISOR,
        client_id=client_id,
        text=text,
        said_by=guest.name,
    )


def room_take_over(*, actor: Actor, visit: Visit, reason: str) -> commands.Standing:
    """Move a room, with its transcript, to the supervisor's own seat.

    The reason goes to the audit log. Raise LineError malformed (no reason), not-an-agent, no-room
    (offline, paused or full) or not-in-room.
    """
    require(actor, SUPERVISE, visit)
    if not clean(reason, 200):
        raise LineError("malformed", "Give a reason.")
    user = user_of(actor)
    rows = Agent.objects.filter(desk=visit.desk, archived_at=None).select_related("desk")
    agent = rows.filter(user=user).first() if user is not None else None
    if agent is None:
        raise LineError("not-an-agent", "Only an agent of this desk can take a room over.")
    _require_room(visit)
    _require_seat(agent, visit)
    standing = visit_take_over(actor=actor, visit=visit, agent=agent, reason=reason)
    room_leave(actor=actor, visit=visit)  # the third person is the agent now
    return standing


def identity_of(actor: Actor) -> str:
    """Return a unique text for the actor; names are not unique."""
    if isinstance(actor, str):
        return actor[:IDENTITY_LENGTH]
    user = user_of(actor)
    if user is not None:
        return f"user:{user.pk}"
    return f"{actor.kind}:{actor.id}"[:IDENTITY_LENGTH] if isinstance(actor, Principal) else ""


def shown_name(actor: Actor, visit: Visit) -> str:
    """Return the name that both sides see: the agent name at this desk, else the person's name."""
    user = user_of(actor)
    if user is None:
        return clean(name_of(actor), 80)
    agent = Agent.objects.filter(desk=visit.desk_id, user=user, archived_at=None).first()
    return agent.name if agent is not None else clean(user.get_full_name() or name_of(actor), 80)


def queue_of(visit: Visit) -> Queue:
    """Return the visit's current queue, read from Redis: SQL may still have the previous queue."""
    standing = hotpath.run(commands.place(visit.desk.slug, visit.public_id))
    found = Queue.objects.filter(pk=standing.queue, desk=visit.desk_id).first()
    return found if found is not None else visit.queue


def _require_room(visit: Visit) -> None:
    if hotpath.run(commands.place(visit.desk.slug, visit.public_id)).answer != "room":
        raise LineError("not-in-room", "The visitor is not in a room.")


def _require_seat(agent: Agent, visit: Visit) -> None:
    state = hotpath.run(commands.agent_state(agent.desk.slug, agent.user_id))
    if any(slot.kind == "room" and slot.visit == visit.public_id for slot in state.slots):
        return
    if state.state == "paused":
        raise LineError("no-room", "You are paused. Resume first.")
    if state.state != "online":
        raise LineError("no-room", "You are offline. Go online first.")
    if state.pending:
        raise LineError("no-room", "You are about to pause or log out.")
    if len(state.slots) >= agent.capacity:
        raise LineError(
            "no-room", f"You have no free room: {len(state.slots)} of {agent.capacity} in use."
        )


def _announce(guest: RoomGuest, what: str) -> None:
    message_send(
        visit=guest.visit,
        author=Message.Author.SYSTEM,
        client_id=f"{what}-{guest.pk}",
        text=what,
        said_by=guest.name,
    )


def _tell(visit: Visit, what: str, actor: Actor) -> None:
    hotpath.run(commands.guest_tell(visit.desk.slug, visit.public_id, what, by=name_of(actor)))
