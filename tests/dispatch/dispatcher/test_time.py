"""What has expired does not count, whichever command comes first; few tests run sweeps."""

import pytest

from queueing.dispatch import dispatcher
from tests.dispatch.dispatcher.group_support import GENERATION, KEYS, SLUG, GroupUnderTest, Peer

QUICK = {"heartbeat_seconds": 1, "missed_limit": 3, "timed_route_seconds": 30}
SHARINGS = ("least", "turn", "key")


@pytest.fixture
def quick(group: GroupUnderTest) -> GroupUnderTest:
    """A group with a limit of 3 s."""
    return set_up(group)


def set_up(group: GroupUnderTest, **settings: object) -> GroupUnderTest:
    wanted = dispatcher.GroupSettings(**(QUICK | settings))
    assert group.run(dispatcher.configure(SLUG, wanted)) == ""
    return group


def starts(front: Peer, first: int, count: int) -> list[str]:
    """Return the peers that new sessions go to, or the reasons why they do not begin."""
    routed = [front.start(str(word)) for word in range(first, first + count)]
    return [its.peer if its.outcome == "routed" else its.reason for its in routed]


@pytest.mark.parametrize("sharing", SHARINGS)
def test_a_silent_instance_gets_no_session_from_its_limit_on(
    group: GroupUnderTest, sharing: str
) -> None:
    set_up(group, sharing=sharing)
    front, silent, other = group.front(), group.back(name="as-1"), group.back(name="as-2")
    group.wait(2.9, front, other)
    assert silent.key in starts(front, 0, 60)
    group.wait(0.2, front, other)
    assert set(starts(front, 60, 30)) == {other.key}
    assert {front.deliver().peer for _ in range(4)} == {other.key}
    assert silent.heard().ok  # it was only slow
    assert silent.key in starts(front, 90, 60)


def test_none_is_open_when_all_are_silent(quick: GroupUnderTest) -> None:
    front = quick.front()
    for n in range(5):
        quick.back(name=f"as-{n}")
    quick.wait(3.1, front)
    assert front.start("1").reason == "none open"
    assert front.deliver().reason == "none open"


def test_messages_for_a_silent_peer_are_answered_at_once(quick: GroupUnderTest) -> None:
    front, back = quick.front(), quick.back()
    front.start("1")
    quick.wait(3.1, front)
    assert front.message("f1/1").reason == "peer pending"
    assert back.row.state == "pending"
    quick.wait(3.1, back)
    assert back.message("f1/1").reason == "peer pending"
    assert back.deliver("f1").reason == "peer pending"


def test_the_limit_counts_from_the_last_frame_not_from_when_it_was_told(
    quick: GroupUnderTest,
) -> None:
    front, back = quick.front(), quick.back()
    quick.run(dispatcher.heard(SLUG, "web1", [(back.key, back.link, 1_000_000)]))
    quick.wait(2.1, front)
    assert front.start("1").reason == "none open"


@pytest.mark.parametrize("away", [3.1, 70.0])
def test_after_nobody_asked_for_a_while_everyone_has_the_limit_again(
    quick: GroupUnderTest, away: float
) -> None:
    front, back = quick.front(), quick.back()
    assert front.start("1", ttl_seconds=3).outcome == "routed"
    assert quick.clock is not None
    quick.clock.advance(away)  # Redis, or every process, was away
    assert front.start("2").outcome == "routed"
    assert front.message("f1/1").outcome == "routed"
    quick.wait(2.9, front)
    quick.sweep()
    assert (back.row.state, front.start("3").outcome) == ("active", "routed")
    quick.wait(0.2, front)
    assert front.start("4").reason == "none open"
    quick.sweep()
    assert back.row.state == "pending"


def test_a_group_that_is_quiet_was_not_away(quick: GroupUnderTest) -> None:
    front, back = quick.front(), quick.back()
    quick.wait(3.1)  # its processes listen; no peer sends anything, and nothing was due
    quick.sweep()
    assert (front.row.state, back.row.state) == ("pending", "pending")


@pytest.mark.parametrize("asks", ["front", "back"])
def test_a_route_past_its_time_is_not_used(quick: GroupUnderTest, asks: str) -> None:
    front, back = quick.front(), quick.back()
    front.start("1", ttl_seconds=3)
    peer = front if asks == "front" else back
    quick.wait(2.9, front, back)
    assert peer.message("f1/1").outcome == "routed"
    front.take()
    back.take()
    quick.wait(0.2, front, back)
    route = quick.route("f1/1")
    assert route is not None
    assert not route.live
    assert peer.message("f1/1").reason == "no such session"
    assert quick.route("f1/1") is None
    for end in (front, back):
        assert ("end", "f1/1", "expired") in end.told()
    quick.check_structure()


def test_an_untimed_route_ends_at_the_limit(group: GroupUnderTest) -> None:
    set_up(group, route_limit_seconds=30)
    front, back = group.front(), group.back()
    front.start("1")
    group.wait(30.1, front, back)
    assert front.message("f1/1").reason == "no such session"
    assert ("end", "f1/1", "expired") in back.told()


# -- until -----------------------------------------------------------------------------------------


def set_until(group: GroupUnderTest, state: str, seconds: float, name: str = "as-1") -> None:
    assert group.clock is not None
    until_us = group.clock.now_us + round(seconds * 1_000_000)
    group.run(dispatcher.manual(SLUG, name, state, until_us, "lunch"))


@pytest.mark.parametrize("state", ["drain", "blocked"])
def test_an_instance_opens_when_its_time_has_passed_by_whoever_asks_first(
    quick: GroupUnderTest, state: str
) -> None:
    front, back = quick.front(), quick.back()
    set_until(quick, "drain", 60, "as-2")
    set_until(quick, state, 5)
    quick.wait(4.9, front, back)
    assert front.start("1").reason == "none open"
    quick.wait(0.2, front, back)
    assert front.start("2").peer == back.key
    assert (back.row.manual, quick.changes()[-1].reason) == ("open", "its time has passed")
    assert quick.run(dispatcher.names(SLUG))["as-2"][0].manual == "drain"
    quick.wait(55, front, back)
    quick.sweep()
    state_of_other = quick.run(dispatcher.names(SLUG))["as-2"][0]
    assert state_of_other == dispatcher.NameState("as-2")
    quick.check_structure()


def test_data_without_the_field_opens_too(quick: GroupUnderTest) -> None:
    front, back = quick.front(), quick.back()
    set_until(quick, "blocked", 5)
    quick.client.hdel(KEYS.tag, "until")  # as an older release wrote it
    quick.wait(5.1, front, back)
    quick.sweep()
    assert back.row.manual == "open"


def test_a_time_that_has_passed_blocks_nobody(quick: GroupUnderTest) -> None:
    front, back = quick.front(), quick.back()
    front.start("1")
    set_until(quick, "blocked", -1)  # sent again after Redis has opened it
    assert front.message("f1/1").outcome == "routed"
    assert back.row.manual == "open"


# -- when the timers come again --------------------------------------------------------------------


def next_seconds(group: GroupUnderTest) -> float:
    swept = group.sweep()[-1]
    assert group.clock is not None
    assert swept.now_us == group.clock.now_us
    return (swept.next_us - swept.now_us) / 1_000_000


def test_next_is_at_most_the_shortest_that_may_begin(group: GroupUnderTest) -> None:
    assert next_seconds(group) == dispatcher.VISIT_SECONDS
    assert next_seconds(set_up(group)) == 1.5
    assert next_seconds(set_up(group, timed_route_seconds=1)) == 1.0
    assert next_seconds(set_up(group, disconnect_seconds=1)) == 1.0


def test_next_is_when_the_first_is_due(quick: GroupUnderTest) -> None:
    front, back = quick.front(), quick.back()
    quick.wait(2.5, front)
    assert next_seconds(quick) == pytest.approx(0.5)  # the peer that does not respond
    quick.wait(0.3, front, back)
    front.start("1", ttl_seconds=1)
    assert next_seconds(quick) == 1.0
    set_until(quick, "drain", 0.4)
    assert next_seconds(quick) == pytest.approx(0.4)


def test_next_after_a_loss_is_the_end_of_the_waiting(group: GroupUnderTest) -> None:
    set_up(group)
    group.front()
    assert group.clock is not None
    group.clock.advance(70)
    assert next_seconds(group) == 1.5
    group.wait(2.0)
    assert next_seconds(group) == pytest.approx(1.0)  # then no process was away any more


@pytest.mark.parametrize("what", ["block", "until", "short route", "settings"])
def test_what_may_be_due_sooner_is_announced(quick: GroupUnderTest, what: str) -> None:
    front, _ = quick.front(), quick.back()
    front.start("1")
    hears = quick.client.pubsub()
    hears.subscribe("timers:new")
    assert hears.get_message(timeout=5)["type"] == "subscribe"
    if what == "block":
        quick.run(dispatcher.manual(SLUG, "as-1", "blocked"))
    elif what == "until":
        set_until(quick, "drain", 0.5)
    elif what == "short route":
        front.start("2", ttl_seconds=3)  # this one does not count
        front.start("3", ttl_seconds=1)
    else:
        set_up(quick, heartbeat_seconds=2)
    assert hears.get_message(timeout=5)["data"] == KEYS.tag
    assert hears.get_message(timeout=0.05) is None
    hears.close()


# -- a clock that steps ----------------------------------------------------------------------------

STEPS = (40.0, 300.0, 3_600.0)


def step(group: GroupUnderTest, seconds: float, *alive: Peer) -> None:
    """Step the clock, and let 10 s pass."""
    assert group.clock is not None
    group.clock.advance(seconds)
    group.listen()
    group.advance(10, *alive)


@pytest.mark.parametrize("seconds", STEPS)
def test_what_begins_while_the_clock_is_ahead_has_its_own_time(
    quick: GroupUnderTest, seconds: float
) -> None:
    set_up(quick, route_limit_seconds=60)
    front, back = quick.front(), quick.back()
    step(quick, seconds, front, back)
    front.start("timed", ttl_seconds=30)
    front.start("untimed")
    step(quick, -seconds, front, back)
    quick.advance(19, front, back)
    for word in ("timed", "untimed"):
        assert front.message(f"f1/{word}").outcome == "routed"
    quick.advance(45, front, back)
    assert (quick.route("f1/timed"), quick.route("f1/untimed") is None) == (None, False)
    quick.advance(30, front, back)
    assert quick.route("f1/untimed") is None


@pytest.mark.parametrize("seconds", STEPS)
def test_a_clock_that_is_behind_for_a_while_ends_no_route(
    quick: GroupUnderTest, seconds: float
) -> None:
    front, back = quick.front(), quick.back()
    front.start("timed", ttl_seconds=90)
    for by in (-seconds, seconds):
        step(quick, by, front, back)
        quick.advance(10, front, back)
    assert front.message("f1/timed").outcome == "routed"


@pytest.mark.parametrize("seconds", STEPS)
def test_a_deadline_that_a_peer_told_is_kept_over_a_step(
    quick: GroupUnderTest, seconds: float
) -> None:
    assert quick.clock is not None
    deadline = quick.clock.now_us + 7_200_000_000
    step(quick, seconds)
    front, back = quick.front(), quick.back()
    front.resync(("f1/both", "as-1", deadline), ("f1/one", "as-1", deadline))
    back.resync(("f1/both", "f1", deadline))
    step(quick, -seconds, front, back)
    quick.advance(30, front, back)
    route = quick.route("f1/both")
    assert route is not None
    assert (route.started_us <= quick.clock.now_us, route.deadline_us) == (True, deadline)
    quick.advance(quick.settings.disconnect_seconds, front, back)
    assert quick.route("f1/one") is None  # the other end has not named it


@pytest.mark.parametrize("seconds", STEPS)
def test_a_recovering_group_opens_in_its_own_time(quick: GroupUnderTest, seconds: float) -> None:
    step(quick, seconds)
    quick.run(dispatcher.recover(SLUG, GENERATION + 1, quick.settings, []))
    step(quick, -seconds)
    quick.advance(quick.settings.disconnect_seconds - 11)
    assert quick.show().status == "recovering"
    quick.advance(5)
    assert quick.show().status == "open"


@pytest.mark.parametrize("seconds", STEPS)
def test_a_recovering_group_does_not_open_by_a_step_at_once(
    group: GroupUnderTest, seconds: float
) -> None:
    assert group.clock is not None
    group.run(dispatcher.recover(SLUG, GENERATION + 1, group.settings, []))
    group.advance(30)
    step(group, max(seconds, group.settings.disconnect_seconds))
    assert group.show().status == "recovering"
    step(group, -seconds)
    group.advance(group.settings.disconnect_seconds)
    assert group.show().status == "open"
