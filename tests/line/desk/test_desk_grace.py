"""People who stop responding keep the room for a while; an outage of the service does not count."""

from typing import Any

import hypothesis.strategies as st
from hypothesis import HealthCheck, settings
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
    run_state_machine_as_test,
)

from poolsite.runtime.redis_server import RedisServer
from queueing.line import desk
from tests.line.desk.desk_support import SLUG, DeskUnderTest, desk_on
from tests.support.clock import ScriptClock

TTL, ROOM_GRACE, AGENT_GRACE = 15, 90, 60


def begin(bench: DeskUnderTest) -> DeskUnderTest:
    """Set up rooms that are held, with agent 7 online in a room with "a"; "b" waits."""
    bench.queue(1, room_grace_seconds=ROOM_GRACE, agent_grace_seconds=AGENT_GRACE)
    bench.agent(7, 1, online=True)
    assert bench.join("a").answer == "room"
    assert bench.join("b").answer == "waiting"
    return bench


def kinds(bench: DeskUnderTest) -> list[str]:
    return [entry["k"] for entry in bench.log()]


def test_a_silent_visitor_is_away_in_the_room_and_comes_back_to_it(line: DeskUnderTest) -> None:
    begin(line).advance(TTL + 1, 7, "b")
    assert line.visit("a").state == "room"
    assert line.visit("a").away_since_ms > 0
    line.advance(ROOM_GRACE - TTL - 5, 7, "b")
    back = line.beat("a")
    assert (back.answer, back.agent) == ("room", 7)
    assert line.visit("a").away_since_ms == 0
    line.advance(TTL - 1, 7, "b")
    assert line.visit("a").away_since_ms == 0
    assert line.beat("b").answer == "waiting"
    assert kinds(line).count("room_away") == kinds(line).count("room_back") == 1


def test_a_visitor_who_stays_silent_loses_the_room_and_the_next_one_has_it(
    line: DeskUnderTest,
) -> None:
    begin(line).advance(ROOM_GRACE - 1, 7, "b")
    assert line.visit("a").state == "room"
    line.advance(2, 7, "b")
    ended = line.beat("a")
    assert (ended.answer, ended.word) == ("ended", "visitor lost")
    assert line.beat("b").answer == "room"


def test_the_agent_may_end_the_room_of_who_is_away(line: DeskUnderTest) -> None:
    begin(line).advance(TTL + 1, 7, "b")
    assert line.finish(7, "a").ok
    assert (line.beat("a").word, line.beat("b").answer) == ("served", "room")


def test_a_silent_agent_keeps_the_rooms_gets_nobody_new_and_is_back_as_before(
    line: DeskUnderTest,
) -> None:
    begin(line)
    line.agent(7, 1, capacity=2)
    assert line.beat("b").answer == "room"
    line.advance(TTL + 1, "a", "b")
    assert line.agent_record(7).away_since_ms > 0
    line.run(desk.leave(SLUG, "b"))
    assert line.join("c").answer == "waiting"
    assert line.run(desk.why(SLUG, "c")).reasons == {7: "away"}
    assert line.run(desk.transfer_to_agent(SLUG, "c", 7)).answer == "no_room"
    line.advance(AGENT_GRACE - TTL - 3, "a", "c")
    state = line.agent_beat(7)
    assert (state.state, [slot.visit for slot in state.slots]) == ("online", ["a", "c"])
    assert line.agent_record(7).away_since_ms == 0
    assert line.wrong() == []


def test_a_pause_that_was_asked_for_outlives_the_silence(line: DeskUnderTest) -> None:
    begin(line)
    line.run(desk.pause(SLUG, 7, "lunch"))
    line.advance(TTL + 1, "a", "b")
    assert line.agent_record(7).pending == "pause"
    line.run(desk.leave(SLUG, "a"))
    assert line.agent_record(7).state == "paused"
    state = line.agent_beat(7)
    assert (state.state, state.word, state.slots) == ("paused", "lunch", ())
    assert line.beat("b").answer == "waiting"


def test_an_agent_who_stays_silent_gives_the_visitors_back(line: DeskUnderTest) -> None:
    begin(line).advance(AGENT_GRACE - 1, "a", "b")
    assert line.beat("a").answer == "room"
    line.advance(2, "a", "b")
    assert [line.beat(name).ahead for name in "ab"] == [0, 1]
    assert line.agent_record(7).state == "offline"
    assert line.agent_beat(7).answer == "offline"


def test_who_is_away_when_the_agent_is_lost_is_away_in_the_line(line: DeskUnderTest) -> None:
    begin(line)
    line.agent(8, 1)
    line.advance(AGENT_GRACE + 1, "b")
    line.login(8)
    assert line.visit("a").state == "away"
    assert line.beat("b").answer == "room"
    assert line.wrong() == []
    assert line.beat("a").answer == "waiting"


def test_an_offer_to_a_silent_agent_goes_to_the_next(line: DeskUnderTest) -> None:
    line.queue(1, mode="offer", offer_seconds=40, agent_grace_seconds=AGENT_GRACE)
    line.agent(7, 1, online=True)
    assert line.join("a").answer == "offered"
    line.agent(8, 1, online=True)
    line.advance(TTL + 1, 8, "a")
    assert [slot.visit for slot in line.agent_beat(8).slots] == ["a"]
    assert line.agent_record(7).misses == 0


class GraceMachine(RuleBasedStateMachine):
    """A room under random silence and outages, against a plain model of who is away or lost."""

    bench: DeskUnderTest

    @initialize()
    def begin(self) -> None:
        self.now = 1_700_000_000
        begin(self.bench.begin_anew(self.now))
        self.heard: int | None = self.now  # since when the service hears people
        self.beaten = {"a": self.now, "agent": self.now}
        self.away: dict[str, int | None] = {"a": None, "agent": None}
        self.lost = ""

    @rule(
        seconds=st.sampled_from([1, 5, 14, 15, 30, 59, 90]),
        visitor=st.booleans(),
        agent=st.booleans(),
        service=st.sampled_from([True, True, False]),
    )
    def time_passes(self, seconds: int, visitor: bool, agent: bool, service: bool) -> None:
        for _ in range(seconds):
            self.second(visitor, agent, service)

    def second(self, visitor: bool, agent: bool, service: bool) -> None:
        clock = self.bench.clock
        assert clock is not None
        clock.advance(1)
        self.now += 1
        if not service:
            self.heard = None
        elif self.heard is None:
            self.heard = self.now
        there = {"a": visitor, "agent": agent}
        if service:
            self.bench.beats("b", *(["a"] if visitor else []), *([7] if agent else []))
            for name in there:
                if there[name] and not self.lost:
                    self.beaten[name], self.away[name] = self.now, None
        self.bench.sweep(None if self.heard is None else self.heard * 1_000)
        self.model()

    def model(self) -> None:
        """Silence counts from the last heartbeat, and from the moment of being heard again."""
        heard = self.now if self.heard is None else self.heard
        for name, grace in (("a", ROOM_GRACE), ("agent", AGENT_GRACE)):
            if self.lost:
                return
            since = self.away[name]
            if since is None and self.now - max(self.beaten[name], heard) >= TTL:
                self.away[name] = self.now
            elif since is not None and self.now >= max(since + grace - TTL, heard + grace):
                self.lost = name

    @invariant()
    def the_desk_agrees(self) -> None:
        if not hasattr(self, "lost"):
            return
        visit, agent = self.bench.visit("a"), self.bench.agent_record(7)
        assert self.bench.wrong() == []
        if self.lost:
            assert (visit.state == "room", agent.state) != (True, "online") or visit.agent != 7
            self.begin()
            return
        assert (visit.state, visit.agent, agent.state) == ("room", 7, "online")
        assert (visit.away_since_ms > 0) == (self.away["a"] is not None)
        assert (agent.away_since_ms > 0) == (self.away["agent"] is not None)


def test_random_silence_and_outages_equal_the_model(
    clean_redis: RedisServer, test_clock: ScriptClock
) -> None:
    with desk_on(clean_redis.url, test_clock) as bench:
        machine: Any = type("Bound", (GraceMachine,), {"bench": bench})
        run_state_machine_as_test(
            machine,
            settings=settings(
                max_examples=30,
                stateful_step_count=10,
                suppress_health_check=list(HealthCheck),
                print_blob=True,
            ),
        )
