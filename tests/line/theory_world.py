"""The real desk in simulated time: the product's scripts on a real Redis play a list of visitors.

Every arrival, end of a room and giving up is one command, under the test's clock.
"""

import heapq
from collections.abc import Sequence
from typing import Any

from poolsite.hotpath import Command
from queueing.line import desk
from queueing.line.desk.replies import read_slots
from tests.line.desk.desk_support import SLUG, DeskUnderTest
from tests.line.plain_line import Coming, Server, Went
from tests.support.clock import KEY, ScriptClock

FOR_EVER = 10_000_000  # seconds: everyone keeps responding here
QUEUES = (1, 2)


class DeskLine:
    """One run on an empty desk. It plays what `PlainLine` plays."""

    def __init__(self, bench: DeskUnderTest, clock: ScriptClock, agents: Sequence[Server]) -> None:
        self._bench, self._clock = bench, clock
        bench.begin_anew(clock.now_us // 1_000_000 + 10)
        for queue in QUEUES:
            bench.queue(queue, ttl_seconds=FOR_EVER, skills_relax_seconds=0)
        for number, agent in enumerate(agents):
            settings = {"capacity": agent.capacity, "skills": agent.skills}
            clock.advance(0.001)  # idle since different moments
            bench.agent(number + 1, *agent.queues, ttl_seconds=FOR_EVER, online=True, **settings)
        clock.advance(0.001)
        for name in ("join", "finish", "leave"):
            bench.client.script_load(desk.SCRIPTS[name].text)
        self._begin = clock.now_us
        self._rooms: dict[int, set[str]] = {number: set() for number in range(len(agents))}
        self._events: list[tuple[int, int, int]] = []
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
        self._clock.set(self._begin + max(each.at for each in comings))
        assert self._bench.wrong() == []
        return [self.went[number] for number in range(len(comings))]

    def _at(self, now: int, command: Command[Any]) -> list[str]:
        """Set the clock and run one script, in one round trip."""
        pipeline = self._bench.client.pipeline(transaction=False)
        pipeline.set(KEY, self._begin + now)
        pipeline.execute_command(*command.evalsha())
        reply: list[str] = pipeline.execute()[1]
        return reply

    def _comes(self, number: int, coming: Coming) -> None:
        more = {"priority": coming.priority, "skills": coming.skills}
        command = desk.join(SLUG, f"v{number}", coming.queue, **more)
        standing = command.read(self._at(coming.at, command))
        if standing.answer == "room":
            assert standing.agent is not None
            self._begins(number, standing.agent - 1, coming.at)
            return
        assert standing.answer == "waiting"
        if coming.gives_up_after is not None:
            heapq.heappush(self._events, (coming.at + coming.gives_up_after, number, -1))

    def _next(self) -> None:
        now, number, agent = heapq.heappop(self._events)
        if agent >= 0:
            self._finishes(now, number, agent)
        elif number not in self.went:
            command = desk.leave(SLUG, f"v{number}")
            assert command.read(self._at(now, command)).answer == "ended"
            self.went[number] = Went(now - self._comings[number].at, None)

    def _finishes(self, now: int, number: int, agent: int) -> None:
        reply = self._at(now, desk.finish(SLUG, agent + 1, f"v{number}"))
        assert reply[0] == "ok"
        before = self._rooms[agent] - {f"v{number}"}
        self._rooms[agent] = before
        slots = {slot.visit for slot in read_slots(reply[3])}
        assert before <= slots
        for visit in slots - before:
            self._begins(int(visit[1:]), agent, now)

    def _begins(self, number: int, agent: int, now: int) -> None:
        assert number not in self.went, "served twice"
        coming = self._comings[number]
        self._rooms[agent].add(f"v{number}")
        self.went[number] = Went(now - coming.at, agent)
        heapq.heappush(self._events, (now + coming.lasts, number, agent))
