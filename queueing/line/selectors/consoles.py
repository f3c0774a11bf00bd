"""The data of visitors' and agents' pages, read from SQL and Redis."""

from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from django.db.models import Avg, Count, F
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from poolsite import hotpath
from queueing.line import desk as commands
from queueing.line.models import Agent, AgentShift, Message, Queue, RoomEvent, Visit
from queueing.line.selectors.promises import promises_of
from queueing.line.selectors.stories import event_words
from queueing.line.services import hours, routing
from queueing.line.services.attachments import text_with_file
from queueing.line.services.common import zone_of

# The events of a transcript. Who declined or missed a visitor is not for the visitor.
FOR_VISITORS = ("room", "returned", "transfer", "move", "overflow", "end")


def queue_out(queue: Queue) -> dict[str, Any]:
    """Return a queue's public data. Topics also have labels in the language of the request."""
    is_open = hours.is_open(queue)
    opens = None if is_open else hours.next_opening(queue)
    offered = routing.topics_of(queue)
    return {
        "slug": queue.slug,
        "name": queue.name,
        "open": is_open,
        "opens_at": opens.isoformat() if opens is not None else None,
        "zone": hours.queue_zone(queue),
        "closed_text": queue.closed_text,
        "welcome": queue.welcome,
        "topics": [topic.text for topic in offered],
        "topic_choices": [
            {"id": topic.pk, "text": topic.text, "label": topic.label(get_language() or "")}
            for topic in offered
        ],
        "grace_seconds": queue.grace_seconds,
        "room_grace_seconds": queue.room_grace_seconds,
        "promises": _promises(queue),
    }


def _promises(queue: Queue) -> dict[str, int] | None:
    known = promises_of(queue)
    return {"inside": known.inside, "of": known.of} if known.enough else None


def agent_out(agent: Agent, state: commands.AgentState | None = None) -> dict[str, Any]:
    """Return an agent's state with its rooms, offers and wrap-ups."""
    now = state or hotpath.run(commands.agent_state(agent.desk.slug, agent.user_id))
    ids = [slot.visit for slot in now.slots if slot.visit]
    rows = Visit.objects.filter(public_id__in=ids).select_related("queue")
    said = {row.public_id: row for row in rows}
    known = hotpath.run(commands.visits(agent.desk.slug, ids)) if ids else {}
    calls = {call.visit: call_out(call) for call in _calls(agent.desk.slug, ids)}
    return {
        "agent": agent.user_id,
        "name": agent.name,
        "desk": agent.desk.slug,
        "capacity": agent.capacity,
        "state": now.state,
        "pending": now.pending,
        "word": now.word,
        "offer_token": now.offer_token,
        "slots": [
            {
                **_slot_out(slot, said.get(slot.visit), known.get(slot.visit)),
                "call": calls.get(slot.visit),
            }
            for slot in now.slots
        ],
    }


def _calls(desk: str, visits: list[str]) -> list[commands.CallBack]:
    return hotpath.run(commands.calls_of(desk, visits)) if visits else []


def call_out(call: commands.CallBack) -> dict[str, str]:
    """Return a callback as the agent sees it: the number to call, and the number to call from."""
    return {"state": call.state, "callee": call.callee, "number": call.number}


def _slot_out(
    slot: commands.Slot, visit: Visit | None, record: commands.VisitRecord | None
) -> dict[str, Any]:
    out: dict[str, Any] = {"kind": slot.kind, "visit": slot.visit, "until_ms": slot.until_ms}
    if visit is not None:
        out |= {"name": visit.name, "topic": visit.topic, "queue": visit.queue.name}
        out |= {"queue_slug": visit.queue.slug, "joined": visit.joined_at.isoformat()}
        out |= {"skills": visit.skills, "contact": visit.contact, "place": place_told(visit)}
        out |= {"language": visit.language, "verified": bool(visit.verified_subject)}
    return out | since_and_why(record)


def place_told(visit: Visit) -> int:
    """Return the place in line at which the visitor joined: 1 is next, 0 is unknown."""
    return visit.place_at_join + 1 if visit.place_at_join is not None else 0


def since_and_why(record: commands.VisitRecord | None) -> dict[str, Any]:
    """Return since when the visit has its state and its visitor is away, and why this agent."""
    if record is None:
        return {}
    return {
        "since_ms": record.since_ms,
        "away_ms": record.away_since_ms,
        "why": record.word,
    }


def agent_day(agent: Agent, now: datetime) -> dict[str, Any]:
    """Return what an agent did since midnight in the desk's zone. Times in seconds."""
    begin = now.astimezone(ZoneInfo(zone_of(agent.desk))).replace(
        hour=0, minute=0, second=0, microsecond=0
    )
    ended = Visit.objects.filter(agent=agent, ended_at__gte=begin, matched_at__isnull=False)
    figures = ended.aggregate(
        served=Count("pk"), mean=Avg(F("ended_at") - F("matched_at")), stars=Avg("rating__stars")
    )
    shift = AgentShift.objects.filter(agent=agent, ended_at=None).first()
    mean = figures["mean"]
    return {
        "served": figures["served"],
        "mean_seconds": round(mean.total_seconds()) if mean is not None else None,
        "stars": round(figures["stars"], 1) if figures["stars"] is not None else None,
        "since": shift.began_at.isoformat() if shift is not None else None,
    }


def transcript(visit: Visit, zone: str = "UTC") -> str:
    """Return the conversation and its events as plain text, without internal notes.

    zone: the name of the time zone of the times.
    """
    joined = {"name": visit.name or visit.public_id, "queue": visit.queue.name}
    lines = [(visit.joined_at, _("%(name)s joined %(queue)s") % joined)]
    happened = RoomEvent.objects.filter(visit=visit, kind__in=FOR_VISITORS)
    happened = happened.select_related("agent")
    lines += [(each.at, f"* {event_words(each)}") for each in happened[:500]]
    words = Message.objects.filter(visit=visit).heard_by_visitors()
    for each in words.select_related("agent", "attachment"):
        lines.append((each.at, _message_line(visit, each)))
    lines.sort(key=lambda line: line[0])
    its = ZoneInfo(zone)
    return "".join(f"{at.astimezone(its):%Y-%m-%d %H:%M:%S %Z}  {text}\n" for at, text in lines)


def _message_line(visit: Visit, each: Message) -> str:
    if each.author == Message.Author.SYSTEM:
        return f"* {each.said_by} {each.text}".replace("*  ", "* ")
    name = each.speaker or visit.name or each.author
    text = text_with_file(each).replace("\n", "\n    ")
    return f"{name}: {text}"
