"""Redis' clock steps for a while and is right again: no one is lost by it, and no delay remains."""

import pytest

from queueing.line import desk
from tests.line.desk.desk_support import KEYS, SLUG, DeskUnderTest

AHEAD = pytest.mark.parametrize("seconds", [40, 300, 3_600])
EITHER = pytest.mark.parametrize("seconds", [-3_600, -300, -40, 40, 300, 3_600])
TTL = 15
STEP_SECONDS = 12


def step(line: DeskUnderTest, seconds: int, *alive: str | int) -> None:
    """Step the clock and let time pass: people are heard, and monitors stop the sweeps."""
    assert line.clock is not None
    line.clock.advance(seconds)
    for _ in range(STEP_SECONDS):
        line.clock.advance(1)
        line.beats(*alive)


def back(line: DeskUnderTest, seconds: int, *alive: str | int) -> None:
    """Set the clock right again; sweeps continue."""
    assert line.clock is not None
    line.clock.advance(-seconds)
    for _ in range(10):
        line.advance(1, *alive)


def kinds(line: DeskUnderTest) -> list[str]:
    return [entry["k"] for entry in line.log()]


@AHEAD
def test_who_falls_silent_after_the_step_is_noticed_as_ever(
    line: DeskUnderTest, seconds: int
) -> None:
    line.queue(1, room_grace_seconds=30, agent_grace_seconds=30, grace_seconds=30)
    line.agent(7, 1, online=True)
    for name in ("room", "waits"):
        line.join(name)
    line.sweep()
    step(line, seconds, 7, "room", "waits")
    back(line, seconds)
    line.advance(TTL - 3)
    assert line.visit("room").away_since_ms > 0
    assert line.visit("waits").state == "away"
    assert line.agent_record(7).away_since_ms > 0
    line.advance(35)
    assert line.agent_record(7).state == "offline"
    assert line.beat("waits").answer == "ended"


@AHEAD
def test_who_is_away_since_a_clock_that_was_ahead_has_its_grace_from_now(
    line: DeskUnderTest, seconds: int
) -> None:
    line.queue(1, agent_grace_seconds=40, grace_seconds=40)
    line.agent(7, 1, online=True)
    assert line.clock is not None
    line.clock.advance(seconds)
    line.agent_beat(7)
    line.advance(TTL + 1)
    assert line.join("first").answer == "waiting"
    line.advance(TTL + 1)
    assert line.visit("first").state == "away"
    assert line.agent_record(7).away_since_ms > 0
    back(line, seconds)
    now_ms = line.clock.now_us // 1_000
    assert line.agent_record(7).away_since_ms <= now_ms
    line.advance(45)
    assert (line.agent_record(7).state, line.beat("first").answer) == ("offline", "ended")


@AHEAD
def test_offers_and_wrap_ups_of_a_clock_that_was_ahead_end_in_their_time(
    line: DeskUnderTest, seconds: int
) -> None:
    line.queue(1, mode="offer", offer_seconds=20)
    line.queue(2, wrap_up_seconds=30)
    line.agent(7, 1, online=True)
    line.agent(8, 2, online=True)
    line.join("room", 2)
    line.sweep()
    step(line, seconds, 7, 8, "room")
    line.join("offered", 1)
    line.finish(8, "room")
    back(line, seconds, 7, 8, "offered")
    assert [line.agent_beat(agent).slots[0].kind for agent in (7, 8)] == ["offer", "wrap_up"]
    line.advance(20, 7, 8, "offered")
    assert line.agent_record(7).misses == 1
    line.advance(10, 7, 8, "offered")
    assert line.agent_beat(8).slots == ()


@AHEAD
def test_waits_and_skills_count_from_now(line: DeskUnderTest, seconds: int) -> None:
    line.queue(1, max_wait_seconds=50, skills_relax_seconds=15)
    line.agent(7, 1, skills={"tax": 1}, online=True)
    line.sweep()
    step(line, seconds, 7)
    line.join("skilled", skills={"tax": 2})
    line.join("never", skills={"zh": 9})
    back(line, seconds, 7, "skilled", "never")
    line.join("later", skills={"zh": 9})
    line.advance(20, 7, "skilled", "never", "later")
    assert line.beat("skilled").answer == "room"
    line.advance(27, 7, "skilled", "never", "later")
    assert (line.beat("never").word, line.beat("later").answer) == ("max wait", "waiting")
    line.advance(10, 7, "skilled", "later")
    assert line.beat("later").word == "max wait"


@AHEAD
@pytest.mark.parametrize("skills", [{}, {"zh": 9}])
def test_who_joins_while_the_clock_is_behind_waits_as_long_as_others(
    line: DeskUnderTest, seconds: int, skills: dict[str, int]
) -> None:
    line.queue(1, max_wait_seconds=50)
    line.agent(7, 1)
    line.join("before")
    line.sweep()
    step(line, -seconds, "before")
    line.join("behind", skills=skills)
    back(line, -seconds, "before", "behind")
    assert line.clock is not None
    waited_us = line.clock.now_us - line.visit("behind").arrived_us
    assert 0 <= waited_us <= 30_000_000
    line.advance(20, "before", "behind")
    assert line.beat("behind").answer == "waiting"


@AHEAD
def test_nobody_is_overtaken_and_waits_are_not_negative(line: DeskUnderTest, seconds: int) -> None:
    assert line.clock is not None
    names = ["before"]
    line.join("before")
    line.sweep()
    step(line, seconds, "before")
    names.append("ahead")
    line.join("ahead")
    line.clock.advance(-seconds)
    for n in range(12):
        line.clock.advance(1)
        line.beats(*names)
        line.sweep()
        names.append(f"after-{n}")
        line.join(names[-1], skills={"tax": 1} if n % 3 == 2 else {})
    assert [line.beat(name).ahead for name in names] == list(range(len(names)))
    for name in names:
        assert line.visit(name).arrived_us <= line.clock.now_us
    line.agent(7, 1, skills={"tax": 1}, online=True)
    for name in names:
        assert line.beat(name).answer == "room"
        assert line.finish(7, name).ok
    waited = [int(entry["ms"]) for entry in line.log() if entry["k"] == "room"]
    assert all(0 <= ms <= 30_000 for ms in waited)


@AHEAD
def test_the_agent_who_is_idle_longest_is_the_same(line: DeskUnderTest, seconds: int) -> None:
    line.agent(7, 1, online=True)
    line.agent(8, 1)
    line.sweep()
    assert line.join("a").agent == 7
    step(line, seconds, 7, "a")
    line.finish(7, "a")
    back(line, seconds, 7)
    line.login(8)
    assert line.join("b").agent == 7


@AHEAD
def test_a_recovering_desk_opens_in_its_own_time(line: DeskUnderTest, seconds: int) -> None:
    step(line, seconds)
    line.run(desk.recover(SLUG, 2))
    line.run(desk.open_after(SLUG, 2, 30))
    back(line, seconds)
    assert line.figures().status == "recovering"
    line.advance(31)
    assert line.figures().status == "open"


@AHEAD
def test_a_call_back_is_looked_at_after_the_step(line: DeskUnderTest, seconds: int) -> None:
    line.agent(7, 1, online=True)
    line.join("a")
    line.sweep()
    step(line, seconds, 7, "a")
    asked = line.run(desk.call_ask(SLUG, 7, "a", "+493012", pool="p", look_after_seconds=5))
    assert asked.answer == "ok"
    back(line, seconds, 7, "a")
    assert [call.visit for call in line.run(desk.calls_due(SLUG))] == ["a"]


@EITHER
def test_a_step_loses_nobody_though_it_is_swept_at_once(line: DeskUnderTest, seconds: int) -> None:
    """No monitor has noticed the step, and no one is heard meanwhile."""
    assert line.clock is not None
    line.queue(1, max_wait_seconds=100, wrap_up_seconds=30)
    line.queue(2, mode="offer", no_agent="end", no_agent_seconds=30)
    line.agent(7, 1, online=True)
    line.agent(8, 2, online=True)
    line.join("room")
    line.join("waits")
    line.join("offered", 2)
    token = line.agent_beat(8).offer_token
    everybody: tuple[str | int, ...] = (7, 8, "room", "waits", "offered")
    line.advance(5, *everybody)
    before = kinds(line)
    for by in (seconds, -seconds):
        line.clock.advance(by)
        for _ in range(4):
            line.sweep()
            line.clock.advance(1)
    line.beats(*everybody)
    line.advance(5, *everybody)
    assert kinds(line) == before
    assert line.run(desk.accept(SLUG, 8, "offered", token)).ok


@EITHER
def test_a_step_that_stays_gives_everyone_the_grace_again(
    line: DeskUnderTest, seconds: int
) -> None:
    assert line.clock is not None
    line.agent(7, 1, online=True)
    line.join("room")
    line.join("waits")
    line.advance(10, 7, "room", "waits")
    line.clock.advance(seconds)
    line.sweep()
    for _ in range(TTL - 1):
        line.clock.advance(1)
        line.sweep()
    assert line.beats(7, "room", "waits")[1].answer == "room"
    line.advance(20, 7, "room", "waits")
    assert not {"away", "end", "agent_lost"} & set(kinds(line))


def test_sweeps_that_are_always_late_end_what_is_due(line: DeskUnderTest) -> None:
    line.queue(1)
    line.agent(7, 1, online=True)
    assert line.clock is not None
    line.sweep()
    for _ in range(30):
        line.clock.advance(10)
        line.sweep()
    assert line.agent_record(7).state == "offline"


def test_a_walk_is_done_in_pieces(line: DeskUnderTest) -> None:
    assert line.clock is not None
    names = [f"v{n}" for n in range(300)]
    line.sweep()
    line.clock.advance(3_600)
    for name in names:
        line.join(name)
    line.clock.advance(-3_600)
    for _ in range(7):
        line.advance(1)
    assert line.client.hget(KEYS.tag, "ahead") is None
    farthest = line.client.zrange(f"{KEYS.tag}:timers", -1, -1, withscores=True)[0][1]
    assert farthest <= line.clock.now_us / 1_000 + TTL * 1_000
