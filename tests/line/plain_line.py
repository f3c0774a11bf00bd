"""The rules of docs/reference/line/README.md in plain Python, without any code of the product.

Visitors are served by class and then arrival. A visitor gets, of the free agents who serve the
queue and have the skills, the one with the fewest rooms, and of these the one idle for longest. An
agent who becomes free gets the first visitor that it may serve. Every random figure of the
visitors (arrival, length, patience) is drawn before, so that the real desk can play the same.
"""

import heapq
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

SECOND = 1_000_000


@dataclass(frozen=True)
class Coming:
    """An arriving visitor. Times are in µs. gives_up_after: None waits without a limit."""

    at: int
    lasts: int
    gives_up_after: int | None = None
    queue: int = 1
    priority: int = 5
    skills: Mapping[str, int] = field(default_factory=dict)
    counts: bool = True  # False: it was there when counting began


@dataclass(frozen=True)
class Server:
    """An agent."""

    capacity: int = 1
    queues: tuple[int, ...] = (1,)
    skills: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Went:
    """The outcome for a visitor: the agent who served it (number, from 0), or None: gave up."""

    waited: int
    by: int | None


@dataclass
class Rules:
    """The rules. Each may be wrong on purpose, to show that the tests would see it."""

    last_first: bool = False
    ignores_skills: bool = False
    ignores_class: bool = False


class PlainLine:
    """One run. `agents`: in the order in which they have become idle."""

    def __init__(self, agents: Sequence[Server], rules: Rules | None = None) -> None:
        self._agents = agents
        self._rules = rules or Rules()
        self._rooms = [0] * len(agents)
        self._since = list(range(-len(agents), 0))  # ms; all before the first visitor
        self._line: list[int] = []
        self._events: list[tuple[int, int, int]] = []  # µs, visitor, its agent or -1 if it gives up
        self.went: dict[int, Went] = {}

    def play(self, comings: Sequence[Coming]) -> list[Went]:
        """Let all of them come and serve them. Return the results in the given order."""
        self._comings = comings
        for number, coming in enumerate(comings):
            while self._events and self._events[0][0] < coming.at:
                self._next()
            self._comes(number, coming)
        while self._events:
            self._next()
        return [self.went[number] for number in range(len(comings))]

    def _next(self) -> None:
        now, number, agent = heapq.heappop(self._events)
        if agent >= 0:
            self._rooms[agent] -= 1
            self._since[agent] = now // 1_000
            self._takes(agent, now)
        elif number in self._line:
            self._line.remove(number)
            self.went[number] = Went(now - self._comings[number].at, None)

    def _comes(self, number: int, coming: Coming) -> None:
        able = [agent for agent in range(len(self._agents)) if self._may(agent, coming)]
        if able:
            self._begins(
                number, min(able, key=lambda a: (self._rooms[a], self._since[a])), coming.at
            )
            return
        self._line.append(number)
        if coming.gives_up_after is not None:
            heapq.heappush(self._events, (coming.at + coming.gives_up_after, number, -1))

    def _takes(self, agent: int, now: int) -> None:
        line = [number for number in self._line if self._may(agent, self._comings[number])]
        if line:
            first = min(line, key=self._order)
            self._line.remove(first)
            self._begins(first, agent, now)

    def _order(self, number: int) -> tuple[int, int]:
        priority = 0 if self._rules.ignores_class else self._comings[number].priority
        return priority, -number if self._rules.last_first else number

    def _may(self, agent: int, coming: Coming) -> bool:
        server = self._agents[agent]
        if self._rooms[agent] >= server.capacity or coming.queue not in server.queues:
            return False
        return self._rules.ignores_skills or all(
            server.skills.get(name, 0) >= level for name, level in coming.skills.items()
        )

    def _begins(self, number: int, agent: int, now: int) -> None:
        self._rooms[agent] += 1
        coming = self._comings[number]
        self.went[number] = Went(now - coming.at, agent)
        heapq.heappush(self._events, (now + coming.lasts, number, agent))


def drawn(dice: random.Random, mean_seconds: float) -> int:
    """Return an exponential time in µs, never 0."""
    return max(1, round(dice.expovariate(1 / mean_seconds) * SECOND))
