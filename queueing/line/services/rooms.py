"""Rooms: messages, offers, transfers, ends, and what agents and supervisors do."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Max
from django.utils import timezone
from django.utils.translation import gettext as _

from poolsite import access, hotpath, live
from poolsite.access.services.actor import Actor, name_of, require
from queueing.line import desk as commands
from queueing.line import pauses
from queueing.line.errors import LineError
from queueing.line.models import Agent, Message, Queue, Visit
from queueing.line.services import keeping
from queueing.line.services.common import REBUILT, clean, clean_text
from queueing.line.services.visits import visit_leave

MESSAGES_LIMIT = 2_000  # per visit
FIRST_MESSAGES = 20  # from a visitor whom no agent has served yet
CLIENT_ID_LENGTH = 40


@dataclass(frozen=True, slots=True)
class SentMessage:
    """A message of the transcript. `is_new` is False if it had been sent before."""

    message: Message
    is_new: bool


def message_send(
    *,
    visit: Visit,
    author: str,
    client_id: str,
    text: str,
    agent: Agent | None = None,
    said_by: str = "",
    bind: Callable[[Message], None] | None = None,
) -> SentMessage:
    """Add a message to a transcript, once per (author, client_id), numbered without gaps.

    bind: called with the new row, inside its transaction, to attach a file; the message may then
    have no text. Raise LineError malformed (empty, over 4,000 characters, no ID, or more than a
    visitor may write before an agent comes) or visit-ended, and whatever `bind` raises.
    """
    body = clean_text(text) if text.strip() or bind is None else ""
    if not client_id or len(client_id) > CLIENT_ID_LENGTH or not client_id.isprintable():
        raise LineError("malformed", "A message needs an id of 1 to 40 characters.")
    known = Message.objects.filter(visit=visit, author=author, client_id=client_id).first()
    if known is not None:
        return SentMessage(known, False)
    if visit.ended_at is not None and author != Message.Author.NOTE:
        raise LineError("visit-ended", "This visit has ended.")
    try:
        with transaction.atomic():
            locked = Visit.objects.select_for_update().get(pk=visit.pk)
            last = Message.objects.filter(visit=locked).aggregate(last=Max("number"))["last"] or 0
            if last >= MESSAGES_LIMIT:
                raise LineError("malformed", "This transcript is full.")
            if author == Message.Author.VISITOR and last >= FIRST_MESSAGES and _is_unread(locked):
                raise LineError(
                    "malformed",
                    _("Your agent reads these messages first. After that, you can write more."),
                )
            message = Message.objects.create(
                visit=locked,
                number=last + 1,
                author=author,
                agent=agent,
                said_by=said_by,
                client_id=client_id,
                text=body,
                at=timezone.now(),
            )
            if bind is not None:
                bind(message)
            live.touch(f"line.room:{visit.public_id}")
            if last == 0 and locked.matched_at is None:  # the waiting list shows the first message
                live.touch(f"line.waiting:{visit.queue.slug}")
    except IntegrityError:  # another connection sent the same message at the same moment
        return SentMessage(
            Message.objects.get(visit=visit, author=author, client_id=client_id), False
        )
    return SentMessage(message, True)


def _is_unread(visit: Visit) -> bool:
    """Whether no agent has served the visit yet. Asks Redis, because SQL may lack the match."""
    if visit.matched_at is not None:
        return False
    return hotpath.run(commands.place(visit.desk.slug, visit.public_id)).answer != "room"


def typing_tell(*, visit: Visit, by_agent: bool) -> None:
    """Notify the other side that someone is typing. The notice is not stored."""
    if by_agent:
        live.personal(f"visitor:{visit.public_id}", "line.typing", {"visit": visit.public_id})
        return
    standing = hotpath.run(commands.place(visit.desk.slug, visit.public_id))
    if standing.answer == "room" and standing.agent is not None:
        live.personal(standing.agent, "line.typing", {"visit": visit.public_id})


def agent_login(agent: Agent) -> commands.AgentState:
    """Put the agent online, also after a pause. Repeating it returns the same rooms."""
    state = _known(hotpath.run(commands.login(agent.desk.slug, agent.user_id)))
    keeping.heard(agent.desk.slug)
    return state


def agent_pause(agent: Agent, reason: str) -> commands.AgentState:
    """Pause the agent as soon as its last room has ended.

    Raise LineError pause-reason if the reason is not in the desk's list.
    """
    reasons = pauses.read_reasons(agent.desk.pause_reasons)
    found = pauses.find_reason(reasons, clean(reason, 60))
    if found is None:
        raise LineError("pause-reason", ", ".join(each.text for each in reasons))
    return _known(hotpath.run(commands.pause(agent.desk.slug, agent.user_id, found.text)))


def agent_logout(agent: Agent, reason: str = "") -> commands.AgentState:
    """Log the agent out as soon as its last room has ended."""
    return _known(hotpath.run(commands.logout(agent.desk.slug, agent.user_id, clean(reason, 60))))


def agent_ready(agent: Agent) -> commands.DeskReply:
    """End the agent's wrap-up early."""
    return _checked(hotpath.run(commands.ready(agent.desk.slug, agent.user_id)))


def agent_beat(agent: Agent) -> commands.AgentState:
    """Record that the agent is present (by WebSocket or poll)."""
    state = hotpath.run(commands.agent_beat(agent.desk.slug, agent.user_id))
    keeping.heard(agent.desk.slug)
    return state


def agent_rooms(agent: Agent) -> tuple[commands.Slot, ...]:
    """Return the agent's current slots from Redis. Does not count as a heartbeat."""
    return hotpath.run(commands.agent_state(agent.desk.slug, agent.user_id)).slots


def offer_answer(agent: Agent, visit: str, token: str, *, yes: bool) -> commands.DeskReply:
    """Accept or decline an offer. Raise LineError offer-over if it has gone to another agent."""
    does = commands.accept if yes else commands.decline
    return _checked(hotpath.run(does(agent.desk.slug, agent.user_id, visit, token)))


def visit_take(agent: Agent, visit: str = "") -> commands.DeskReply:
    """Take a chosen or the next visitor. Raise LineError if no one waits or the agent is full."""
    return _checked(hotpath.run(commands.take(agent.desk.slug, agent.user_id, visit)))


def room_finish(agent: Agent, visit: str) -> commands.DeskReply:
    """End one of the agent's rooms. The next visitor comes in the same step."""
    return _checked(hotpath.run(commands.finish(agent.desk.slug, agent.user_id, visit)))


def visit_transfer(
    *, actor: Actor, visit: Visit, queue: Queue | None = None, agent: Agent | None = None
) -> commands.Standing:
    """Transfer a visitor, with the transcript, to a queue or an agent of the same desk.

    For the agent who serves the visit, or for a supervisor, who can also transfer a waiting
    visitor.
    """
    if queue is not None and queue.desk_id == visit.desk_id:
        command = commands.transfer_to_queue(
            visit.desk.slug, visit.public_id, queue.pk, by=name_of(actor)
        )
    elif agent is not None and agent.desk_id == visit.desk_id:
        command = commands.transfer_to_agent(
            visit.desk.slug, visit.public_id, agent.user_id, by=name_of(actor)
        )
    else:
        raise LineError("unknown-queue", "Choose a queue or an agent of the same desk.")
    return _standing(hotpath.run(command))


# -- a supervisor's operations ---------------------------------------------------------------


def visit_end_by_supervisor(*, actor: Actor, visit: Visit, reason: str) -> commands.Standing:
    """End a visit that waits or is in a room. Raise LineError unavailable during a rebuild."""
    require(actor, "line.supervise", visit)
    _audit(actor, "line.visit_end", visit, reason)
    return visit_leave(desk=visit.desk, visit=visit.public_id, outcome="removed", by=name_of(actor))


def visit_move(
    *, actor: Actor, visit: Visit, queue: Queue, front: bool = False, reason: str = ""
) -> commands.Standing:
    """Move a visitor to another queue of the desk, or to the front of their class."""
    require(actor, "line.supervise", visit)
    if queue.desk_id != visit.desk_id:
        raise LineError("unknown-queue", "Choose a queue of the same desk.")
    _audit(actor, "line.visit_move", visit, reason, queue=queue.slug, front=front)
    command = commands.transfer_to_queue(
        visit.desk.slug, visit.public_id, queue.pk, front=front, by=name_of(actor)
    )
    return _standing(hotpath.run(command))


def visit_take_over(
    *, actor: Actor, visit: Visit, agent: Agent, reason: str = ""
) -> commands.Standing:
    """Give a room to another agent, who may be the supervisor."""
    require(actor, "line.supervise", visit)
    _audit(actor, "line.visit_take_over", visit, reason, agent=agent.name)
    command = commands.transfer_to_agent(
        visit.desk.slug, visit.public_id, agent.user_id, by=name_of(actor)
    )
    return _standing(hotpath.run(command))


def agent_pause_by_supervisor(*, actor: Actor, agent: Agent, reason: str) -> commands.AgentState:
    """Pause an agent after its rooms, for a reason of the desk. Raise LineError pause-reason."""
    require(actor, "line.supervise", agent.desk)
    state = agent_pause(agent, reason)
    with transaction.atomic():
        access.audit(actor=actor, action="line.agent_pause", thing=agent, after={"reason": reason})
    return state


def agent_log_out_now(*, actor: Actor, agent: Agent, reason: str) -> commands.AgentState:
    """Log an agent out immediately. Its visitors return to the front of the line."""
    require(actor, "line.supervise", agent.desk)
    with transaction.atomic():
        access.audit(
            actor=actor, action="line.agent_log_out", thing=agent, reason=clean(reason, 200)
        )
    command = commands.log_out_now(
        agent.desk.slug, agent.user_id, clean(reason, 60) or "supervisor"
    )
    return _known(hotpath.run(command))


def _audit(actor: Actor, action: str, visit: Visit, reason: str, **after: Any) -> None:
    with transaction.atomic():
        access.audit(
            actor=actor, action=action, thing=visit, after=after or None, reason=clean(reason, 200)
        )


def _known(state: commands.AgentState) -> commands.AgentState:
    if state.answer not in ("ok", "offline"):
        raise LineError("unknown-agent", "Agent not found at this desk.")
    return state


PROBLEM_OF = {
    "late": ("offer-over", "The offer has expired."),
    "nobody": ("no-room", "No one is waiting."),
    "no_room": ("no-room", "The agent has no free room."),
    "away": ("no-room", "The visitor is away for a moment."),
    "taken": ("no-room", "Another agent is serving this visitor."),
    "not_yours": ("not-yours", "The room belongs to another agent."),
    "gone": ("unknown-agent", "Agent not found at this desk."),
    "full": ("queue-full", "That queue is full."),
}


def _checked(answer: commands.DeskReply) -> commands.DeskReply:
    if answer.ok:
        return answer
    raise LineError(*PROBLEM_OF.get(answer.answer, REBUILT))


def _standing(standing: commands.Standing) -> commands.Standing:
    if standing.is_there:
        return standing
    if standing.answer in ("gone", "ended"):
        raise LineError("visit-ended", "This visit has ended.")
    raise LineError(*PROBLEM_OF.get(standing.answer, REBUILT))
