"""Occupancy of agents: time in rooms and wrap-up, as a share of the time available for rooms."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Q

from poolsite.moments import moment_of, us_of
from queueing.line import definitions
from queueing.line.models import Agent, AgentShift, LineEvent, Room

LONGEST_ROOM = timedelta(days=1)  # rooms and shifts that began earlier are ignored
LONGEST_SHIFT = timedelta(days=2)
LONGEST_WRAP_UP = timedelta(hours=1)
WRAP_UP_ENDS = ("ready", "pause", "logout", "agent_lost")  # as in the shifts
Interval = tuple[int, datetime, datetime]  # the agent's key, begin, end


@dataclass(frozen=True, slots=True)
class Use:
    """Seconds in rooms and wrap-up, and seconds available for rooms (online, not paused)."""

    used: float = 0.0
    open: float = 0.0

    @property
    def share(self) -> float | None:
        """The share in use, 0 to 1; None if no time was available."""
        return definitions.occupancy(self.used, self.open)


def use_by_agent(
    agents: Sequence[Agent], since: datetime, until: datetime, *, now: datetime
) -> dict[int, Use]:
    """Return each agent's use within a time span, by the agent's key."""
    until = min(until, now)
    used = dict.fromkeys((agent.pk for agent in agents), 0.0)
    open_for = dict(used)
    for key, begin, end in _handling(agents, since, until):
        used[key] += (end - begin).total_seconds()
    for key, begin, end, rooms in _open(agents, since, until):
        open_for[key] += (end - begin).total_seconds() * rooms
    return {key: Use(used[key], max(0.0, open_for[key])) for key in used}


def use_by_step(agents: Sequence[Agent], bounds: Sequence[datetime], *, now: datetime) -> list[Use]:
    """Return the use of all these agents in each step between two bounds, in order."""
    if len(bounds) < 2:
        return []
    since, until = bounds[0], min(bounds[-1], now)
    used, open_for = [0.0] * (len(bounds) - 1), [0.0] * (len(bounds) - 1)
    for _, begin, end in _handling(agents, since, until):
        for place, seconds in _split(bounds, begin, end):
            used[place] += seconds
    for _, begin, end, rooms in _open(agents, since, until):
        for place, seconds in _split(bounds, begin, end):
            open_for[place] += seconds * rooms
    return [Use(one, max(0.0, other)) for one, other in zip(used, open_for, strict=True)]


def _handling(agents: Sequence[Agent], since: datetime, until: datetime) -> Iterator[Interval]:
    """Iterate over rooms and wrap-ups, each slot separately."""
    yield from _rooms(agents, since, until)
    yield from _wrap_ups(agents, since, until)


def _rooms(agents: Sequence[Agent], since: datetime, until: datetime) -> Iterator[Interval]:
    """Iterate over the agents' rooms, cut to the span. Uses the index on (agent, began_at)."""
    rows = Room.objects.filter(
        Q(ended_at=None) | Q(ended_at__gt=since),
        agent__in=agents,
        began_at__gte=since - LONGEST_ROOM,
        began_at__lt=until,
    )
    names = ("agent_id", "began_at", "ended_at")
    for key, begin, end in rows.order_by().values_list(*names).iterator(chunk_size=2_000):
        yield key, max(begin, since), max(since, min(end or until, until))


def _wrap_ups(agents: Sequence[Agent], since: datetime, until: datetime) -> Iterator[Interval]:
    """Iterate over the agents' wrap-ups, from the events that begin and end them.

    The events are read only if a shift has wrap-ups.
    """
    shifts = AgentShift.objects.filter(
        Q(ended_at=None) | Q(ended_at__gt=since),
        Q(wrap_up_seconds__gt=0) | ~Q(wrap_ups=[]),
        agent__in=agents,
        began_at__gte=since - LONGEST_SHIFT,
        began_at__lt=until,
    )
    if not shifts.exists():
        return
    key_of = {str(agent.user_id): agent.pk for agent in agents}
    events = LineEvent.objects.filter(
        aggregate__in={agent.desk_id for agent in agents},
        kind__in=("wrapup", *WRAP_UP_ENDS),
        at_us__gte=us_of(since - LONGEST_WRAP_UP),
        at_us__lt=us_of(until),
    ).order_by("generation", "seq")
    running: dict[int, list[datetime]] = {}
    for kind, name, at_us in events.values_list("kind", "agent", "at_us").iterator(2_000):
        key = key_of.get(name)
        if key is not None and kind == "wrapup":
            running.setdefault(key, []).append(moment_of(at_us))
        elif key is not None:
            end = moment_of(at_us)
            yield from _cut(key, running.pop(key, []), end, since)
    for key, begins in running.items():
        yield from _cut(key, begins, until, since)


def _cut(
    key: int, begins: Sequence[datetime], end: datetime, since: datetime
) -> Iterator[Interval]:
    for begin in begins:
        if end > since:
            yield key, max(begin, since), end


def _open(
    agents: Sequence[Agent], since: datetime, until: datetime
) -> Iterator[tuple[int, datetime, datetime, int]]:
    """Iterate over shifts and over pauses to subtract: agent, begin, end, rooms (< 0: a pause)."""
    capacity = {agent.pk: agent.capacity for agent in agents}
    rows = AgentShift.objects.filter(
        Q(ended_at=None) | Q(ended_at__gt=since),
        agent__in=agents,
        began_at__gte=since - LONGEST_SHIFT,
        began_at__lt=until,
    )
    names = ("agent_id", "began_at", "ended_at", "pauses")
    for key, begin, end, pauses in rows.order_by().values_list(*names):
        last = min(end or until, until)
        if last > max(begin, since):
            yield key, max(begin, since), last, capacity[key]
        for pause in pauses:
            pause_from = max(datetime.fromisoformat(pause["from"]), since)
            ends = datetime.fromisoformat(pause["until"]) if pause["until"] else last
            if min(ends, last) > pause_from:
                yield key, pause_from, min(ends, last), -capacity[key]


def _split(
    bounds: Sequence[datetime], begin: datetime, end: datetime
) -> Iterator[tuple[int, float]]:
    """Iterate over an interval's seconds in each step that it touches."""
    place = max(0, bisect_right(bounds, begin) - 1)
    while place < len(bounds) - 1 and bounds[place] < end:
        seconds = (min(end, bounds[place + 1]) - max(begin, bounds[place])).total_seconds()
        if seconds > 0:
            yield place, seconds
        place += 1
