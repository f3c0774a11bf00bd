"""200 sessions by the peers' own logs: what each end was told, compared with what it did."""

from collections import Counter

from queueing.dispatch import dispatcher
from tests.dispatch.dispatcher.group_support import SLUG, GroupUnderTest, Peer

SESSIONS = 200


def log_of(peer: Peer) -> Counter[tuple[str, str, str]]:
    return Counter(peer.told())


def test_sharing_by_key_keeps_the_sessions_of_a_key_together(group: GroupUnderTest) -> None:
    group.run(dispatcher.configure(SLUG, dispatcher.GroupSettings(sharing="key")))
    front = group.front()
    backs = [group.back(name=f"as-{n}", capacity=SESSIONS) for n in range(4)]
    begun = {f"f1/{n}": f"user-{n % 50}" for n in range(SESSIONS)}
    for session, key in begun.items():
        assert front.start(session.partition("/")[2], key=key).outcome == "routed"
    homes: dict[str, set[str]] = {}
    logs = {back.id: log_of(back) for back in backs}
    for back_id, log in logs.items():
        for _, session, _ in log:
            homes.setdefault(begun[session], set()).add(back_id)
    assert sum(logs.values(), Counter()) == Counter(("start", each, "") for each in begun)
    assert all(len(each) == 1 for each in homes.values())
    assert {next(iter(each)) for each in homes.values()} == {back.id for back in backs}
    lost = backs[0]
    lost.lose()
    for n, key in enumerate(sorted(homes)):
        front.start(f"later-{n}", key=key)
    for back in backs[1:]:
        for _, session, _ in log_of(back):
            key = sorted(homes)[int(session.rpartition("-")[2])]
            assert homes[key] <= {back.id, lost.id}  # only the keys of the lost instance move


def test_the_sweep_of_old_routes_ends_these_and_no_others(group: GroupUnderTest) -> None:
    group.run(dispatcher.configure(SLUG, dispatcher.GroupSettings(route_limit_seconds=300)))
    front = group.front()
    backs = [group.back(name=f"as-{n}", capacity=SESSIONS) for n in range(2)]
    ends: Counter[tuple[str, str, str]] = Counter()
    for n in range(SESSIONS):
        if n == SESSIONS // 2:
            group.advance(200, front, *backs)
        front.start(str(n))
    for back in backs:
        back.take()
    group.advance(120, front, *backs)
    old = {f"f1/{n}" for n in range(SESSIONS // 2)}
    wanted = Counter(("end", session, "expired") for session in old)
    assert log_of(front) == wanted
    for back in backs:
        ends += log_of(back)
    assert ends == wanted
    assert group.show().sessions == SESSIONS // 2
    assert group.show().expired == len(old)
    group.check_structure()
