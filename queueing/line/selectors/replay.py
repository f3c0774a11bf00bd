"""The wallboard of any past minute, from SQL: visits, rooms, shifts, and the desk's events.

The data has the form of `wallboard.board`. Settings of queues are the current ones.
"""

from collections import Counter
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from django.db.models import Max, Q, Sum
from django.db.models.functions import TruncMinute

from poolsite.operations.models import Incident
from queueing.line.models import Agent, Desk, DeskSample, Queue, Room, Visit
from queueing.line.selectors import wallboard
from queueing.line.selectors.running import Then, then_of
from queueing.line.services import hours
from queueing.line.services.common import zone_of


def board_at(desk: Desk, at: datetime) -> dict[str, Any]:
    """Return what the wallboard showed at that moment as JSON-ready data. Times are in ms."""
    agents = {each.pk: each for each in desk.agents.prefetch_related("queues")}
    then = then_of(desk, at, agents)
    zone = ZoneInfo(zone_of(desk))
    midnight = at.astimezone(zone).replace(hour=0, minute=0, second=0, microsecond=0)
    day = _day(desk, midnight, then)
    states = {key: _state(then, agents[key]) for key in then.shifts}
    queues = [
        _queue(queue, then, day.get(queue.pk, {}), states, agents) for queue in desk.queues.all()
    ]
    tiles = sorted(
        (_tile(then, agents[key], state) for key, state in states.items()),
        key=lambda row: (wallboard.ORDER.get(row["state"], 9), row["since"]),
    )
    gone = [
        {"name": agents[key].name, "state": "lost", "since": _ms(since), "rooms": 0}
        for key, since in then.lost.items()
    ]
    shown = [*gone, *tiles]
    return {
        "at": _ms(at),
        "status": "open",
        "waiting": sum(queue["waiting"] for queue in queues),
        "served": sum(queue["served"] for queue in queues),
        "queues": queues,
        "agents": shown[: wallboard.AGENTS_SHOWN],
        "more_agents": max(0, len(shown) - wallboard.AGENTS_SHOWN),
        "states": dict(Counter(row["state"] for row in shown)),
        "chart": wallboard.chart_of(desk, at),
        "drift": _drift(desk, at),
    }


def minutes(desk: Desk, since: datetime, until: datetime) -> list[dict[str, Any]]:
    """Return each sampled minute of a span: how many waited, and the longest wait."""
    rows = (
        DeskSample.objects.filter(queue__desk=desk, minute__gte=since, minute__lt=until)
        .annotate(at=TruncMinute("minute"))
        .values("at")
        .order_by("at")
        .annotate(waiting=Sum("waiting"), longest=Max("longest_wait_seconds"))
    )
    return [
        {"at": _ms(row["at"]), "waiting": row["waiting"], "longest": row["longest"]} for row in rows
    ]


def _day(desk: Desk, midnight: datetime, then: Then) -> dict[int, dict[str, int]]:
    """Return what each queue had done since midnight, by then: ended and running visits."""
    queues = list(desk.queues.all())
    within = {each.pk: timedelta(seconds=each.answer_within_seconds) for each in queues}
    over = Visit.objects.filter(desk=desk, joined_at__gte=midnight, ended_at__lte=then.at)
    day = {key: dict.fromkeys(("served", "in_time", "abandoned", "short"), 0) for key in within}
    day |= wallboard.by_queue(desk, over)
    for visit in then.running:
        if visit.matched is None or visit.matched > then.at or visit.joined < midnight:
            continue
        mine = day[visit.queue]
        mine["served"] += 1
        mine["in_time"] += visit.matched - visit.joined <= within[visit.queue]
    return day


def _queue(
    queue: Queue,
    then: Then,
    today: Mapping[str, int],
    states: Mapping[int, str],
    agents: Mapping[int, Agent],
) -> dict[str, Any]:
    arrivals = [
        visit.joined
        for visit in then.running
        if visit.queue == queue.pk and visit.key not in then.served
    ]
    here = [key for key in states if queue in agents[key].queues.all()]
    is_open = hours.is_open(queue, then.at)
    opens = None if is_open else hours.next_opening(queue, then.at)
    return wallboard.queue_as_shown(
        queue,
        is_open=is_open,
        opens=opens,
        waiting=len(arrivals),
        oldest_ms=_ms(min(arrivals)) if arrivals else 0,
        today=today,
        doing=Counter(states[key] for key in here),
        shared=sum(len(agents[key].queues.all()) > 1 for key in here),
    )


def _state(then: Then, agent: Agent) -> str:
    if then.rooms.get(agent.pk):
        return "room"
    if any(visit.offered_to == str(agent.user_id) for visit in then.running):
        return "offer"
    if _pause(then, agent.pk) is not None:
        return "paused"
    return "wrap_up" if agent.pk in then.wrap_ups else "free"


def _pause(then: Then, key: int) -> dict[str, Any] | None:
    for pause in then.shifts[key].pauses:
        until = datetime.fromisoformat(pause["until"]) if pause["until"] else None
        if datetime.fromisoformat(pause["from"]) <= then.at and (until is None or until > then.at):
            found: dict[str, Any] = pause
            return found
    return None


def _tile(then: Then, agent: Agent, state: str) -> dict[str, Any]:
    rooms = then.rooms.get(agent.pk, [])
    pause = _pause(then, agent.pk)
    since = min(rooms) if rooms else then.shifts[agent.pk].began_at
    if state == "paused" and pause is not None:
        since = datetime.fromisoformat(pause["from"])
    elif state == "free":
        since = _idle_since(then, agent) or since
    until = then.wrap_ups.get(agent.pk)
    return {
        "id": agent.user_id,
        "name": agent.name,
        "state": state,
        "since": _ms(since),
        "until": _ms(until) if until is not None and state == "wrap_up" else 0,
        "rooms": len(rooms),
        "word": pause["reason"] if pause is not None else "",
        "pending": "",
    }


def _idle_since(then: Then, agent: Agent) -> datetime | None:
    """Return the end of the agent's last room in this shift, or None."""
    began = then.shifts[agent.pk].began_at
    rows = Room.objects.filter(agent=agent, began_at__gte=began, ended_at__lte=then.at)
    last: datetime | None = rows.aggregate(last=Max("ended_at"))["last"]
    return last


def _drift(desk: Desk, at: datetime) -> int:
    rows = Incident.objects.filter(type="line.laws", object=desk.slug, since__lte=at)
    return rows.filter(Q(until=None) | Q(until__gt=at)).count()


def _ms(at: datetime) -> int:
    return int(at.timestamp() * 1_000)
