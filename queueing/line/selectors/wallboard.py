"""The wallboard's figures: live ones from Redis, those of the day from SQL."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from django.db.models import QuerySet
from django.utils import timezone

from poolsite import hotpath
from poolsite.kept import TtlCache
from poolsite.operations.models import Incident
from queueing.line import definitions
from queueing.line import desk as commands
from queueing.line.models import Agent, Desk, Queue, Room, Visit
from queueing.line.selectors.promises import promises_of
from queueing.line.services import hours
from queueing.line.services.common import agents_at, zone_of

FRESH_SECONDS = 2.0  # for the day's figures
SCRAPED_SECONDS = 15.0  # for the day's figures in the metrics
AGENTS_SHOWN = 40
BUCKET_MINUTES = 15
BUCKETS = 10
LONG_ROOM_SECONDS = 600
ORDER = {"lost": 0, "away": 0, "free": 1, "offer": 2, "wrap_up": 3, "paused": 4, "room": 5}
_DAY: "TtlCache[int, Day]" = TtlCache(FRESH_SECONDS)
_TODAY: "TtlCache[int, dict[int, dict[str, int]]]" = TtlCache(SCRAPED_SECONDS)


@dataclass(frozen=True)
class Day:
    """A desk's day from SQL: per queue, and per quarter of an hour."""

    queues: dict[int, dict[str, int]]
    chart: list[dict[str, Any]]
    rooms: dict[str, float]  # visit in a room → when that room began, Unix seconds
    names: dict[int, str]  # agent's user ID → name
    drift: int  # violations of the laws, found by the last check
    lost: dict[int, float]  # user ID → when the heartbeat stopped, within the last two minutes


def board(desk: Desk) -> dict[str, Any]:
    """Return all data of the wallboard as JSON-ready data. Times are in ms since 1970."""
    figures = hotpath.run(commands.show(desk.slug))
    records = list(agents_at(desk.slug))
    day = _day(desk)
    queues = [_queue(queue, figures, records, day) for queue in desk.queues.all()]
    agents = sorted(
        (_agent(record, day) for record in records if record.state != "offline"),
        key=lambda row: (ORDER.get(row["state"], 9), row["since"]),
    )
    gone = [
        {"name": day.names.get(key, "–"), "state": "lost", "since": int(at * 1000), "rooms": 0}
        for key, at in day.lost.items()
    ]
    states = Counter(row["state"] for row in (*gone, *agents))
    return {
        "status": figures.status if figures is not None else "missing",
        "waiting": sum(queue["waiting"] for queue in queues),
        "served": sum(queue["served"] for queue in queues),
        "queues": queues,
        "agents": [*gone, *agents][:AGENTS_SHOWN],
        "more_agents": max(0, len(agents) + len(gone) - AGENTS_SHOWN),
        "states": dict(states),
        "offline": _offline(records, day),
        "chart": day.chart,
        "drift": day.drift,
    }


def _offline(records: list[commands.AgentRecord], day: Day) -> list[str]:
    """Return the agents without a shift, by name. An agent who was just lost has a tile instead."""
    gone = (each.agent for each in records if each.state == "offline")
    return sorted(day.names.get(key, "–") for key in gone if key not in day.lost)


def _queue(
    queue: Queue,
    figures: commands.DeskFigures | None,
    records: list[commands.AgentRecord],
    day: Day,
) -> dict[str, Any]:
    now = figures.queues.get(queue.pk) if figures is not None else None
    is_open = hours.is_open(queue)
    here = [each for each in records if queue.pk in each.queues and each.state != "offline"]
    return queue_as_shown(
        queue,
        is_open=is_open,
        opens=None if is_open else hours.next_opening(queue),
        waiting=now.waiting if now is not None else 0,
        oldest_ms=now.oldest_us // 1000 if now is not None else 0,
        today=day.queues.get(queue.pk, {}),
        doing=Counter(map(state_of, here)),
        shared=sum(len(each.queues) > 1 for each in here),
    )


def queue_as_shown(
    queue: Queue,
    *,
    is_open: bool,
    opens: datetime | None,
    waiting: int,
    oldest_ms: int,
    today: Mapping[str, int],
    doing: Mapping[str, int],
    shared: int,
) -> dict[str, Any]:
    """Return a queue's card.

    today: counts as of `definitions.counts`, since midnight in the desk's zone. doing: the agents
    who serve the queue, by state. shared: how many of them serve other queues, too.
    """
    served, abandoned = today.get("served", 0), today.get("abandoned", 0)
    level = definitions.service_level(today.get("in_time", 0), served, abandoned)
    gave_up = definitions.abandonment(served, abandoned)
    return {
        "slug": queue.slug,
        "name": queue.name,
        "open": is_open,
        "opens": opens.isoformat() if opens is not None else "",
        "waiting": waiting,
        "oldest_ms": oldest_ms,
        "alarm_seconds": queue.longest_wait_alarm_seconds,
        "level": round(level, 3) if level is not None else None,
        "goal": queue.service_level_alarm_percent / 100,
        "within": queue.answer_within_seconds,
        "served": served,
        "promises": _promises(queue),
        "gave_up": round(gave_up, 3) if gave_up is not None else None,
        "short": today.get("short", 0),
        "agents": dict(doing),
        "shared": shared,
    }


def _promises(queue: Queue) -> dict[str, int] | None:
    """Return how many of the last day's ranges held, or None if there are too few."""
    known = promises_of(queue)
    if not known.enough:
        return None
    return {"of": known.of, "inside": known.inside, "sooner": known.sooner}


def state_of(record: commands.AgentRecord) -> str:
    """Return what an online or paused agent does: away, room, offer, paused, wrap_up or free."""
    if record.away_since_ms:
        return "away"
    kinds = {slot.kind for slot in record.slots}
    for kind in ("room", "offer"):
        if kind in kinds:
            return kind
    if record.state == "paused":
        return "paused"
    return "wrap_up" if "wrap_up" in kinds else "free"


def _agent(record: commands.AgentRecord, day: Day) -> dict[str, Any]:
    state = state_of(record)
    rooms = [slot.visit for slot in record.slots if slot.kind == "room"]
    since = record.since_ms
    if state == "away":
        since = record.away_since_ms
    elif rooms:
        begun = [day.rooms[room] for room in rooms if room in day.rooms]
        since = int(min(begun) * 1000) if begun else since
    until = max((slot.until_ms for slot in record.slots), default=0) if state == "wrap_up" else 0
    return {
        "id": record.agent,
        "name": day.names.get(record.agent, "–"),
        "state": state,
        "since": since,
        "until": until,
        "rooms": len(rooms),
        "word": record.word,
        "pending": record.pending,
    }


def _day(desk: Desk) -> Day:
    return _DAY.get(desk.pk, lambda: _read_day(desk))


def _read_day(desk: Desk) -> Day:
    now = timezone.now()
    running = Room.objects.filter(queue__desk=desk, ended_at=None)
    agents = Agent.objects.filter(desk=desk)
    lost = agents.filter(
        shifts__ended_how="lost", shifts__ended_at__gte=now - timedelta(minutes=2)
    ).exclude(shifts__ended_at=None)
    return Day(
        queues=by_queue(desk, since_midnight(desk, now)),
        chart=chart_of(desk, now),
        rooms={
            name: at.timestamp() for name, at in running.values_list("visit__public_id", "began_at")
        },
        drift=Incident.objects.filter(type="line.laws", object=desk.slug, until=None).count(),
        names=dict(agents.values_list("user_id", "name")),
        lost={
            user: at.timestamp()
            for user, at in lost.values_list("user_id", "shifts__ended_at").distinct()
            if at is not None
        },
    )


def counts_today(desk: Desk) -> dict[int, dict[str, int]]:
    """Return `definitions.counts` by queue since midnight in the desk's zone. Cached for 15 s."""
    return _TODAY.get(desk.pk, lambda: by_queue(desk, since_midnight(desk, timezone.now())))


def since_midnight(desk: Desk, now: datetime) -> "QuerySet[Visit]":
    """Return visits that joined since midnight in the desk's zone."""
    zone = ZoneInfo(zone_of(desk))
    midnight = now.astimezone(zone).replace(hour=0, minute=0, second=0, microsecond=0)
    return Visit.objects.filter(desk=desk, joined_at__gte=midnight)


def by_queue(desk: Desk, visits: "QuerySet[Visit]") -> dict[int, dict[str, int]]:
    """Return `definitions.counts` of these visits by queue. Queues without visits are absent."""
    counts = definitions.counts(desk.queues.all())
    rows = visits.values_list("queue_id").order_by().annotate(**counts)
    return {queue: dict(zip(counts, row, strict=True)) for queue, *row in rows}


def chart_of(desk: Desk, now: datetime) -> list[dict[str, Any]]:
    """Return visitors per quarter of an hour up to a moment: served and gave up, oldest first."""
    last = now.replace(minute=now.minute - now.minute % BUCKET_MINUTES, second=0, microsecond=0)
    first = last - timedelta(minutes=BUCKET_MINUTES * (BUCKETS - 1))
    counts: Counter[tuple[int, bool]] = Counter()
    rows = Visit.objects.filter(desk=desk, joined_at__gte=first, joined_at__lte=now)
    rows = rows.exclude(definitions.SHORT_ABANDONED)
    for joined, matched, ended in rows.values_list("joined_at", "matched_at", "ended_at"):
        was_served = matched is not None and matched <= now
        if was_served or (ended is not None and ended <= now):
            place = int((joined - first).total_seconds() // (BUCKET_MINUTES * 60))
            counts[place, was_served] += 1
    return [
        {
            "at": (first + timedelta(minutes=BUCKET_MINUTES * place)).isoformat(),
            "served": counts[place, True],
            "gave_up": counts[place, False],
        }
        for place in range(BUCKETS)
    ]
