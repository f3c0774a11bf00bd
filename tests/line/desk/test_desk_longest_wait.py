"""The longest wait of a queue: from when it counts, and what happens when it is over."""

from queueing.line import desk
from tests.line.desk.desk_support import SLUG, DeskUnderTest


def in_room(line: DeskUnderTest, seconds: float) -> None:
    """Let agent 7 talk with visitor "a" for longer than queue 1's longest wait."""
    line.queue(1, max_wait_seconds=30)
    line.agent(7, 1, online=True)
    line.join("a")
    line.advance(seconds, "a", 7)
    assert line.beat("a").answer == "room"


def test_the_longest_wait_overflows_once_and_then_ends(line: DeskUnderTest) -> None:
    line.queue(1, max_wait_seconds=30, overflow=2)
    line.queue(2, max_wait_seconds=30)
    line.join("a")
    line.advance(31, "a")
    assert (line.beat("a").answer, line.beat("a").queue) == ("waiting", 2)
    line.join("b", 2)
    line.advance(31, "a", "b")
    assert line.beat("b").word == "max wait"


def test_it_counts_again_for_a_visitor_who_comes_back_from_a_room(line: DeskUnderTest) -> None:
    in_room(line, 60)
    line.run(desk.log_out_now(SLUG, 7, "fire drill"))
    line.advance(25, "a")
    assert line.beat("a").answer == "waiting"
    line.advance(10, "a")
    assert line.beat("a").word == "max wait"


def test_it_counts_again_after_a_transfer(line: DeskUnderTest) -> None:
    in_room(line, 60)
    line.queue(2, max_wait_seconds=30)
    line.run(desk.transfer_to_queue(SLUG, "a", 2, by="olive"))
    line.advance(25, "a", 7)
    assert line.beat("a").answer == "waiting"


def test_it_counts_again_for_a_visitor_who_was_lost_and_joins_again(line: DeskUnderTest) -> None:
    in_room(line, 5)
    arrived_us = line.visit("a").arrived_us
    line.advance(60, 7)
    assert line.beat("a").word == "visitor lost"
    line.run(desk.pause(SLUG, 7, "lunch"))
    line.join("again", arrived_us=arrived_us)
    line.advance(25, 7, "again")
    assert line.beat("again").answer == "waiting"


def test_it_is_that_of_the_queue_into_which_a_visitor_is_moved(line: DeskUnderTest) -> None:
    line.queue(1, max_wait_seconds=30)
    line.join("a")
    line.run(desk.transfer_to_queue(SLUG, "a", 2, by="olive"))
    line.advance(60, "a")
    assert line.beat("a").answer == "waiting"


def test_it_does_not_count_again_after_a_missed_offer(line: DeskUnderTest) -> None:
    line.queue(2, mode="offer", max_wait_seconds=30, offer_seconds=20, misses_limit=1)
    line.agent(8, 2, online=True)
    assert line.join("a", 2).answer == "offered"
    line.advance(25, "a", 8)
    assert line.beat("a").answer == "waiting"
    line.advance(10, "a", 8)
    assert line.beat("a").word == "max wait"


def test_it_does_not_end_a_visit_that_is_offered(line: DeskUnderTest) -> None:
    line.queue(2, mode="offer", max_wait_seconds=30, offer_seconds=60, misses_limit=1)
    line.agent(8, 2, online=True)
    line.join("a", 2)
    line.advance(40, "a", 8)
    assert line.beat("a").answer == "offered"
    line.advance(30, "a", 8)
    assert line.beat("a").word == "max wait"


def test_a_visitor_who_has_overflowed_stays_after_a_missed_offer(line: DeskUnderTest) -> None:
    line.queue(1, max_wait_seconds=30, overflow=2)
    line.queue(2, mode="offer", max_wait_seconds=30, offer_seconds=10, misses_limit=1)
    line.join("a")
    line.advance(31, "a")
    line.agent(8, 2, online=True)
    assert line.beat("a").answer == "offered"
    line.advance(25, "a", 8)
    assert line.beat("a").answer == "waiting"


def test_it_counts_again_after_a_loss_of_redis(line: DeskUnderTest) -> None:
    line.queue(1, max_wait_seconds=30)
    line.join("a")
    loaded = desk.Loaded("a", 1, 5, line.visit("a").arrived_us, None, {})
    line.run(desk.leave(SLUG, "a", "left"))
    line.advance(600)  # by now, the desk has forgotten the visit
    line.run(desk.load(SLUG, [loaded]))
    line.advance(25, "a")
    assert line.beat("a").answer == "waiting"
