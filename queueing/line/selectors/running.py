"""What was running at a desk at a past moment, from SQL: visits, rooms, shifts, wrap-ups.

Visits and rooms that began more than a day earlier are ignored.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Q

from poolsite.moments import moment_of, us_of
from queueing.line.models import Agent, AgentShift, Desk, LineEvent, Room, Visit

LONGEST_VISIT = timedelta(days=1)
LONGEST_WRAP_UP = timedelta(hours=1)
LOST_SHOWN = timedelta(minutes=2)
# After these events, a visit is in the queue that the event names, with or without a room.
PLACES = (
    *("join", "loaded", "room", "offer", "returned", "transfer", "move", "overflow"),
    *("declined", "missed", "withdrawn"),
)
WRAP_UP_ENDS = ("ready", "pause", "logout", "agent_lost", "room")


@dataclass(frozen=True, slots=True)
class Running:
    """A running visit: its queue, its arrival, and when it was first served."""

    key: int
    queue: int
    offered_to: str  # the agent's user ID, or ""
    joined: datetime
    matched: datetime | None


@dataclass(frozen=True)
class Then:
    """What was running at a moment."""

    at: datetime
    running: list[Running]
    served: set[int]  # keys of the visits in a room
    rooms: dict[int, list[datetime]]  # agent → begins
    shifts: dict[int, AgentShift]  # agent → the shift
    wrap_ups: dict[int, datetime]  # agent → its latest end
    lost: dict[int, datetime]  # agent → when the heartbeat stopped


def then_of(desk: Desk, at: datetime, agents: Mapping[int, Agent]) -> Then:
    """Return all that was running. `agents`: the desk's agents by their key."""
    rooms: dict[int, list[datetime]] = {}
    served: set[int] = set()
    rows = Room.objects.filter(
        Q(ended_at=None) | Q(ended_at__gt=at),
        queue__desk=desk,
        began_at__lte=at,
        began_at__gt=at - LONGEST_VISIT,
    )
    for agent, visit, began in rows.values_list("agent_id", "visit_id", "began_at"):
        rooms.setdefault(agent, []).append(began)
        served.add(visit)
    shifts = AgentShift.objects.filter(
        Q(ended_at=None) | Q(ended_at__gt=at),
        agent__in=agents,
        began_at__lte=at,
        began_at__gt=at - 2 * LONGEST_VISIT,
    )
    lost = AgentShift.objects.filter(
        agent__in=agents, ended_how="lost", ended_at__lte=at, ended_at__gt=at - LOST_SHOWN
    )
    online = {shift.agent_id: shift for shift in shifts}
    return Then(
        at,
        _running(desk, at),
        served,
        rooms,
        online,
        _wrap_ups(desk, at, agents),
        {
            key: ended
            for key, ended in lost.values_list("agent_id", "ended_at")
            if key not in online and ended is not None
        },
    )


def _running(desk: Desk, at: datetime) -> list[Running]:
    """Return visits that had joined and not ended, each with its queue at that moment."""
    rows = Visit.objects.filter(
        Q(ended_at=None) | Q(ended_at__gt=at),
        desk=desk,
        joined_at__lte=at,
        joined_at__gt=at - LONGEST_VISIT,
    )
    names = ("pk", "public_id", "queue_id", "joined_at", "matched_at")
    found = list(rows.values_list(*names))
    places = _places(desk, at, [row[1] for row in found])
    running = []
    for key, name, queue, joined, matched in found:
        stands, offered_to = places.get(name, (queue, ""))
        running.append(Running(key, stands, offered_to, joined, matched))
    return running


def _places(desk: Desk, at: datetime, names: Sequence[str]) -> dict[str, tuple[int, str]]:
    """Return each visit's queue by its last event, and the agent to whom it was offered."""
    told = LineEvent.objects.filter(
        aggregate=desk, visit__in=names, kind__in=PLACES, at_us__lte=us_of(at)
    ).order_by("generation", "seq")
    return {
        visit: (int(queue), agent if kind == "offer" else "")
        for visit, queue, agent, kind in told.values_list("visit", "queue", "agent", "kind")
        if queue.isdecimal()
    }


def _wrap_ups(desk: Desk, at: datetime, agents: Mapping[int, Agent]) -> dict[int, datetime]:
    """Return agents in wrap-up and its end: the last one begun, unless an event ended it.

    Each lasts as long as its queue's wrap-up time.
    """
    key_of = {str(agent.user_id): key for key, agent in agents.items()}
    lasts = dict(desk.queues.values_list("pk", "wrap_up_seconds"))
    rows = LineEvent.objects.filter(
        aggregate=desk,
        kind__in=("wrapup", *WRAP_UP_ENDS),
        at_us__gt=us_of(at - LONGEST_WRAP_UP),
        at_us__lte=us_of(at),
    ).order_by("generation", "seq")
    running: dict[int, datetime] = {}
    for kind, name, queue, at_us in rows.values_list("kind", "agent", "queue", "at_us"):
        key = key_of.get(name)
        if key is None:
            continue
        running.pop(key, None)
        if kind == "wrapup" and queue.isdecimal():
            running[key] = moment_of(at_us) + timedelta(seconds=lasts.get(int(queue), 0))
    return {key: until for key, until in running.items() if until > at}
