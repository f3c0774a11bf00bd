"""Sessions: chosen once, kept, in order, bounded; load sharing, overload, numbers."""

from collections import Counter

import pytest

from queueing.dispatch import dispatcher
from queueing.dispatch.dispatcher import DispatchRefusedError
from tests.dispatch.dispatcher.group_support import SLUG, GroupUnderTest


def test_a_session_stays_with_its_instance_and_its_messages_keep_their_order(
    group: GroupUnderTest,
) -> None:
    front, backs = group.front(), [group.back(name=f"as-{n}") for n in range(3)]
    front.start("1")
    chosen = group.back_of("f1/1")
    for n in range(20):
        front.start(f"other-{n}")
        assert front.message("f1/1", str(n)).peer == f"b:{chosen}"
    (back,) = [back for back in backs if back.id == chosen]
    entries = [entry for entry in back.take() if entry.session == "f1/1"]
    assert [entry.body for entry in entries[1:]] == [str(n) for n in range(20)]
    for n in range(5):
        back.message("f1/1", str(n))
    assert [entry.body for entry in front.take()] == [str(n) for n in range(5)]
    route = group.route("f1/1")
    assert route is not None
    assert (route.messages_from_front, route.messages_from_back, route.why) == (20, 5, "least")


def test_either_end_ends_a_session_and_its_route_is_gone(group: GroupUnderTest) -> None:
    front, back = group.front(), group.back()
    front.start("1")
    front.start("2")
    back.take()
    front.end("f1/1", "bye", '"x"')
    (entry,) = back.take()
    assert (entry.kind, entry.session, entry.reason, entry.body) == ("end", "f1/1", "bye", '"x"')
    back.end("f1/2")
    assert front.told() == [("end", "f1/2", "")]
    assert group.show().sessions == 0
    assert front.message("f1/1").reason == "no such session"
    assert back.end("f1/2").reason == "no such session"
    assert (front.row.sessions, back.row.sessions) == (0, 0)


def test_a_receiver_that_acknowledges_nothing_is_full_for_its_senders(
    group: GroupUnderTest,
) -> None:
    group.run(dispatcher.configure(SLUG, dispatcher.GroupSettings(out_limit=3, ends_limit=2)))
    front, back = group.front(), group.back()
    front.start("1")
    front.message("f1/1")
    front.message("f1/1")
    assert front.message("f1/1").reason == "peer full"
    assert front.start("2").reason == "peer full"
    assert front.deliver().reason == "peer full"
    assert front.end("f1/1").outcome == "routed"  # ends have reserved room
    assert back.row.unacked == 4
    assert [seq for seq, _ in back.frames()] == [1, 2, 3, 4]
    back.take()
    assert front.start("2").outcome == "routed"


def test_a_sender_that_takes_no_refusals_is_closed(group: GroupUnderTest) -> None:
    group.run(dispatcher.configure(SLUG, dispatcher.GroupSettings(out_limit=1, ends_limit=2)))
    front = group.front()
    for _ in range(3):
        assert front.message("f1/none").outcome == "refused"
    with pytest.raises(DispatchRefusedError, match="behind"):
        front.message("f1/none")
    assert front.row.unacked == 3


def test_a_repeated_frame_does_nothing_and_a_missing_one_closes(group: GroupUnderTest) -> None:
    front, back = group.front(), group.back()
    front.start("1")
    before = group.client.hgetall("{disp.calls}:routes")
    front.seq = 0
    assert front.start("1").outcome == "repeat"
    front.seq = 0
    assert front.end("f1/1").outcome == "repeat"
    assert group.client.hgetall("{disp.calls}:routes") == before
    assert len(back.take()) == 1
    front.seq = 2
    with pytest.raises(DispatchRefusedError, match="gap"):
        front.message("f1/1")
    front.seq = 1
    assert front.message("f1/1").outcome == "routed"


def test_a_session_of_another_peer_is_not_yours(group: GroupUnderTest) -> None:
    one, two = group.front("f1"), group.front("f2")
    backs = [group.back(name="as-1"), group.back(name="as-2")]
    one.start("1")
    (stranger,) = [back for back in backs if back.id != group.back_of("f1/1")]
    for peer in (two, stranger):
        assert peer.message("f1/1").reason == "not yours"
        assert peer.end("f1/1").reason == "not yours"
    assert stranger.start("1").reason == "not yours"
    assert group.route("f1/1") is not None


def test_a_session_that_exists_is_not_begun_again(group: GroupUnderTest) -> None:
    front = group.front()
    group.back()
    front.start("1")
    assert front.start("1").reason == "session exists"
    assert group.show().started == 1


def test_3_2_1_a_timed_route_goes_when_its_deadline_passes(group: GroupUnderTest) -> None:
    front, back = group.front("f1", "BICC"), group.back()
    front.start("1", ttl_seconds=30)
    front.start("2")
    route = group.route("f1/1")
    assert route is not None
    assert group.clock is not None
    assert route.deadline_us == route.goes_at_us == group.clock.now_us + 30_000_000
    front.take()
    back.take()
    group.advance(29, front, back)
    assert group.route("f1/1") is not None
    group.advance(2, front, back)
    assert group.route("f1/1") is None
    assert front.told() == back.told() == [("end", "f1/1", "expired")]
    assert group.show().expired == 1


def test_3_2_3_untimed_routes_older_than_the_limit_are_cleared(group: GroupUnderTest) -> None:
    group.run(dispatcher.configure(SLUG, dispatcher.GroupSettings(route_limit_seconds=100)))
    front, back = group.front(), group.back()
    front.start("1")
    group.advance(99, front, back)
    front.start("2")
    group.advance(2, front, back)
    assert group.route("f1/1") is None
    assert group.route("f1/2") is not None


def test_3_2_2_a_lost_peers_sessions_are_found_by_the_index(group: GroupUnderTest) -> None:
    fronts = [group.front("f1"), group.front("f10"), group.front("f1.a")]
    back = group.back()
    for front in fronts:
        for word in ("1", "2", "3"):
            front.start(word)
    page = group.run(dispatcher.sessions_of(SLUG, "f:f1", "", 2))
    assert [route.session for route in page.rows] == ["f1/1", "f1/2"]
    page = group.run(dispatcher.sessions_of(SLUG, "f:f1", page.after, 2))
    assert ([route.session for route in page.rows], page.after) == (["f1/3"], "")
    assert len(group.run(dispatcher.sessions_of(SLUG, back.key)).rows) == 9
    fronts[0].lose()
    group.advance(61, *fronts[1:], back)
    assert [route.session for route in group.run(dispatcher.sessions_of(SLUG, back.key)).rows] == [
        *(f"f1.a/{word}" for word in "123"),
        *(f"f10/{word}" for word in "123"),
    ]


def test_a_big_instances_routes_are_cleared_in_batches(group: GroupUnderTest) -> None:
    front, back = group.front(), group.back()
    for n in range(25):
        front.start(str(n))
    back.lose()
    group.advance(59, front)
    assert group.clock is not None
    group.clock.advance(2)
    done = group.sweep(batch=10)
    assert [swept.cleared for swept in done] == [10, 10, 5]
    assert len(front.take()) == 25
    last = group.changes()[-1]
    assert (last.event, last.peer, last.count) == ("cleared", back.key, 25)


def test_clearing_waits_for_an_end_that_has_no_room_and_goes_on(group: GroupUnderTest) -> None:
    group.run(dispatcher.configure(SLUG, dispatcher.GroupSettings(out_limit=1, ends_limit=3)))
    slow, quick = group.front("f1"), group.front("f2")
    back = group.back()
    for n in range(6):
        slow.start(str(n))
        back.take()
    quick.start("1")
    back.take()
    back.lose()
    group.advance(61, slow, quick)
    assert quick.told() == [("end", "f2/1", "instance lost")]
    assert len(slow.take()) == 4
    group.sweep()
    assert len(slow.take()) == 2
    group.advance(1, slow)
    assert (group.show().sessions, group.show().clearing) == (0, 0)
    assert back.key not in group.rows()


def test_messages_without_a_session_go_in_turn_and_back_to_one(group: GroupUnderTest) -> None:
    front = group.front("", "CMPP")
    assert front.deliver().reason == "none open"
    backs = [group.back(name=f"as-{n}") for n in range(3)]
    counts = Counter(front.deliver(body=str(n)).peer for n in range(9))
    assert counts == {back.key: 3 for back in backs}
    assert backs[0].take()[0].peer == front.id
    assert backs[1].deliver(front.id, '"answer"').outcome == "routed"
    assert [entry.body for entry in front.take()][-1] == '"answer"'
    assert backs[1].deliver("nobody").reason == "no such peer"
    assert group.show().delivered == 10


def test_an_operator_ends_a_session(group: GroupUnderTest) -> None:
    front, back = group.front(), group.back()
    front.start("1")
    back.take()
    assert group.run(dispatcher.end_session(SLUG, "f1/1", "stuck"))
    assert front.told() == back.told() == [("end", "f1/1", "stuck")]
    assert not group.run(dispatcher.end_session(SLUG, "f1/1", "stuck"))


def test_explain_says_why_and_what_blocking_would_do(group: GroupUnderTest) -> None:
    front = group.front()
    one, two = group.back(name="as-1"), group.back(name="as-2")
    front.start("1")
    front.start("2")
    front.start("3", ttl_seconds=60)
    assert group.clock is not None
    group.clock.advance(10)
    told = group.run(dispatcher.explain(SLUG, "f1/3"))
    assert (told.route.back, told.route.why, told.left_us) == (one.id, "least", 50_000_000)
    assert (told.front_state, told.back_state, told.back_manual) == ("active", "active", "open")
    assert told.if_blocked == dispatcher.IfBlocked(2, two.id, "as-2", "")
    two.take()
    two.lose()
    told = group.run(dispatcher.explain(SLUG, "f1/3"))
    assert told.if_blocked == dispatcher.IfBlocked(2, "", "", "none open")
    assert group.run(dispatcher.explain(SLUG, "f1/none")) is None


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ("start", ["a b", "", "", "null"]),
        ("start", ["x" * 40, "", "", "null"]),
        ("start", ["1", "k\t", "", "null"]),
        ("start", ["1", "", "0", "null"]),
        ("start", ["1", "", "", "x" * 65_537]),
        ("message", ["no-slash", "null"]),
        ("message", ["f1/1", "x" * 65_537]),
        ("end", ["f1/1", "r\n", "null"]),
        ("deliver", ["a/b", "null"]),
    ],
)
def test_a_malformed_frame_changes_nothing(
    group: GroupUnderTest, script: str, words: list[str]
) -> None:
    front = group.front()
    group.back()
    front.start("1")
    keys = ("", ":seqs", ":out", ":routes")
    before = [group.client.hgetall("{disp.calls}" + key) for key in keys]
    reply = group.raw(script, front.key, front.link, 2, *words)
    assert reply[0] == "-1"
    assert reply[1].startswith("malformed")
    assert [group.client.hgetall("{disp.calls}" + key) for key in keys] == before


@pytest.mark.parametrize(
    "body", ['"\\u001f"', '{"a":"\\t\\u0000"}', '"\U0001f600"', "[[1,2],[]]", '""']
)
def test_a_body_comes_out_as_it_was_given(group: GroupUnderTest, body: str) -> None:
    front, back = group.front(), group.back()
    front.start("1", body=body)
    front.message("f1/1", body)
    front.message("f1/1", "null")
    front.deliver(body=body)
    front.end("f1/1", "bye", body)
    assert [entry.body for entry in back.take()] == [body, body, "null", body, body]


def test_a_body_that_is_no_json_and_would_tear_a_reply_is_refused(group: GroupUnderTest) -> None:
    front, back = group.front(), group.back()
    front.start("1")
    back.take()
    with pytest.raises(DispatchRefusedError, match="malformed body"):
        front.message("f1/1", '"\x1f"')
    assert back.take() == []
