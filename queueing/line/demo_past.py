"""The past of the demo's desk: seven working days and this morning, as the drain writes it.

The data is random with a fixed seed, and simulated: Poisson arrivals, exponential rooms and
patience, first come, first served by the agent who is free first. So waits, rooms and occupancy are
consistent.
"""

import random
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from django.db import transaction
from django.utils import timezone

from queueing.line.models import (
    Agent,
    AgentShift,
    Desk,
    DeskSample,
    LeftMessage,
    OutcomeCode,
    Queue,
    Rating,
    Room,
    Visit,
)
from queueing.line.services.common import zone_of

SEED = 20260
KEY = "past"  # prefix of the visits' public IDs
DAYS = 7
WORK = (9, 18)  # hours of a past day
THIS_MORNING = timedelta(hours=4)
STILL = timedelta(minutes=10)  # the simulator plays later visits
PATIENCE_SECONDS = 180.0
CODED = 0.8  # share of rooms: agents do not always choose an outcome
OUTCOMES = (12, 4, 2, 1)  # relative frequency of each usual outcome
MINUTE = timedelta(minutes=1)
LEFT = (
    ("Zhou Lan", "139 0013 0021", "", True, 40),
    ("Erik Holm", "erik@example.org", "My invoice of October shows two shipments.", False, 65),
    ("Wang Min", "wang.min@example.org", "Could you open on Sundays, too?", False, 600),
)


@dataclass(frozen=True)
class Load:
    """A queue with its agents, its visitors and their topics."""

    queue: Queue
    agents: list[Agent]
    visits_per_hour: float
    mean_seconds: float
    topics: tuple[str, ...]


@dataclass
class DeskPast:
    """The rows before they are written, and the outcomes that agents choose from."""

    codes: list[OutcomeCode] = field(default_factory=list)
    visits: list[Visit] = field(default_factory=list)
    rooms: list[Room] = field(default_factory=list)
    ratings: list[Rating] = field(default_factory=list)


def make_past(desk: Desk, loads: list[Load]) -> None:
    """Write the past of a desk that has none yet."""
    if Visit.objects.filter(desk=desk, public_id__startswith=KEY).exists():
        return
    dice = random.Random(SEED)  # noqa: S311  a demo's past, not a secret
    past = DeskPast(codes=list(desk.outcome_codes.filter(archived_at=None)[: len(OUTCOMES)]))
    spans = _spans(desk, timezone.now())
    for load in loads:
        for begin, end in spans:
            _play(dice, past, desk, load, begin, end)
    with transaction.atomic():  # unaudited: the demo's past
        Visit.objects.bulk_create(past.visits, batch_size=500)  # unaudited: the demo's past
        Room.objects.bulk_create(past.rooms, batch_size=500)  # unaudited: the demo's past
        Rating.objects.bulk_create(past.ratings, batch_size=500)  # unaudited: the demo's past
        for load in loads:
            _write_shifts(load, spans, past)
            _write_samples(load.queue, spans[-1], past)
        _write_left(loads[0].queue)


def _spans(desk: Desk, now: datetime) -> list[tuple[datetime, datetime]]:
    """Return the working times: the days before today, and the last hours of today."""
    zone = ZoneInfo(zone_of(desk))
    today = now.astimezone(zone).date()

    def at(day: date, hour: int) -> datetime:
        return datetime.combine(day, time(hour), zone)

    days = [today - timedelta(days=ahead) for ahead in range(DAYS, 0, -1)]
    end = now - STILL
    return [*((at(day, WORK[0]), at(day, WORK[1])) for day in days), (now - THIS_MORNING, end)]


def _play(
    dice: random.Random, past: DeskPast, desk: Desk, load: Load, begin: datetime, end: datetime
) -> None:
    free = {agent.pk: begin for agent in load.agents}
    agents = {agent.pk: agent for agent in load.agents}
    at = begin
    while True:
        at += timedelta(seconds=dice.expovariate(load.visits_per_hour / 3_600))
        if at >= end:
            return
        first = min(free, key=lambda key: free[key])
        matched = max(at, free[first]) + timedelta(seconds=dice.uniform(0.2, 2))
        patience = timedelta(seconds=dice.expovariate(1 / PATIENCE_SECONDS))
        gives_up = matched - at > patience
        lasts = timedelta(seconds=dice.expovariate(1 / load.mean_seconds))
        over = at + patience if gives_up else matched + lasts
        if over >= end:
            continue
        visit = Visit(
            public_id=f"{KEY}{dice.getrandbits(48):012x}",
            desk=desk,
            queue=load.queue,
            topic=dice.choice(load.topics),
            joined_at=at,
            place_at_join=dice.randrange(4),
            matched_at=None if gives_up else matched,
            agent=None if gives_up else agents[first],
            why="" if gives_up else "fewest rooms longest idle",
            ended_at=over,
            outcome=Visit.Outcome.LEFT if gives_up else Visit.Outcome.SERVED,
        )
        past.visits.append(visit)
        if gives_up:
            continue
        wrap_up = timedelta(seconds=load.queue.wrap_up_seconds)
        free[first] = over + wrap_up
        if past.codes and dice.random() < CODED:
            (visit.outcome_code,) = dice.choices(past.codes, OUTCOMES[: len(past.codes)])
            visit.outcome_at, visit.outcome_by = free[first], str(agents[first].user)
        past.rooms.append(
            Room(
                visit=visit, queue=load.queue, agent=agents[first], began_at=matched, ended_at=over
            )
        )
        if dice.random() < 0.3:
            past.ratings.append(Rating(visit=visit, stars=dice.choice((3, 4, 4, 5, 5, 5))))


def _write_shifts(load: Load, spans: list[tuple[datetime, datetime]], past: DeskPast) -> None:
    rows = []
    for agent in load.agents:
        for begin, end in spans:
            mine = [
                room
                for room in past.rooms
                if room.agent_id == agent.pk and begin <= room.began_at < end
            ]
            busy = sum(_seconds(room.began_at, room.ended_at or end) for room in mine)
            rows.append(
                AgentShift(
                    agent=agent,
                    began_at=begin,
                    ended_at=end,
                    busy_seconds=busy,
                    served=len(mine),
                    wrap_up_seconds=load.queue.wrap_up_seconds * len(mine),
                )
            )
    AgentShift.objects.bulk_create(rows)  # unaudited: the demo's past


def _write_samples(queue: Queue, span: tuple[datetime, datetime], past: DeskPast) -> None:
    """Write a sample for each minute of this morning, as the sampling sweep does."""
    rows: list[DeskSample] = []
    mine = [visit for visit in past.visits if visit.queue_id == queue.pk]
    mine = [visit for visit in mine if visit.joined_at >= span[0]]
    minute = span[0].replace(second=0, microsecond=0)
    while minute < span[1]:
        waiting = [
            v for v in mine if v.joined_at <= minute < (v.matched_at or v.ended_at or minute)
        ]
        busy = [v for v in mine if v.matched_at and v.matched_at <= minute < (v.ended_at or minute)]
        longest = max((_seconds(v.joined_at, minute) for v in waiting), default=0)
        rows.append(
            DeskSample(
                queue=queue,
                minute=minute,
                waiting=len(waiting),
                longest_wait_seconds=longest,
                online=queue.agents.count() if not rows else rows[0].online,
                busy=len(busy),
                joined=sum(minute <= v.joined_at < minute + MINUTE for v in mine),
            )
        )
        minute += MINUTE
    DeskSample.objects.bulk_create(rows, ignore_conflicts=True)  # unaudited: the demo's past


def _write_left(queue: Queue) -> None:
    for name, contact, text, wants_call, minutes in LEFT:
        row = LeftMessage.objects.create(
            queue=queue, name=name, contact=contact, text=text, wants_call=wants_call
        )
        row.at = timezone.now() - timedelta(minutes=minutes)
        row.save(update_fields=["at"])


def _seconds(begin: datetime, end: datetime) -> int:
    return max(0, round((end - begin).total_seconds()))
