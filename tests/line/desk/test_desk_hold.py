"""A place held for a visitor who is away: longer than the grace time, without other effects."""

from queueing.line import desk
from tests.line.desk.desk_support import SLUG, DeskUnderTest

TTL, GRACE = 15, 60


def hold(line: DeskUnderTest, visit: str, seconds: int) -> desk.Standing:
    found = line.run(desk.hold(SLUG, visit, seconds))
    assert isinstance(found, desk.Standing)
    return found


def test_who_is_away_is_held_passed_over_and_back_at_the_same_place(line: DeskUnderTest) -> None:
    line.join("a")
    line.join("b")
    assert hold(line, "a", 300).answer == "waiting"  # no effect on a visitor who is there
    line.advance(TTL + 1, "b")
    assert (hold(line, "a", 300).answer, line.beat("b").ahead) == ("away", 1)
    line.advance(GRACE + 60, "b")
    assert line.visit("a").state == "away"  # lost long ago without the hold
    hold(line, "a", 10)  # a longer time that was set before stays valid
    line.agent(7, 1, online=True)
    assert (line.visit("a").state, line.visit("b").state) == ("away", "room")
    line.advance(150, "b", 7)
    back = line.beat("a")
    assert (back.answer, back.ahead) == ("waiting", 0)
    line.finish(7, "b")
    assert line.beat("a").answer == "room"


def test_a_hold_ends_and_holds_nobody_who_has_ended_or_is_not_known(line: DeskUnderTest) -> None:
    line.join("a")
    line.advance(TTL + 1)
    hold(line, "a", 100)
    line.advance(99)
    assert line.visit("a").state == "away"
    line.advance(2)
    ended = hold(line, "a", 100)
    assert (ended.answer, ended.word) == ("ended", "lost")
    assert hold(line, "b", 100).answer == "gone"
    assert line.run(desk.hold(SLUG, "a", 0)).answer == "malformed hold"
    assert line.run(desk.hold(SLUG, "a", 3_601)).answer == "malformed hold"


def test_who_is_in_a_room_is_not_held_longer_than_the_room(line: DeskUnderTest) -> None:
    line.agent(7, 1, online=True)
    assert line.join("a").answer == "room"
    assert hold(line, "a", 3_600).answer == "room"
    line.advance(TTL + 91, 7)
    assert line.visit("a").state == "ended"
