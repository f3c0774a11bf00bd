"""An instance whose sessions fail is ejected for a time; backups and slow starts."""

from collections import Counter
from typing import Any

import pytest

from queueing.dispatch import dispatcher
from queueing.dispatch.dispatcher import DispatchRefusedError
from tests.dispatch.dispatcher.group_support import SLUG, GroupUnderTest, Peer

ON = {
    "failure_threshold_percent": 50,
    "failure_minimum_sessions": 4,
    "failure_window_seconds": 60,
    "ejection_seconds": 20,
}


def configure(group: GroupUnderTest, **settings: Any) -> None:
    group.run(dispatcher.configure(SLUG, dispatcher.GroupSettings(**{**ON, **settings})))


def serve(group: GroupUnderTest, front: Peer, back: Peer, word: str, fails: bool) -> None:
    """Run one session on this instance that ends well or fails."""
    others = [row.name for row in group.rows().values() if row.name not in ("", back.row.name)]
    for name in others:
        group.run(dispatcher.upgrade_flag(SLUG, name, True))
    assert front.start(word).peer == back.key
    for name in others:
        group.run(dispatcher.upgrade_flag(SLUG, name, False))
    back.take()
    if not fails:
        back.message(f"f1/{word}")
        back.end(f"f1/{word}")
    else:
        assert back.end(f"f1/{word}", failed=True).outcome == "routed"
    front.take()


def fail(group: GroupUnderTest, front: Peer, back: Peer, tag: str, count: int = 4) -> None:
    for n in range(count):
        serve(group, front, back, f"{tag}{n}", fails=True)


@pytest.fixture
def three(group: GroupUnderTest) -> tuple[Peer, list[Peer]]:
    configure(group)
    return group.front(), [group.back(name=f"as-{n}") for n in range(3)]


def test_an_instance_that_fails_its_sessions_is_ejected(
    group: GroupUnderTest, three: tuple[Peer, list[Peer]]
) -> None:
    front, (bad, *_) = three
    for n in range(2):
        serve(group, front, bad, f"good{n}", fails=False)
    fail(group, front, bad, "bad", 2)
    row = bad.row
    assert (row.judged, row.failed) == (4, 2)
    assert row.ejected_until_us is not None
    assert (row.manual, row.state, row.ejections) == ("open", "active", 1)
    change = group.changes()[-1]
    assert (change.event, change.name, change.count) == ("ejected", "as-0", 2)
    assert change.reason == "2 of 4 sessions failed"
    assert dispatcher.reasons.share_failed(change.reason) == (2, 4)
    assert (group.show().ready, group.show().ejected) == (2, 1)
    assert change.data == str(row.ejected_until_us)
    assert bad.key not in {front.start(f"after{n}").peer for n in range(8)}
    configure(group, max_ejection_percent=60)  # checks every instance again
    assert bad.key not in {front.start(f"again{n}").peer for n in range(8)}
    group.check_structure()


def test_too_few_sessions_or_failures_eject_nobody(
    group: GroupUnderTest, three: tuple[Peer, list[Peer]]
) -> None:
    front, (bad, other, _) = three
    fail(group, front, bad, "few", 3)
    for n in range(5):
        serve(group, front, other, f"good{n}", fails=False)
    fail(group, front, other, "some", 4)
    group.advance(61, front, bad, other)
    fail(group, front, bad, "later", 3)  # the previous three are in another window
    assert "ejected" not in group.events()


def test_it_returns_after_its_time_and_the_next_ejection_is_longer(
    group: GroupUnderTest, three: tuple[Peer, list[Peer]]
) -> None:
    front, backs = three
    bad = backs[0]
    lengths = []
    for turn in range(2):
        fail(group, front, bad, f"turn{turn}-")
        until = bad.row.ejected_until_us
        assert until is not None
        lengths.append(until - group.clock.now_us)
        group.advance(lengths[-1] / 1e6, front, *backs)
        assert bad.row.ejected_until_us is None
        returned = group.changes()[-1]
        assert (returned.event, returned.reason) == ("returned", "its time has passed")
    assert lengths == [20_000_000, 40_000_000]
    group.advance(40, front, *backs)  # two base times without an ejection take two off
    fail(group, front, bad, "much-later-")
    assert bad.row.ejections == 1
    group.check_structure()


def test_a_start_ends_an_ejection_whose_time_has_passed(
    group: GroupUnderTest, three: tuple[Peer, list[Peer]]
) -> None:
    front, backs = three
    fail(group, front, backs[0], "x")
    group.wait(20, front, *backs)
    assert backs[0].key in {front.start(f"after{n}").peer for n in range(3)}


def test_never_more_than_the_share_and_never_the_last_one(
    group: GroupUnderTest, three: tuple[Peer, list[Peer]]
) -> None:
    front, (one, two, last) = three
    fail(group, front, one, "a")
    fail(group, front, two, "b")  # two of three are more than half
    assert [peer.row.ejected_until_us is None for peer in (one, two, last)] == [False, True, True]
    configure(group, max_ejection_percent=100)
    fail(group, front, two, "c")
    assert two.row.ejected_until_us is not None
    fail(group, front, last, "d", 8)  # no other instance could take its sessions
    assert last.row.ejected_until_us is None
    assert front.start("goes-on").peer == last.key


def test_sessions_without_an_answer_are_failures_and_are_offered_again(
    group: GroupUnderTest,
) -> None:
    configure(group, answer_seconds=5)
    front = group.front()
    dead, alive = group.back(name="as-1"), group.back(name="as-2")
    for n in range(8):
        front.start(str(n))
    for entry in alive.take():
        alive.message(entry.session)
    waiting = {entry.session for _, entry in dead.frames()}
    assert len(waiting) == 4
    group.advance(6, front, dead, alive)
    assert dead.row.ejected_until_us is not None
    assert {entry.session for entry in alive.take()} == waiting
    assert {group.back_of(session) for session in waiting} == {alive.id}
    group.check_structure()


def test_an_early_end_by_the_front_end_says_nothing_unless_it_says_so(
    group: GroupUnderTest, three: tuple[Peer, list[Peer]]
) -> None:
    front, _backs = three
    for n in range(12):
        front.start(str(n))
        front.end(f"f1/{n}")
    group.advance(20, front, *_backs)
    assert sum(row.judged for row in group.rows().values()) == 0
    key = front.start("gone").peer
    front.end("f1/gone", failed=True)
    assert (group.row(key).judged, group.row(key).failed) == (1, 1)


def test_health_never_touches_the_manual_state(
    group: GroupUnderTest, three: tuple[Peer, list[Peer]]
) -> None:
    front, (bad, *_) = three
    fail(group, front, bad, "x")
    group.run(dispatcher.manual(SLUG, "as-0", "drain", reason="hands off"))
    group.run(dispatcher.uneject(SLUG, "as-0", "fixed"))
    row = bad.row
    assert (row.manual, row.ejected_until_us) == ("drain", None)
    assert bad.key not in {front.start(f"after{n}").peer for n in range(4)}
    group.check_structure()


def test_an_operator_ends_an_ejection(
    group: GroupUnderTest, three: tuple[Peer, list[Peer]]
) -> None:
    front, (bad, *_) = three
    assert group.run(dispatcher.uneject(SLUG, "as-0")) == "repeat"
    fail(group, front, bad, "x")
    assert group.run(dispatcher.uneject(SLUG, "as-0", "fixed")) == ""
    assert group.run(dispatcher.uneject(SLUG, "as-0", "fixed")) == "repeat"
    change = group.changes()[-1]
    assert (change.event, change.name, change.reason) == ("returned", "as-0", "fixed")
    assert bad.key in {front.start(f"after{n}").peer for n in range(3)}
    with pytest.raises(DispatchRefusedError, match="no such name"):
        group.run(dispatcher.uneject(SLUG, "nobody"))


def test_a_new_program_under_the_name_ends_it_and_so_does_the_setting(
    group: GroupUnderTest, three: tuple[Peer, list[Peer]]
) -> None:
    front, (bad, other, _) = three
    configure(group, max_ejection_percent=100)
    fail(group, front, bad, "x")
    bad.lose()
    assert group.back(name="as-0").row.ejected_until_us is None
    assert [each.reason for each in group.changes() if each.event == "returned"] == ["restarted"]
    fail(group, front, other, "y")
    group.run(dispatcher.configure(SLUG, dispatcher.GroupSettings()))
    assert other.row.ejected_until_us is None
    group.check_structure()


@pytest.mark.parametrize("sharing", ["least", "turn", "key"])
def test_backups_get_sessions_only_while_no_primary_can(
    group: GroupUnderTest, sharing: str
) -> None:
    group.run(dispatcher.configure(SLUG, dispatcher.GroupSettings(sharing=sharing)))
    front = group.front()
    primary = group.back(name="as-1", capacity=3)
    spare = [group.back(name=f"spare-{n}", capacity=2) for n in range(2)]
    for n in range(2):
        assert group.run(dispatcher.backup(SLUG, f"spare-{n}", True, "spare")) == ""
        assert group.run(dispatcher.backup(SLUG, f"spare-{n}", True, "spare")) == "repeat"
    assert {front.start(f"a{n}").peer for n in range(3)} == {primary.key}
    counts = Counter(front.start(f"b{n}").peer for n in range(4))
    assert counts == {each.key: 2 for each in spare}
    assert front.start("more").reason == "all full"
    group.check_structure()
    front.end("f1/a0")
    assert front.start("back").peer == primary.key
    front.end("f1/b0")
    primary.take()
    primary.lose()
    assert front.start("again").peer in {each.key for each in spare}
    front.end("f1/b1")
    assert front.deliver().peer in {each.key for each in spare}
    assert group.run(dispatcher.backup(SLUG, "spare-0", False)) == ""
    assert [each.event for each in group.changes()][-1] == "primary"
    group.check_structure()


def test_a_backup_is_still_one_after_redis_was_lost(group: GroupUnderTest) -> None:
    names = [dispatcher.NameState("as-2", backup=True)]
    group.run(dispatcher.recover(SLUG, 1_700_000_000_000_000, dispatcher.GroupSettings(), names))
    front = group.front()
    spare, primary = group.back(name="as-2"), group.back(name="as-1")
    assert spare.row.backup
    assert {front.start(str(n)).peer for n in range(4)} == {primary.key}


@pytest.mark.parametrize("sharing", ["least", "turn"])
def test_slow_start_the_share_of_a_new_instance_grows(group: GroupUnderTest, sharing: str) -> None:
    settings = dispatcher.GroupSettings(sharing=sharing, slow_start_seconds=100)
    old = group.back(name="old", capacity=10_000)
    front = group.front()
    group.run(dispatcher.configure(SLUG, settings))
    new = group.back(name="new", capacity=10_000)
    shares = []
    for part, seconds in enumerate((10, 40, 60)):
        group.advance(seconds, front, old, new)
        for peer in (front, old, new):
            peer.take()
        before = new.row.sessions
        for n in range(100):
            front.start(f"{part}-{n}")
        shares.append(new.row.sessions - before)
    assert shares[0] < 25
    assert shares[0] < shares[1] < shares[2] or sharing == "least"
    assert new.row.share_percent == 100
    total = new.row.sessions + old.row.sessions
    assert total == 300
    if sharing == "least":
        assert new.row.sessions == old.row.sessions  # it has caught up
    group.check_structure()


def test_settings_of_an_earlier_release_are_read(group: GroupUnderTest) -> None:
    tag = "{disp." + SLUG + "}"
    group.client.hset(tag, "conf", group.client.hget(tag, "conf")[:50])
    settings = group.show().settings
    assert (settings.start_retries, settings.failure_threshold_percent) == (0, 0)
    front, back = group.front(), group.back()
    assert front.start("1").peer == back.key
    assert group.run(dispatcher.configure(SLUG, dispatcher.GroupSettings())) == ""
    assert group.show().settings == dispatcher.GroupSettings()
