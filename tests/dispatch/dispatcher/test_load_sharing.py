"""Which instance gets a session, and the answer if none can: three ways of sharing."""

from collections import Counter

import pytest

from queueing.dispatch import dispatcher
from tests.dispatch.dispatcher.group_support import SLUG, GroupUnderTest


def test_load_sharing_least_sessions_by_weight(group: GroupUnderTest) -> None:
    front = group.front()
    weights = {group.back(name=f"as-{weight}", weight=weight).key: weight for weight in (1, 2, 5)}
    counts = Counter(front.start(str(n)).peer for n in range(80))
    assert counts == {key: weight * 10 for key, weight in weights.items()}
    for n in range(0, 80, 2):
        front.end(f"f1/{n}")
    rows = group.rows()
    low = min(weights, key=lambda key: rows[key].sessions / weights[key])
    assert front.start("next").peer == low


def test_load_sharing_round_robin_by_weight(group: GroupUnderTest) -> None:
    group.run(dispatcher.configure(SLUG, dispatcher.GroupSettings(sharing="turn")))
    front = group.front()
    one, three = group.back(name="as-1"), group.back(name="as-3", weight=3)
    counts = Counter()
    for n in range(40):
        routed = front.start(str(n))
        counts[routed.peer] += 1
        front.end(f"f1/{n}")  # the load is always the same
    assert abs(counts[three.key] - 30) <= 1
    assert counts[one.key] + counts[three.key] == 40
    new = group.back(name="as-new")
    assert Counter(front.start(f"x{n}").peer for n in range(10))[new.key] <= 3  # no flood


def test_load_sharing_sticky_by_key(group: GroupUnderTest) -> None:
    group.run(dispatcher.configure(SLUG, dispatcher.GroupSettings(sharing="key")))
    front = group.front()
    backs = {back.key: back for back in (group.back(name=f"as-{n}") for n in range(4))}
    at_first = {f"user-{n}": front.start(f"a{n}", key=f"user-{n}").peer for n in range(60)}
    assert set(at_first.values()) == set(backs)
    again = {f"user-{n}": front.start(f"b{n}", key=f"user-{n}").peer for n in range(60)}
    assert again == at_first
    gone = backs[at_first["user-0"]]
    gone.lose()
    moved = {f"user-{n}": front.start(f"c{n}", key=f"user-{n}").peer for n in range(60)}
    for user, peer in at_first.items():
        assert (moved[user] == peer) == (peer != gone.key)  # only its keys move
    assert group.route("f1/a0").why == "key:user-0"
    group.again(gone)
    back_again = {f"user-{n}": front.start(f"d{n}", key=f"user-{n}").peer for n in range(60)}
    assert back_again == at_first
    assert front.start("no-key").outcome == "routed"


def test_sharing_is_changed_while_sessions_run(group: GroupUnderTest) -> None:
    front = group.front()
    group.back(name="as-1")
    group.back(name="as-2")
    for sharing in ("turn", "key", "least"):
        for n in range(4):
            assert front.start(f"{sharing}-{n}").outcome == "routed"
        group.run(dispatcher.configure(SLUG, dispatcher.GroupSettings(sharing=sharing)))
        group.check_structure()
    assert group.run(dispatcher.configure(SLUG, dispatcher.GroupSettings())) == "repeat"
    assert group.show().sessions == 12


@pytest.mark.parametrize("sharing", ["least", "turn", "key"])
def test_overload_all_full_is_a_clear_reject_at_once(group: GroupUnderTest, sharing: str) -> None:
    group.run(dispatcher.configure(SLUG, dispatcher.GroupSettings(sharing=sharing)))
    front = group.front()
    backs = [group.back(name="as-1", capacity=2), group.back(name="as-2", capacity=1)]
    assert [front.start(str(n)).outcome for n in range(3)] == ["routed"] * 3
    assert front.start("more").reason == "all full"
    assert front.told() == [("refused", "f1/more", "all full")]
    assert [back.row.sessions for back in backs] == [2, 1]
    freed = next(f"f1/{n}" for n in range(3) if group.back_of(f"f1/{n}") == backs[1].id)
    front.end(freed)
    assert front.start("again").peer == backs[1].key


def test_none_open_is_told_apart_from_all_full(group: GroupUnderTest) -> None:
    front = group.front()
    assert front.start("1").reason == "none open"
    back = group.back()
    back.lose()
    assert front.start("2").reason == "none open"
