"""A visit's story for staff: its events and messages, in order."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from poolsite.access import Principal
from poolsite.console.sentences import Names
from poolsite.console.templatetags.console import figure, span
from queueing.line.models import Message, RoomEvent, Visit
from queueing.line.selectors.attachments import ShownFile, shown_file

MOST = 2_500
_MOVES = ("transfer", "move", "overflow")
_BACK_IN_LINE = ("returned", "transfer")
_WHY = re.compile(
    r"^(?P<how>fewest rooms longest idle|agent became free)"
    r"(?: rooms (?P<rooms>\d+) idle s (?P<idle>\d+))?\Z"
)


@dataclass(frozen=True, slots=True)
class StoryLine:
    """A line of the story. `look` is event, visitor, agent, supervisor, whisper or note.

    `why`: how long the phase before an event took, who caused it and why.
    """

    at: datetime
    look: str
    who: str
    text: str
    why: str = ""
    file: ShownFile | None = None


def story(visit: Visit, reader: Principal) -> list[StoryLine]:
    """Return a visit's story, oldest first, with internal notes and with files for this reader."""
    events = events_of(visit)
    lines = [_joined(visit, events), *_happened(visit, events)]
    for each in Message.objects.filter(visit=visit).select_related("agent", "attachment")[:MOST]:
        if each.author == Message.Author.SYSTEM:
            continue  # shown as an event
        name = each.speaker or visit.name or _("Visitor")
        file = shown_file(each, reader)
        lines.append(StoryLine(each.at, each.author, name, each.text, file=file))
    if visit.outcome_code is not None and visit.outcome_at is not None:
        words = _("Outcome: %(outcome)s.") % {"outcome": visit.outcome_code.name}
        lines.append(
            StoryLine(visit.outcome_at, "event", "", words, _by(Names(), visit.outcome_by))
        )
    return sorted(lines, key=lambda line: line.at)


def events_of(visit: Visit) -> list[RoomEvent]:
    """Return a visit's events, oldest first. If none are stored, derive them from the rooms."""
    kept = list(RoomEvent.objects.filter(visit=visit).select_related("agent")[:MOST])
    if kept:
        return kept
    found = [
        RoomEvent(kind="room", agent=room.agent, text=visit.why, at=room.began_at)
        for room in visit.rooms.select_related("agent").order_by("began_at")
    ]
    if visit.ended_at is not None:
        found.append(RoomEvent(kind="end", text=visit.outcome, at=visit.ended_at))
    return found


def _joined(visit: Visit, events: Iterable[RoomEvent]) -> StoryLine:
    """Return the line about joining. It names the queue only if the visit was never moved."""
    text = _("Joined %(queue)s.") % {"queue": visit.queue}
    if any(event.kind in _MOVES for event in events):
        text = _("Joined the line.")
    why = []
    if visit.place_at_join == 0:
        why.append(_("next in line"))
    elif visit.place_at_join is not None:
        ahead = ngettext("%(n)s visitor ahead", "%(n)s visitors ahead", visit.place_at_join)
        why.append(ahead % {"n": figure(visit.place_at_join)})
    if told := told_range(visit):
        why.append(_("expected wait %(range)s") % {"range": told})
    return StoryLine(visit.joined_at, "event", "", text, capfirst(" · ".join(why)))


def told_range(visit: Visit) -> str:
    """Return the wait range that the visitor was shown, "2 min to 4 min", or ""."""
    low, high = visit.predicted_low_seconds, visit.predicted_high_seconds
    if low is None or high is None:
        return ""
    return _("%(low)s to %(high)s") % {"low": span(low), "high": span(high)}


def _happened(visit: Visit, events: list[RoomEvent]) -> list[StoryLine]:
    """Return the events, each with the length of the wait or the room before it."""
    names = Names({event.actor for event in events})
    lines, since, in_room = [], visit.joined_at, False
    for event in events:
        why = []
        if event.kind == "room" and not in_room:
            why.append(_("Waited %(time)s") % {"time": span(_seconds(since, event))})
        elif event.kind in ("room", "end", *_BACK_IN_LINE):
            words = _("Room lasted %(time)s") if in_room else _("Waited %(time)s")
            why.append(words % {"time": span(_seconds(since, event))})
        if event.kind == "room":
            since, in_room = event.at, True
            why.append(why_words(event.text))
        elif event.kind in _BACK_IN_LINE:
            since, in_room = event.at, False
        if event.kind in ("transfer", "move"):
            why.append(_by(names, event.actor or event.text))
        elif event.kind == "end" and event.text == Visit.Outcome.REMOVED:
            why.append(_by(names, event.actor))
        lines.append(
            StoryLine(
                event.at, "event", "", event_words(event, names), " · ".join(filter(None, why))
            )
        )
    return lines


def _seconds(since: datetime, event: RoomEvent) -> float:
    return (event.at - since).total_seconds()


def _name(names: Names, actor: str) -> str:
    """Return the actor's name, or "" if no person acted. Redis stores a name as one word."""
    if actor in ("", "sweep"):
        return ""
    name = names.of(actor)
    return name.replace("_", " ") if name == actor else name


def _by(names: Names, actor: str) -> str:
    name = _name(names, actor)
    return _("By %(name)s") % {"name": name} if name else ""


def event_words(event: RoomEvent, names: Names | None = None) -> str:
    """Return an event as a sentence. `names`: of the actors, read at once for many events."""
    names = names or Names()
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
        "called": _("%(agent)s called the visitor back."),
        "guest_joined": _("%(name)s joined the room."),
        "guest_left": _("%(name)s left the room."),
        "guest_whispered": _("%(name)s whispered to %(agent)s."),
    }
    return words.get(event.kind, event.kind) % {
        "agent": event.agent.name if event.agent is not None else "–",
        "name": _name(names, event.actor) or _("A supervisor"),
    }


def why_words(why: str) -> str:
    """Return the scripts' reason for choosing this agent as a sentence for people."""
    found = _WHY.match(why)
    if found is not None and found["rooms"] is None:
        return {
            "fewest rooms longest idle": _("Fewest rooms, then longest idle"),
            "agent became free": _("Agent became free; next in line"),
        }[found["how"]]
    if found is not None:
        words = {
            "fewest rooms longest idle": _(
                "Fewest rooms (%(rooms)s), then longest idle (%(idle)s)"
            ),
            "agent became free": _(
                "Agent became free (%(rooms)s rooms, idle %(idle)s); next in line"
            ),
        }
        return words[found["how"]] % {"rooms": found["rooms"], "idle": span(int(found["idle"]))}
    if why == "taken by the agent":
        return _("Taken by the agent")
    for begin, words_by in (
        ("taken by ", _("Taken by %(name)s")),
        ("transferred by ", _("Transferred by %(name)s")),
    ):
        if why.startswith(begin):
            return words_by % {"name": Names().of(why.removeprefix(begin))}
    return why
