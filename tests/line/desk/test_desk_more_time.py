"""Thirty seconds more for a wrap-up: once for each request, and not without a limit."""

from queueing.line import desk
from tests.line.desk.desk_support import KEYS, SLUG, DeskUnderTest


def wrapping(line: DeskUnderTest, *visits: str, wrap_up: int = 60) -> list[int]:
    """Let agent 7 serve these visitors. Return the ends of its wrap-ups."""
    line.queue(1, wrap_up_seconds=wrap_up)
    line.agent(7, 1, capacity=len(visits) or 1, online=True)
    for visit in visits:
        line.join(visit)
    for visit in visits:
        line.finish(7, visit)
        assert line.clock is not None
        line.clock.advance(1)
    return ends(line)


def ends(line: DeskUnderTest) -> list[int]:
    return [slot.until_ms for slot in line.agent_record(7).slots if slot.kind == "wrap_up"]


def more(line: DeskUnderTest, until_ms: int) -> desk.MoreTime:
    found = line.run(desk.more_time(SLUG, 7, until_ms))
    assert isinstance(found, desk.MoreTime)
    return found


def due_ms(line: DeskUnderTest) -> float:
    return float(line.client.zscore(KEYS.tag + ":timers", "w7"))


def test_it_ends_half_a_minute_later_and_then_the_next_visitor_comes(line: DeskUnderTest) -> None:
    (end,) = wrapping(line, "a")
    assert more(line, end) == desk.MoreTime("ok", end + 30_000)
    assert (ends(line), due_ms(line)) == ([end + 30_000], end + 30_000)
    assert line.join("b").answer == "waiting"
    line.advance(85, 7, "b")
    assert line.beat("b").answer == "waiting"  # of 60 s and 30 s, one was over before
    line.advance(5, 7, "b")
    assert line.beat("b").answer == "room"


def test_a_wish_that_comes_twice_is_granted_once(line: DeskUnderTest) -> None:
    (end,) = wrapping(line, "a")
    more(line, end)
    seq = line.figures().seq
    assert more(line, end) == desk.MoreTime("repeat", end + 30_000)
    assert more(line, end + 30_000) == desk.MoreTime("ok", end + 60_000)
    assert more(line, end) == more(line, end + 30_000) == desk.MoreTime("repeat", end + 60_000)
    assert ends(line) == [end + 60_000]
    assert line.figures().seq == seq + 1


def test_what_is_over_or_was_never_there_is_late(line: DeskUnderTest) -> None:
    (end,) = wrapping(line, "a")
    late = desk.MoreTime("late")
    assert more(line, end + 1) == more(line, end - 30_000) == late
    assert line.clock is not None
    line.clock.advance(58.999)
    assert more(line, end).answer == "ok"
    line.clock.advance(30)
    assert more(line, end + 30_000).answer == "ok"
    line.clock.advance(30.001)
    assert more(line, end + 60_000) == late  # over, though no sweep has run
    line.sweep()
    assert (more(line, end), ends(line)) == (late, [])


def test_ready_ends_a_wrap_up_that_was_prolonged(line: DeskUnderTest) -> None:
    (end,) = wrapping(line, "a")
    more(line, end)
    assert line.run(desk.ready(SLUG, 7)).ok
    assert line.join("b").answer == "room"
    assert more(line, end).answer == more(line, end + 30_000).answer == "late"


def test_a_short_wrap_up_gets_150_s_at_most_a_long_one_as_much_again(line: DeskUnderTest) -> None:
    (end,) = wrapping(line, "a")
    for _ in range(5):
        assert more(line, ends(line)[0]).answer == "ok"
    assert more(line, end + 150_000) == desk.MoreTime("limit", end + 150_000)
    assert ends(line) == [end + 150_000]
    line.queue(1, wrap_up_seconds=180)
    assert more(line, end + 150_000) == desk.MoreTime("ok", end + 180_000)
    assert more(line, end + 180_000).answer == "limit"
    line.queue(1, wrap_up_seconds=239)  # no whole step is left
    assert more(line, end + 180_000).answer == "ok"
    assert more(line, end + 210_000).answer == "limit"


def test_only_the_agents_own_queues_count(line: DeskUnderTest) -> None:
    line.queue(2, wrap_up_seconds=600)
    (end,) = wrapping(line, "a")
    for step in range(5):
        more(line, end + step * 30_000)
    assert more(line, end + 150_000).answer == "limit"


def test_of_two_side_by_side_only_the_one_that_is_meant_lasts_longer(line: DeskUnderTest) -> None:
    first, second = wrapping(line, "a", "b")
    assert more(line, first).until_ms == first + 30_000
    assert sorted(ends(line)) == [second, first + 30_000]
    assert due_ms(line) == second
    assert more(line, second).until_ms == second + 30_000
    assert due_ms(line) == first + 30_000
    assert more(line, first).answer == more(line, second).answer == "repeat"
    line.advance(88.5, 7)
    assert ends(line) == [second + 30_000]
    assert more(line, second + 30_000).answer == "ok"
    kept = line.client.hget(KEYS.tag, "more:7")
    assert kept == f"{second + 60_000}:{second}"  # expired ones are forgotten


def test_two_that_end_in_the_same_millisecond_are_two(line: DeskUnderTest) -> None:
    line.queue(1, wrap_up_seconds=60)
    line.agent(7, 1, capacity=2, online=True)
    for visit in ("a", "b"):
        line.join(visit)
    assert line.clock is not None
    line.finish(7, "a")
    line.finish(7, "b")
    first, second = ends(line)
    more(line, first)
    assert sorted(ends(line)) == sorted([first + 30_000, second])


def test_an_agent_who_is_free_for_others_in_another_room_stays_so(line: DeskUnderTest) -> None:
    line.queue(1, wrap_up_seconds=60)
    line.agent(7, 1, capacity=2, online=True)
    line.join("a")
    line.finish(7, "a")
    more(line, ends(line)[0])
    assert line.join("b").answer == "room"
    assert line.join("c").answer == "waiting"


def test_all_tabs_hear_of_it_and_what_is_no_time_is_refused(line: DeskUnderTest) -> None:
    (end,) = wrapping(line, "a")
    with line.client.pubsub() as heard:
        heard.subscribe("live:to:user:7")
        assert heard.get_message(timeout=1)["type"] == "subscribe"
        more(line, end)
        told = heard.get_message(timeout=1)
    assert '"kind":"line.agent"' in told["data"]
    entry = line.log()[-1]
    assert (entry["k"], entry["a"], entry["w"]) == ("more_time", "7", str(end + 30_000))
    for wrong in ("", "x", "1.5", "-1", "1" * 16):
        command = desk.more_time(SLUG, 7, wrong)
        assert line.run(command).answer == "malformed ends"
    assert line.run(desk.more_time(SLUG, 99, end)).answer == "gone"
    assert line.run(desk.more_time("nowhere", 7, end)).answer == "no such desk"
