"""A start that its instance has not accepted goes to the next one, with its messages, in order."""

import pytest

from queueing.dispatch import dispatcher
from tests.dispatch.dispatcher.group_support import SLUG, GroupUnderTest, Peer


def started(group: GroupUnderTest, front: Peer, backs: list[Peer], word: str = "1") -> list[Peer]:
    """Start a session. Return its instance first, then the others."""
    key = front.start(word).peer
    return sorted(backs, key=lambda back: back.key != key)


def pair(group: GroupUnderTest) -> tuple[Peer, list[Peer]]:
    return group.front(), [group.back(name=f"as-{n}") for n in (1, 2)]


def test_a_start_that_nobody_accepted_goes_to_the_next_instance(group: GroupUnderTest) -> None:
    front, backs = pair(group)
    first, second = started(group, front, backs)
    front.message("f1/1", '"one"')
    front.message("f1/1", '"two"')
    first.lose()
    assert group.back_of("f1/1") == second.id
    assert [(e.kind, e.body) for e in second.take()] == [
        ("start", "null"),
        ("message", '"one"'),
        ("message", '"two"'),
    ]
    route = group.route("f1/1")
    assert route is not None
    assert route.offered == (first.id,)
    assert front.message("f1/1").peer == second.key
    assert second.message("f1/1").peer == front.key
    change = next(each for each in group.changes() if each.event == "retried")
    assert (change.peer, change.name, change.count) == (first.key, first.row.name, 1)
    assert group.show().retried == 1
    group.check_structure()


def test_the_first_instance_frees_it_when_it_is_back(group: GroupUnderTest) -> None:
    front, backs = pair(group)
    first, second = started(group, front, backs)
    first.received = 1  # it had received the frame; its acknowledgement was lost
    first.lose()
    again = group.again(first)
    assert again.told() == [("free", "f1/1", "elsewhere")]
    late = again.message("f1/1")  # it had sent a message before it was notified
    assert (late.outcome, late.reason) == ("refused", "no such session")
    assert again.end("f1/1").reason == "no such session"
    again.take()
    assert group.back_of("f1/1") == second.id
    again.resync(("f1/1", "f1", None))
    assert again.told() == [("free", "f1/1", "elsewhere")]
    group.check_structure()


def test_one_that_never_got_the_start_never_begins_it(group: GroupUnderTest) -> None:
    front, backs = pair(group)
    first, _ = started(group, front, backs)
    front.message("f1/1")
    first.lose()
    again = group.again(first)
    assert {each.kind for each in again.take()} == {"free"}


@pytest.mark.parametrize("accepts", ["acknowledges", "speaks"])
def test_an_accepted_session_stays(group: GroupUnderTest, accepts: str) -> None:
    front, backs = pair(group)
    first, second = started(group, front, backs)
    if accepts == "acknowledges":
        first.take()
    else:
        first.message("f1/1")
    first.lose()
    assert group.back_of("f1/1") == first.id
    assert second.frames() == []
    assert "retried" not in group.events()


def test_a_blocked_instance_gives_up_what_it_has_not_accepted(group: GroupUnderTest) -> None:
    front, backs = pair(group)
    first, second = started(group, front, backs)
    group.run(dispatcher.manual(SLUG, first.row.name, "blocked", reason="broken"))
    group.sweep()
    assert group.back_of("f1/1") == second.id
    assert first.told() == [("free", "f1/1", "elsewhere")] * 2
    assert front.told() == []
    group.check_structure()


def test_a_silent_instance_that_a_message_finds_gives_it_up(group: GroupUnderTest) -> None:
    front, backs = pair(group)
    first, second = started(group, front, backs)
    group.wait(16, front, second)
    assert front.message("f1/1").peer == second.key
    assert [each.kind for each in second.take()] == ["start", "message"]
    assert first.row.state == "pending"


def test_retries_are_bounded_and_never_go_back(group: GroupUnderTest) -> None:
    group.run(dispatcher.configure(SLUG, dispatcher.GroupSettings(start_retries=2)))
    front = group.front()
    backs = {back.id: back for back in (group.back(name=f"as-{n}") for n in range(5))}
    front.start("1")
    homes = []
    for _ in range(3):
        homes.append(group.back_of("f1/1"))
        backs[homes[-1]].lose()
        backs[homes[-1]] = group.again(backs[homes[-1]])
    assert len(set(homes)) == 3
    assert group.back_of("f1/1") == homes[-1]
    group.check_structure()


def test_no_retries_when_they_are_off_or_nobody_can_take_it(group: GroupUnderTest) -> None:
    front, backs = pair(group)
    first, second = started(group, front, backs)
    group.run(dispatcher.manual(SLUG, second.row.name, "drain", reason="full"))
    first.lose()
    assert group.back_of("f1/1") == first.id
    assert group.again(first).told() == [("start", "f1/1", "")]
    group.run(dispatcher.manual(SLUG, second.row.name, "open"))
    group.run(dispatcher.configure(SLUG, dispatcher.GroupSettings(start_retries=0)))
    home = front.start("2").peer
    backs = [back for back in (first, second) if back.key == home]
    backs[0].lose() if backs[0] is second else group.again(first).lose()
    assert group.back_of("f1/2") == dispatcher.id_of(home)


def test_a_start_of_a_restarted_instance_goes_to_another(group: GroupUnderTest) -> None:
    front = group.front()
    first = group.back("", "as-1", "boot1")
    front.start("1")
    first.lose()
    second = group.back("", "as-2", "boot1")
    group.back(first.id, "as-1", "boot2")
    assert group.back_of("f1/1") == second.id
    assert second.told() == [("start", "f1/1", "")]
    assert front.told() == []
    group.check_structure()


def test_the_front_end_is_told_which_instance_accepted(group: GroupUnderTest) -> None:
    front, backs = pair(group)
    key = front.start("1", confirm=True).peer
    first, second = sorted(backs, key=lambda back: back.key != key)
    assert front.frames() == []
    first.lose()
    second.take()
    assert [(e.kind, e.session, e.peer) for e in front.take()] == [
        ("started", "f1/1", second.row.name)
    ]
    front.start("2")
    for back in (group.again(first), second):
        back.take()
    assert front.take() == []
    group.check_structure()


def test_a_retry_shares_by_key_and_counts_the_turn(group: GroupUnderTest) -> None:
    front = group.front()
    backs = {back.key: back for back in (group.back(name=f"as-{n}") for n in range(4))}
    for sharing in ("turn", "key"):
        group.run(dispatcher.configure(SLUG, dispatcher.GroupSettings(sharing=sharing)))
        home = front.start(sharing, key="user-1").peer
        backs[home].lose()
        moved = group.back_of(f"f1/{sharing}")
        assert moved != dispatcher.id_of(home)
        if sharing == "key":
            assert front.start("next", key="user-1").peer == dispatcher.back(moved)
        backs[home] = group.again(backs[home])
        group.check_structure()
