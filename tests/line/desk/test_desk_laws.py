"""The four laws under random events, against a plain Python model of who waits and who serves."""

from dataclasses import dataclass
from typing import Any

import hypothesis.strategies as st
from hypothesis import HealthCheck, settings
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from poolsite.runtime.redis_server import RedisServer
from queueing.line import desk
from tests.line.desk.desk_support import KEYS, SLUG, DeskUnderTest, desk_on
from tests.support.clock import ScriptClock

QUEUES = (1, 2, 3)  # automatic, offer, manual
AGENTS = (1, 2, 3, 4)
SKILLS: tuple[dict[str, int], ...] = ({}, {}, {"tax": 2}, {"tax": 4, "zh": 1})
RELAX = 30.0
DECLINE = 20
STEP = 5  # seconds; time passes in steps of this length, each ended by a sweep


@dataclass
class Visit:
    """A visitor with its join's data."""

    name: str
    queue: int
    priority: int
    skills: dict[str, int]
    order: int


class DeskMachine(RuleBasedStateMachine):
    """Random events. After each one the desk is compared with the laws and with the arrivals."""

    bench: DeskUnderTest

    @initialize()
    def begin(self) -> None:
        self.bench.begin_anew(1_700_000_000)
        relax = {"skills_relax_seconds": int(RELAX)}
        grace = {"room_grace_seconds": 25, "agent_grace_seconds": 40}
        self.bench.queue(1, overflow=2, max_wait_seconds=120, **relax, **grace)
        self.bench.queue(
            *(2,),
            mode="offer",
            decline_seconds=DECLINE,
            no_agent="end",
            no_agent_seconds=40,
            wrap_up_seconds=10,
            **relax,
        )
        self.bench.queue(3, mode="manual")
        for agent in AGENTS:
            self.bench.agent(
                *(agent, *QUEUES[: 1 + agent % 3]),
                capacity=1 + agent % 2,
                skills=SKILLS[agent - 1],
            )
        self.visits: dict[str, Visit] = {}
        self.orders = 0
        self.read = 0
        self.waiting: dict[str, tuple[int, int, int, bool]] = {}
        self.skilled: dict[str, dict[str, int]] = {}
        self.silent: set[str | int] = set()  # longer than the time to live; visitors by name
        self.silent_from_us = 0
        self.unswept = False
        self.declined: dict[tuple[str, int], int] = {}  # visitor, agent → when (µs) declined

    # -- events ----------------------------------------------------------------------------

    @rule(
        queue=st.sampled_from(QUEUES),
        priority=st.sampled_from([1, 5, 5, 9]),
        skills=st.sampled_from(SKILLS),
    )
    def join(self, queue: int, priority: int, skills: dict[str, int]) -> None:
        self._join(queue, priority, skills)

    @rule(given=st.lists(st.tuples(st.sampled_from(QUEUES), st.sampled_from(SKILLS)), min_size=2))
    def join_together(self, given: list[tuple[int, dict[str, int]]]) -> None:
        fit = given[: desk.JOINS_LIMIT - 1]  # and one that comes twice
        batch = [self._comes(queue, 5, skills) for queue, skills in fit]
        batch.insert(1, batch[0])
        standings = self.bench.run(desk.joins(SLUG, batch))
        for coming, standing in zip(batch, standings, strict=True):
            self._has_come(coming, standing)

    def _join(self, queue: int, priority: int, skills: dict[str, int]) -> None:
        coming = self._comes(queue, priority, skills)
        self._has_come(coming, self.bench.run(coming.command(SLUG)))

    def _comes(self, queue: int, priority: int, skills: dict[str, int]) -> desk.Join:
        self.orders += 1
        return desk.Join(f"w{self.orders}-r", queue, priority, skills)  # letters, a dash: as slots

    def _has_come(self, coming: desk.Join, standing: desk.Standing) -> None:
        if standing.is_there:
            self.visits[coming.visit] = Visit(
                *(coming.visit, coming.queue, coming.priority, dict(coming.skills)), self.orders
            )
        else:
            assert (standing.answer, coming.queue) == ("no_agent", 2)

    @precondition(lambda self: self.visits)
    @rule(data=st.data())
    def beat(self, data: st.DataObject) -> None:
        self.bench.beat(data.draw(st.sampled_from(sorted(self.visits))))

    @precondition(lambda self: self.visits)
    @rule(data=st.data())
    def leave(self, data: st.DataObject) -> None:
        name = data.draw(st.sampled_from(sorted(self.visits)))
        self.bench.run(desk.leave(SLUG, name))
        assert self.bench.beat(name).answer in ("ended", "gone")

    @rule(agent=st.sampled_from(AGENTS))
    def login(self, agent: int) -> None:
        self.bench.login(agent)
        self.silent.discard(agent)

    @rule()
    def everybody_is_asked(self) -> None:
        """Ask everyone: an agent who declines now is not the only one."""
        for agent in AGENTS:
            self.login(agent)
            self._join(2, 5, {})

    @rule(agent=st.sampled_from(AGENTS), how=st.sampled_from(["pause", "logout", "now"]))
    def go(self, agent: int, how: str) -> None:
        does = {"pause": desk.pause, "logout": desk.logout, "now": desk.log_out_now}[how]
        self.bench.run(does(SLUG, agent, "why"))

    @rule(agent=st.sampled_from(AGENTS), data=st.data())
    def finish(self, agent: int, data: st.DataObject) -> None:
        self._finish(agent, data)

    def _beat_of(self, agent: int) -> desk.AgentState:
        self.silent.discard(agent)
        return self.bench.agent_beat(agent)

    def _finish(self, agent: int, data: st.DataObject) -> None:
        rooms = [slot.visit for slot in self._beat_of(agent).slots if slot.kind == "room"]
        if rooms:
            answer = self.bench.finish(agent, data.draw(st.sampled_from(rooms)))
            assert answer.answer == "ok"

    @rule(agent=st.sampled_from(AGENTS), yes=st.booleans())
    def answer_offer(self, agent: int, yes: bool) -> None:
        state = self._beat_of(agent)
        for slot in state.slots:
            if slot.kind == "offer":
                does = desk.accept if yes else desk.decline
                answer = self.bench.run(does(SLUG, agent, slot.visit, state.offer_token))
                assert answer.ok or (self.unswept and answer.answer == "late")
                if answer.ok and not yes:
                    self._goes_to_others(slot.visit, agent)

    def _goes_to_others(self, name: str, agent: int) -> None:
        """Check that an agent is not offered a visitor again while another may serve."""
        visit = self.bench.visit(name)
        if visit.state != "offered" or visit.agent != agent:
            return
        assert self.bench.clock is not None
        needs = self.skilled[name]
        steps = int((self.bench.clock.now_us - visit.arrived_us) / RELAX / 1e6)
        _, records = self.bench.run(desk.agents(SLUG))
        for other in records:
            has = SKILLS[other.agent - 1]
            may = all(has.get(skill, 0) >= level - steps for skill, level in needs.items())
            there = other.state == "online" and not other.away_since_ms and not other.pending
            declined = self._has_declined(name, other.agent, self.bench.clock.now_us)
            if other.agent != agent and visit.queue in other.queues:
                assert declined or not (there and may), (name, agent, "again, not", other)

    def _has_declined(self, name: str, agent: int, at_us: int) -> bool:
        """Return whether the decline counts: an expired one does until a sweep has seen it."""
        declined_us = self.declined.get((name, agent))
        if declined_us is None:
            return False
        return self.unswept or 0 <= at_us - declined_us < (DECLINE + STEP) * 1_000_000

    @rule(agent=st.sampled_from(AGENTS))
    def take(self, agent: int) -> None:
        answer = self.bench.run(desk.take(SLUG, agent)).answer
        assert answer in ("ok", "nobody", "no_room")

    @rule(agent=st.sampled_from(AGENTS))
    def ready(self, agent: int) -> None:
        assert self.bench.run(desk.ready(SLUG, agent)).ok

    @rule(agent=st.sampled_from(AGENTS), twice=st.booleans())
    def more_time(self, agent: int, twice: bool) -> None:
        """Extend a wrap-up by half a minute, once, up to 150 s in total."""
        clock = self.bench.clock
        assert clock is not None
        ends = [slot.until_ms for slot in self._beat_of(agent).slots if slot.kind == "wrap_up"]
        for place, end in enumerate(ends):
            command = desk.more_time(SLUG, agent, end)
            found = self.bench.run(command)
            # exactly whole half minutes apart: an end may be another wrap-up's from before
            rest = (each for other, each in enumerate(ends) if other != place)
            is_unclear = any((each - end) % 30_000 == 0 for each in rest)
            if end * 1_000 <= clock.now_us:
                assert found.answer == "late" or (is_unclear and found.answer == "repeat")
                continue
            assert found.answer in ("ok", "limit")
            if found.answer == "ok":
                assert found.until_ms == end + 30_000
                assert not twice or is_unclear or self.bench.run(command).answer == "repeat"

    @precondition(lambda self: self.visits)
    @rule(data=st.data(), to=st.sampled_from(QUEUES), front=st.booleans())
    def move(self, data: st.DataObject, to: int, front: bool) -> None:
        name = data.draw(st.sampled_from(sorted(self.visits)))
        self.bench.run(desk.transfer_to_queue(SLUG, name, to, front=front))

    @precondition(lambda self: self.visits)
    @rule(data=st.data(), agent=st.sampled_from(AGENTS))
    def hand_over(self, data: st.DataObject, agent: int) -> None:
        name = data.draw(st.sampled_from(sorted(self.visits)))
        self.bench.run(desk.transfer_to_agent(SLUG, name, agent))

    @rule(seconds=st.sampled_from([1.0, 4.0, 11.0, 16.0, 31.0, 70.0]), data=st.data())
    def time_passes(self, seconds: float, data: st.DataObject) -> None:
        alive: list[str | int] = [*AGENTS, *self.visits]
        silent = data.draw(st.sets(st.sampled_from(alive), max_size=3)) if alive else set()
        self.bench.advance(seconds, *[each for each in alive if each not in silent])
        self.silent &= silent
        self.unswept = False

    @rule(agent=st.sampled_from(AGENTS), data=st.data())
    def silence_that_no_sweep_has_seen(self, agent: int, data: st.DataObject) -> None:
        """Some stop responding; before a sweep sees it an agent is free, and a visitor joins."""
        alive: list[str | int] = [*AGENTS, *self.visits]
        silent = data.draw(st.sets(st.sampled_from(alive), max_size=5))
        clock = self.bench.clock
        assert clock is not None
        now_ms = clock.advance(16) // 1_000
        self.bench.client.hset(KEYS.tag, mapping={"heard": 0, "walked": now_ms})
        self.bench.beats(*[each for each in alive if each not in silent])
        self.silent, self.silent_from_us, self.unswept = silent, clock.now_us, True
        self._finish(agent, data)
        self._join(data.draw(st.sampled_from(QUEUES)), 5, data.draw(st.sampled_from(SKILLS)))

    @rule(seconds=st.sampled_from([-3_600, -300, -40, 40, 300, 3_600]))
    def the_clock_steps(self, seconds: int) -> None:
        """Step the clock. The sweeps have noticed it before any other event."""
        assert self.bench.clock is not None
        self.bench.clock.advance(seconds)
        self.bench.advance(15.0, *AGENTS, *self.visits)
        self.silent, self.unswept = set(), False

    # -- the laws --------------------------------------------------------------------------

    @invariant()
    def the_records_keep_the_laws(self) -> None:
        if hasattr(self, "visits"):
            wrong = self.bench.wrong()
        if self.unswept:  # skills relax and declines expire with time: a sweep notices it
            declined = {name for name, _ in self.declined}
            wrong = [
                (name, what)
                for name, what in wrong
                if not self.skilled.get(name) and name not in declined
            ]
        assert wrong == []

    @invariant()
    def nobody_is_lost_or_overtaken(self) -> None:
        """Law 4, from the history: a visitor matched automatically was the first of its kind."""
        if not hasattr(self, "visits"):
            return
        for entry in self.bench.log()[self.read :]:
            self.read += 1
            self._follow(entry)
        figures = self.bench.figures()
        assert sum(each.waiting for each in figures.queues.values()) == len(self.waiting)
        assert figures.seq == self.read
        self.silent -= self.visits.keys()
        for standing in self.bench.beats(*self.visits):
            assert standing.answer in ("waiting", "offered", "room", "ended", "gone")

    def _follow(self, entry: dict[str, str]) -> None:
        kind, name = entry["k"], entry.get("v", "")
        if kind == "join":
            self.skilled[name] = self.visits[name].skills if name in self.visits else {}
        if kind in ("declined", "missed"):
            self.declined[name, int(entry["a"])] = int(entry["at"])
        if kind in ("room", "offer"):
            place = self.waiting.pop(name, None)
            if place is not None and entry["w"].startswith(("fewest", "agent_became")):
                # The heartbeats of invariants may have matched before these stopped responding.
                if int(entry["at"]) >= self.silent_from_us:
                    assert not {name, int(entry["a"])} & self.silent, "matched with somebody silent"
                if place[3]:  # an accepted offer had its turn when it was made
                    self._first(name, place, int(entry["a"]), int(entry["at"]))
            if kind == "offer" and place is not None:
                self.waiting[name] = (*place[:3], False)
            elif kind == "offer":
                self.waiting[name] = (*self._place(entry), False)
        elif kind == "end":
            self.waiting.pop(name, None)
        elif kind in (
            "join",
            "back",
            "returned",
            "withdrawn",
            "declined",
            "missed",
            "transfer",
            "move",
            "overflow",
            "away",
        ):
            self.waiting[name] = (*self._place(entry), kind != "away")

    @staticmethod
    def _place(entry: dict[str, str]) -> tuple[int, int, int]:
        return int(entry["q"]), int(entry["c"]), int(entry["t"])

    def _first(self, name: str, place: tuple[int, int, int, bool], agent: int, at: int) -> None:
        needs = self.skilled.get(name, {})
        for other, (queue, priority, ticket, present) in self.waiting.items():
            same = queue == place[0] and self.skilled.get(other, {}) == needs
            if queue == 2 and self._has_declined(other, agent, at):
                continue
            if same and present and other != name and priority == place[1]:
                assert (priority, ticket) > place[1:3], (other, "was before", name, agent)


def run_machine(url: str, clock: ScriptClock, examples: int) -> None:
    with desk_on(url, clock) as bench:
        machine: Any = type("Bound", (DeskMachine,), {"bench": bench})
        run_state_machine_as_test(
            machine,
            settings=settings(
                max_examples=examples,
                stateful_step_count=40,
                suppress_health_check=list(HealthCheck),
                print_blob=True,
            ),
        )


def test_random_events_keep_the_four_laws(
    clean_redis: RedisServer, test_clock: ScriptClock
) -> None:
    run_machine(clean_redis.url, test_clock, 100)
