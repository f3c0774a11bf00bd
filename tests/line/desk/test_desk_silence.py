"""No one is matched with a person who no longer responds, even without a sweep."""

import pytest

from poolsite.runtime.redis_server import RedisServer
from queueing.line import desk
from tests.line.desk.desk_support import KEYS, SLUG, DeskUnderTest, desk_on

TTL, AGENT_GRACE, GRACE = 15, 60, 60


def fall_silent(bench: DeskUnderTest, *alive: str | int) -> None:
    """Let everyone but these be silent for a second more than the time to live, without a sweep."""
    assert bench.clock is not None
    bench.clock.advance(TTL - 2)
    bench.beats(*alive)
    bench.sweep()
    bench.clock.advance(3)


def begin(bench: DeskUnderTest, *agents: int, **settings: object) -> None:
    bench.queue(1, agent_grace_seconds=AGENT_GRACE, grace_seconds=GRACE, **settings)
    for agent in agents:
        bench.agent(agent, 1, online=True)
        assert bench.clock is not None
        bench.clock.advance(0.1)  # so that the first agent is idle longest


def kinds(bench: DeskUnderTest) -> list[str]:
    return [entry["k"] for entry in bench.log()]


def test_a_join_passes_over_a_silent_agent_who_is_away_from_then_on(line: DeskUnderTest) -> None:
    begin(line, 7, 8)
    fall_silent(line, 8)
    joined = line.join("a")
    assert (joined.answer, joined.agent) == ("room", 8)
    silent = line.agent_record(7)
    assert (silent.state, silent.away_since_ms > 0) == ("online", True)
    assert kinds(line)[-3:] == ["agent_away", "join", "room"]
    assert line.agent_beat(7).state == "online"
    assert line.agent_record(7).away_since_ms == 0
    assert line.join("b").agent == 7


def test_a_visitor_whom_only_silent_agents_could_serve_waits_until_one_is_back(
    line: DeskUnderTest,
) -> None:
    begin(line, 7, 8)
    fall_silent(line)
    assert line.join("a").answer == "waiting"
    assert line.run(desk.why(SLUG, "a")).reasons == {7: "away", 8: "away"}
    assert line.agent_beat(8).slots[0].visit == "a"


def test_the_reason_is_told_before_anybody_has_marked_it(line: DeskUnderTest) -> None:
    line.queue(2, mode="manual")
    line.agent(7, 2, online=True)
    line.join("a", 2)
    fall_silent(line, "a")
    assert line.run(desk.why(SLUG, "a")).reasons == {7: "away"}


def test_with_skills_the_silent_one_is_passed_over_too(line: DeskUnderTest) -> None:
    begin(line)
    for agent in (7, 8):
        line.agent(agent, 1, online=True, skills={"tax": 2})
    fall_silent(line, 8)
    assert line.join("a", skills={"tax": 2}).agent == 8
    assert line.agent_record(7).away_since_ms > 0


@pytest.mark.parametrize("wrap_up", [0, 5])
def test_an_agent_who_becomes_free_passes_over_a_silent_visitor(
    line: DeskUnderTest, wrap_up: int
) -> None:
    begin(line, 7, wrap_up_seconds=wrap_up)
    for name in ("served", "silent", "heard"):
        line.join(name)
    fall_silent(line, 7, "served", "heard")
    assert line.finish(7, "served").ok
    if wrap_up:
        assert line.run(desk.ready(SLUG, 7)).ok
    assert [slot.visit for slot in line.agent_beat(7).slots] == ["heard"]
    assert line.visit("silent").state == "away"
    back = line.beat("silent")
    assert (back.answer, back.ahead) == ("waiting", 0)


def test_a_silent_agent_whose_visitor_leaves_gets_nobody_new(line: DeskUnderTest) -> None:
    begin(line, 7)
    line.join("a")
    line.join("b")
    fall_silent(line, "a", "b")
    line.run(desk.leave(SLUG, "a"))
    assert line.beat("b").answer == "waiting"
    assert line.agent_record(7).away_since_ms > 0
    assert [slot.visit for slot in line.agent_beat(7).slots] == ["b"]


def test_who_is_taken_by_hand_is_heard(line: DeskUnderTest) -> None:
    line.queue(1, mode="manual")
    line.agent(7, 1, online=True)
    for name in ("silent", "heard", "chosen"):
        line.join(name)
    fall_silent(line, 7, "heard")
    assert line.run(desk.take(SLUG, 7, "chosen")).answer == "away"
    assert line.visit("chosen").state == "away"
    taken = line.run(desk.take(SLUG, 7))
    assert (taken.answer, taken.visit) == ("ok", "heard")
    assert line.visit("silent").state == "away"
    line.finish(7, "heard")
    assert line.run(desk.take(SLUG, 7)).answer == "nobody"


def test_nobody_is_handed_over_to_a_silent_agent_or_out_of_the_line_in_silence(
    line: DeskUnderTest,
) -> None:
    line.queue(1, mode="manual")
    for agent in (7, 8):
        line.agent(agent, 1, online=True)
    for name in ("silent", "heard"):
        line.join(name)
    fall_silent(line, 8, "heard")
    assert line.run(desk.transfer_to_agent(SLUG, "heard", 7)).answer == "no_room"
    assert line.run(desk.transfer_to_agent(SLUG, "silent", 8)).answer == "no_room"
    assert line.run(desk.transfer_to_agent(SLUG, "heard", 8)).answer == "room"


def test_an_offer_past_its_time_is_refused_and_counted_by_the_next_sweep(
    line: DeskUnderTest,
) -> None:
    assert line.clock is not None
    begin(line, 7, mode="offer", offer_seconds=8)
    line.join("a")
    token = line.agent_beat(7).offer_token
    line.sweep()
    line.clock.advance(4)
    line.sweep()
    line.clock.advance(4.5)
    for answer in (desk.accept, desk.decline):
        assert line.run(answer(SLUG, 7, "a", token)).answer == "late"
    assert line.agent_record(7).misses == 0
    line.beats("a", 7)
    line.sweep()
    assert line.agent_record(7).misses == 1
    assert line.agent_beat(7).offer_token != token


def test_the_offer_of_a_visitor_who_fell_silent_is_over(line: DeskUnderTest) -> None:
    begin(line, 7, mode="offer", offer_seconds=40)
    line.join("silent")
    token = line.agent_beat(7).offer_token
    line.join("heard")
    fall_silent(line, 7, "heard")
    assert line.run(desk.accept(SLUG, 7, "silent", token)).answer == "late"
    assert line.visit("silent").state == "away"
    assert [slot.visit for slot in line.agent_beat(7).slots] == ["heard"]


@pytest.mark.parametrize("outage", ["told", "everything"])
def test_after_an_outage_nobody_loses_a_turn(line: DeskUnderTest, outage: str) -> None:
    """Told: the timers report that people cannot be heard. Everything: no process can report it."""
    assert line.clock is not None
    begin(line, 7)
    line.queue(2, mode="offer", offer_seconds=8)
    line.agent(9, 2, online=True)
    line.join("offered", 2)
    token = line.agent_beat(9).offer_token
    line.join("served")
    line.join("first")
    line.sweep()
    for _ in range(4):
        line.clock.advance(20)
        if outage == "told":
            line.sweep(heard_since_ms=None)
    assert line.run(desk.accept(SLUG, 9, "offered", token)).ok
    line.join("later")
    assert line.finish(7, "served").ok
    assert line.visit("first").state == "room"
    assert "away" not in kinds(line)
    assert "agent_away" not in kinds(line)


def test_people_are_silent_again_a_time_to_live_after_they_can_be_heard(
    line: DeskUnderTest,
) -> None:
    assert line.clock is not None
    begin(line, 7)
    line.clock.advance(60)
    heard = line.clock.now_us // 1_000
    for seconds, answer in ((TTL - 1, "room"), (1, "waiting")):
        line.clock.advance(seconds)
        # what a sweep leaves that had too much to do to reach this agent
        told = {"heard": heard, "walked": line.clock.now_us // 1_000}
        line.client.hset(KEYS.tag, mapping=told)
        assert line.join(f"v{seconds}").answer == answer
        line.run(desk.leave(SLUG, f"v{seconds}"))


def test_a_call_passes_over_twenty_and_the_next_one_goes_on(line: DeskUnderTest) -> None:
    begin(line, *range(10, 35))
    line.agent(99, 1, online=True)
    line.beats(*range(10, 35))
    fall_silent(line, 99)
    assert line.join("a").answer == "waiting"
    assert kinds(line).count("agent_away") == 20
    line.sweep()
    assert line.beat("a").agent == 99


def test_without_grace_a_match_still_loses_nobody(line: DeskUnderTest) -> None:
    line.agent(7, 1, online=True)
    fall_silent(line)
    line.join("a")
    assert line.agent_record(7).state == "online"
    line.sweep()
    assert line.agent_record(7).state == "offline"


def test_a_sweep_with_patience_does_what_others_have_left(line: DeskUnderTest) -> None:
    assert line.clock is not None
    begin(line, 7)
    line.sweep()
    now = line.clock.now_us
    looked = line.run(desk.sweep(SLUG, patience_seconds=0.2))
    assert (looked.more, looked.handled, looked.now_us) == (False, 0, now)
    assert looked.next_us == now + 1_000_000
    line.advance(TTL - 1)
    line.clock.advance(1.0)  # the agent's silence is due, and the timers may still visit
    assert line.run(desk.sweep(SLUG, patience_seconds=0.2)).handled == 0
    line.clock.advance(0.2)
    assert line.run(desk.sweep(SLUG, patience_seconds=0.2)).handled == 1
    assert line.agent_record(7).away_since_ms > 0
    line.clock.advance(2.5)  # nothing is due, but no sweep ran
    line.run(desk.sweep(SLUG, patience_seconds=0.2))
    assert int(line.client.hget(KEYS.tag, "walked")) == line.clock.now_us // 1_000


def test_what_can_be_heard_is_written_when_it_has_changed(clean_redis: RedisServer) -> None:
    with desk_on(clean_redis.url) as bench:
        bench.create()
        for told, kept in ((5, "5"), (None, "now"), (0, "0")):
            bench.sweep(told)
            assert bench.client.hget(KEYS.tag, "heard") == kept
        bench.client.config_resetstat()
        bench.sweep(0)
        assert "hset" not in bench.client.info("commandstats")
