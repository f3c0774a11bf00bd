"""One visit's story for staff: what happened and what was said, in order."""

import re
from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import gettext as _

from poolsite.access import Principal
from queueing.line.models import Message, RoomEvent, Visit
from queueing.line.selectors.attachments import ShownFile, shown_file

MOST = 2_500
_WHY = re.compile(
    r"^(?P<how>fewest rooms longest idle|agent became free) "
    r"rooms (?P<rooms>\d+) idle s (?P<idle>\d+)\Z"
)


@dataclass(frozen=True, slots=True)
class Line:
    """One line: `look` is event, visitor, agent, supervisor, whisper or note."""

    at: datetime
    look: str
    who: str
    text: str
    file: ShownFile | None = None


def story(visit: Visit, reader: Principal) -> list[Line]:
    """Everything of a visit, oldest first; notes of the staff among it, files for this reader."""
    lines = [Line(visit.joined_at, "event", "", _("Joined %(queue)s.") % {"queue": visit.queue})]
    events = RoomEvent.objects.filter(visit=visit).select_related("agent")
    lines += [Line(event.at, "event", "", _event(event)) for event in events[:MOST]]
    for each in Message.objects.filter(visit=visit).select_related("agent", "attachment")[:MOST]:
        if each.author == Message.Author.SYSTEM:
            continue  # its event is told
        name = each.speaker or visit.name or _("Visitor")
        lines.append(Line(each.at, each.author, name, each.text, shown_file(each, reader)))
    if visit.outcome_code is not None and visit.outcome_at is not None:
        said = {"outcome": visit.outcome_code.name, "name": visit.outcome_by or "–"}
        words = _("Outcome: %(outcome)s. Set by %(name)s.") % said
        lines.append(Line(visit.outcome_at, "event", "", words))
    return sorted(lines, key=lambda line: line.at)


def _event(event: RoomEvent) -> str:
    agent = event.agent.name if event.agent is not None else "–"
    by = "" if event.actor in ("", "sweep") else event.actor.replace("_", " ")
    if event.kind == "end":
        outcome = dict(Visit.Outcome.choices).get(event.text, event.text)
        return _("The visit ended: %(outcome)s.") % {"outcome": outcome}
    words = {
        "room": _("Room with %(agent)s started."),
        "room_away": _("The visitor lost the connection. The room was held."),
        "room_back": _("The visitor reconnected."),
        "returned": _("Returned to the line: %(agent)s went offline."),
        "transfer": _("Transferred to another queue."),
        "move": _("Moved in line."),
        "overflow": _("Moved to the overflow queue."),
        "declined": _("%(agent)s declined."),
        "missed": _("%(agent)s missed the offer."),
        "guest_joined": _("A supervisor joined the room."),
        "guest_left": _("A supervisor left the room."),
        "guest_whispered": _("A supervisor whispered to %(agent)s."),
    }
    text = words.get(event.kind, event.kind) % {"agent": agent}
    if event.kind == "room" and event.text:
        return f"{text} {why_words(event.text)}"
    name = by or (event.text if event.kind in ("transfer", "move") else "")
    return _("%(what)s By %(name)s.") % {"what": text, "name": name} if name else text


def why_words(why: str) -> str:
    """Why this agent, in a sentence: the scripts' words, said to a person."""
    found = _WHY.match(why)
    if found is not None:
        words = {
            "fewest rooms longest idle": _(
                "Assigned: fewest rooms (%(rooms)s), then longest idle (%(idle)s s) of the "
                "available agents."
            ),
            "agent became free": _(
                "Assigned: the agent became free (%(rooms)s rooms, idle %(idle)s s) and this "
                "visitor was next in line."
            ),
        }
        return words[found["how"]] % {"rooms": found["rooms"], "idle": found["idle"]}
    for begin, words_by in (
        ("taken by ", _("Taken by %(name)s.")),
        ("transferred by ", _("Transferred by %(name)s.")),
    ):
        if why.startswith(begin):
            return words_by % {"name": why.removeprefix(begin)}
    return why
