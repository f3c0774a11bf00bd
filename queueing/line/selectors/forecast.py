"""The agents that a queue needs on a day, per half hour, to meet its service level.

By Erlang C, which assumes that everyone waits, and by Erlang A, which lets visitors give up as they
did recently. The forecast is an approximation, and pages say so: each half hour is treated as a
steady state, an agent with k rooms counts as k servers with rooms of the measured length, and the
queue's agents are assumed to serve no other queue.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Literal
from zoneinfo import ZoneInfo

from queueing.line.definitions import SHORT
from queueing.line.erlang import Load, Service, servers_needed, service
from queueing.line.models import Queue
from queueing.line.selectors.demand import Demand, DemandPace, HalfHour, demand_of, pace_of
from queueing.line.services.hours import queue_zone

AHEAD = 14  # days
MOST_AGENTS = 500
MOST_PAUSED = 0.9
HIGHEST_LEVEL = 0.999  # a target of 100 % would need infinitely many agents
LONGEST_PATIENCE = 14_400.0  # seconds; a longer patience is treated as unlimited
Lack = Literal["", "closed", "days", "rooms"]


@dataclass(frozen=True, slots=True)
class Staffing:
    """A half hour's need. `agents` is by Erlang A if patience is known, else by Erlang C.

    agents_busy: for the upper end of the range. `planned`: the service with `agents`. `asked`: the
    service with the number that the caller asked about.
    """

    step: HalfHour
    erlangs: float
    agents_c: int
    agents_a: int | None
    agents_busy: int
    planned: Service
    asked: Service | None

    @property
    def agents(self) -> int:
        return self.agents_c if self.agents_a is None else self.agents_a


@dataclass(frozen=True, slots=True)
class Summary:
    """The day: visitors, agent hours, and shares weighted by visitors (None without visitors)."""

    visitors: float
    agent_hours: float
    most_agents: int
    planned_level: float | None
    asked_level: float | None
    asked_gave_up: float | None


@dataclass(frozen=True, slots=True)
class Forecast:
    """A queue's forecast for a day.

    lack: why there are no rows, or "". paused: the share used; the measured one is in `pace`.
    """

    queue: Queue
    day: date
    zone: ZoneInfo
    demand: Demand
    pace: DemandPace
    paused: float
    asked_agents: int | None
    lack: Lack
    rows: tuple[Staffing, ...]

    @property
    def target(self) -> float:
        """The queue's goal, 0 to 1: the level of its alarm."""
        return _target(self.queue)

    @property
    def within(self) -> int:
        return self.queue.answer_within_seconds

    def summary(self) -> Summary:
        """Return the whole day in one row."""
        visitors = sum(row.step.expected for row in self.rows)
        asked = [(row.step.expected, row.asked) for row in self.rows if row.asked is not None]
        return Summary(
            visitors,
            sum(row.agents for row in self.rows) / 2,
            max((row.agents for row in self.rows), default=0),
            _weighed([(row.step.expected, row.planned.level) for row in self.rows]),
            _weighed([(weight, told.level) for weight, told in asked]),
            _weighed([(weight, told.gave_up) for weight, told in asked]),
        )


def first_day(queue: Queue, now: datetime) -> date:
    """Return today's date at the queue."""
    return now.astimezone(ZoneInfo(queue_zone(queue))).date()


def forecast(
    queue: Queue,
    day: date | None = None,
    *,
    agents: int | None = None,
    paused: float | None = None,
    now: datetime,
) -> Forecast:
    """Forecast the need of a day; tomorrow by default.

    agents: also compute the service with this many agents. paused: the share of time for which
    agents are away, 0 to 0.9; by default, the measured share. Raise ValueError if the day is before
    today or more than 14 days ahead, or if another value is out of range.
    """
    zone = ZoneInfo(queue_zone(queue))
    today = first_day(queue, now)
    day = today + timedelta(days=1) if day is None else day
    if not 0 <= (day - today).days <= AHEAD:
        raise ValueError("a forecast is of today or one of the next 14 days")
    if agents is not None and not 0 <= agents <= MOST_AGENTS:
        raise ValueError("agents are 0 to 500")
    if paused is not None and not 0 <= paused <= MOST_PAUSED:
        raise ValueError("the paused share lies between 0 and 0.9")
    demand = demand_of(queue, day, zone=zone, now=now)
    pace = pace_of(queue, now=now)
    paused = pace.paused if paused is None else paused
    lack = _lack(demand, pace)
    rows: Sequence[Staffing] = ()
    if not lack:
        plan = _Plan(queue, pace, paused, agents)
        rows = [plan.of(step) for step in demand.steps]
    return Forecast(queue, day, zone, demand, pace, paused, agents, lack, tuple(rows))


def _lack(demand: Demand, pace: DemandPace) -> Lack:
    if demand.is_closed:
        return "closed"
    if not demand.steps:
        return "days"
    return "rooms" if pace.room_seconds is None else ""


def _target(queue: Queue) -> float:
    return min(HIGHEST_LEVEL, max(0.0, queue.service_level_alarm_percent / 100))


def _weighed(values: Sequence[tuple[float, float]]) -> float | None:
    whole = sum(weight for weight, _ in values)
    return sum(weight * value for weight, value in values) / whole if whole else None


class _Plan:
    """A queue's staffing: converts agents to servers and computes their service."""

    def __init__(self, queue: Queue, pace: DemandPace, paused: float, asked: int | None) -> None:
        self._room = pace.room_seconds or 1.0
        self._patience = pace.patience_seconds
        if self._patience is not None and self._patience > LONGEST_PATIENCE:
            self._patience = None
        self._each = pace.capacity * (1 - paused)  # the number of servers that an agent counts as
        self._target, self._within = _target(queue), float(queue.answer_within_seconds)
        self._asked = asked

    def of(self, step: HalfHour) -> Staffing:
        load = Load(step.expected * 2, self._room, self._patience)
        agents_c = self._needed(Load(step.expected * 2, self._room))
        agents_a = None if self._patience is None else self._needed(load)
        agents = agents_c if agents_a is None else agents_a
        return Staffing(
            step,
            load.erlangs,
            agents_c,
            agents_a,
            max(agents, self._needed(Load(step.high * 2.0, self._room, self._patience))),
            self._service(load, agents),
            None if self._asked is None else self._service(load, self._asked),
        )

    def _needed(self, load: Load) -> int:
        short = SHORT.total_seconds()
        rooms = servers_needed(load, self._target, self._within, short_seconds=short)
        return math.ceil(rooms / self._each - 1e-9)

    def _service(self, load: Load, agents: int) -> Service:
        rooms = math.floor(agents * self._each + 1e-9)
        return service(load, rooms, self._within, short_seconds=SHORT.total_seconds())
