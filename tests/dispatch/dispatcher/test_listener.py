"""Heartbeats, pending and stop: sections 3.3.1 and 3.3.3 of the seed."""

import pytest

from queueing.dispatch import dispatcher
from queueing.dispatch.dispatcher import DispatchRefusedError
from tests.dispatch.dispatcher.group_support import SLUG, GroupUnderTest


def test_3_3_1_nothing_heard_for_the_limit_is_pending(group: GroupUnderTest) -> None:
    front, back = group.front(), group.back()
    group.advance(15.1, front)
    assert back.row.state == "pending"
    assert front.row.state == "active"
    assert group.changes()[-1].reason == "silent"
    assert front.start("1").reason == "none open"


def test_3_3_1_a_closed_socket_is_pending_at_once(group: GroupUnderTest) -> None:
    front, back = group.front(), group.back()
    assert back.lose("send failed")
    assert not back.lose()
    assert (back.row.state, back.row.heard_us) == ("pending", None)
    assert front.start("1").reason == "none open"


def test_3_3_1_a_pending_peer_heard_on_its_link_is_active(group: GroupUnderTest) -> None:
    front, back = group.front(), group.back()
    front.start("1")
    group.advance(16, front)
    assert back.row.state == "pending"
    assert back.heard().ok
    assert back.row.state == "active"
    assert back.told() == [("start", "f1/1", "")]
    assert front.start("2").outcome == "routed"


def test_3_3_1_a_frame_of_a_pending_peer_makes_it_active_too(group: GroupUnderTest) -> None:
    front, back = group.front(), group.back()
    front.start("1")
    group.advance(16, back)
    assert front.row.state == "pending"
    assert front.message("f1/1").outcome == "routed"
    assert front.row.state == "active"


def test_3_3_1_messages_for_a_pending_peer_are_answered_at_once(group: GroupUnderTest) -> None:
    front, back = group.front(), group.back()
    front.start("1")
    back.lose()
    refused = front.message("f1/1")
    assert (refused.outcome, refused.reason) == ("refused", "peer pending")
    (entry,) = front.take()
    assert (entry.kind, entry.session, entry.peer) == ("refused", "f1/1", "2")


def test_3_3_1_an_end_for_a_pending_peer_is_buffered_as_an_id(group: GroupUnderTest) -> None:
    front, back = group.front(), group.back()
    front.start("1")
    back.take()
    back.lose()
    assert front.end("f1/1", "bye", '"a long body"').outcome == "routed"
    assert back.row.buffered_ends == 1
    assert back.row.sessions == 0
    assert front.message("f1/1").reason == "session ending"
    assert front.end("f1/1").outcome == "routed"  # again: nothing more to do
    assert back.row.buffered_ends == 1
    again = group.again(back)
    assert again.message("f1/1").reason == "session ending"
    (end, refused) = again.take()
    assert (end.kind, end.session, end.reason, end.body) == ("end", "f1/1", "bye", "null")
    assert refused.kind == "refused"
    assert (again.row.buffered_ends, group.route("f1/1")) == (0, None)


def test_3_3_1_buffered_ends_are_bounded(group: GroupUnderTest) -> None:
    group.run(dispatcher.configure(SLUG, dispatcher.GroupSettings(ends_limit=2)))
    front, back = group.front(), group.back()
    for word in "123":
        front.start(word)
    back.lose()
    assert [front.end(f"f1/{word}").outcome for word in "12"] == ["routed", "routed"]
    assert front.end("f1/3").reason == "peer full"
    again = group.again(back)
    again.take()
    assert front.end("f1/3").outcome == "routed"


def test_3_3_3_within_the_timer_sessions_go_on_and_ends_come_in_order_once(
    group: GroupUnderTest,
) -> None:
    front, back = group.front(), group.back()
    for word in "1234":
        front.start(word)
    front.lose()
    for word in "312":
        back.end(f"f1/{word}")
    group.advance(55, back)
    again = group.again(front)
    assert again.row.state == "active"
    assert again.told() == [("end", f"f1/{word}", "") for word in "312"]
    assert again.take() == []
    assert again.message("f1/4").outcome == "routed"
    assert group.show().sessions == 1


def test_3_3_3_frames_that_were_not_acknowledged_go_again_in_order(group: GroupUnderTest) -> None:
    front, back = group.front(), group.back()
    front.start("1")
    for text in "abcd":
        front.message("f1/1", f'"{text}"')
    back.lose()
    back.received = 2  # start and a were received, but only the start was acknowledged
    again = group.again(back)
    assert [entry.body for entry in again.take()] == ['"b"', '"c"', '"d"']


def test_3_3_3_after_the_timer_it_is_stopped_and_the_other_ends_are_told(
    group: GroupUnderTest,
) -> None:
    fronts, back = [group.front("f1"), group.front("f2")], group.back()
    for front in fronts:
        front.start("1")
        front.start("2")
    back.lose()
    group.advance(59, *fronts)
    assert back.key in group.rows()
    group.advance(2, *fronts)
    assert back.key not in group.rows()
    assert group.show().sessions == 0
    for front in fronts:
        assert front.told() == [("end", f"{front.id}/{word}", "instance lost") for word in "12"]
    assert "stopped" in group.events()


def test_3_2_3_backs_get_one_peer_lost_for_a_lost_front_end(group: GroupUnderTest) -> None:
    front, other = group.front("f1"), group.front("f2")
    backs = [group.back(name="as-1"), group.back(name="as-2")]
    for word in range(10):
        front.start(str(word))
    other.start("1")
    for back in backs:
        back.take()
    front.lose()
    group.advance(61, other, *backs)
    for back in backs:
        (entry,) = back.take()
        assert (entry.kind, entry.peer, entry.reason) == ("peer-lost", "f1", "front-end lost")
    assert group.show().sessions == 1


def test_a_stopped_peer_that_comes_back_tells_its_sessions(group: GroupUnderTest) -> None:
    front, back = group.front(), group.back()
    front.start("1")
    back.take()
    back.lose()
    group.advance(61, front)
    again = group.back(back.id, "as-1", received=back.received)
    assert again.registered is not None
    assert (again.registered.arrival, again.registered.resync) == ("reconnect", True)
    told = again.resync(("f1/1", "f1", None))
    assert (told.restored, told.provisional, told.freed) == (0, 1, 0)
    group.advance(61, front, again)
    assert again.told() == [("free", "f1/1", "one end only")]
    assert front.told() == [("end", "f1/1", "instance lost")]
    assert group.show().sessions == 0


def test_a_heartbeat_of_a_link_that_was_replaced_is_not_ok(group: GroupUnderTest) -> None:
    front = group.front()
    after = group.again(front)
    assert not front.heard().ok
    assert after.heard().ok
    assert not front.lose()
    assert after.row.state == "active"


def test_a_lost_wake_is_seen_by_the_next_heartbeat(group: GroupUnderTest) -> None:
    front, back = group.front(), group.back()
    front.start("1")
    assert back.heard().sent == 1


@pytest.mark.parametrize("jump", [70, 86_400, -7_200])
def test_nobody_is_silent_while_nobody_could_be_heard(group: GroupUnderTest, jump: int) -> None:
    front, back, pending = group.front(), group.back(), group.front("f2")
    front.start("1", ttl_seconds=86_000)
    pending.start("1")
    pending.lose()
    group.sweep()
    assert group.clock is not None
    group.clock.advance(jump)  # Redis was away, or its clock has stepped
    group.sweep()
    assert (front.row.state, back.row.state, pending.row.state) == ("active", "active", "pending")
    assert front.heard().ok
    assert group.again(pending).message("f2/1").outcome == "routed"
    group.advance(10, front)
    assert back.row.state == "active"
    group.advance(10, front)
    assert back.row.state == "pending"  # its time has passed
    group.advance(61, front)
    assert back.key not in group.rows()


def test_acknowledging_what_was_never_sent_closes_the_link(group: GroupUnderTest) -> None:
    front = group.front()
    with pytest.raises(DispatchRefusedError, match="gap"):
        group.run(dispatcher.ack(SLUG, front.key, front.link, 1))
    with pytest.raises(DispatchRefusedError, match="replaced"):
        group.run(dispatcher.ack(SLUG, front.key, "other", 0))
    assert group.run(dispatcher.ack(SLUG, front.key, front.link, 0)) == 0


def test_an_operator_disconnects_a_peer_which_may_come_back(group: GroupUnderTest) -> None:
    front, back = group.front(), group.back()
    front.start("1")
    assert group.run(dispatcher.disconnect(SLUG, front.key, "looks wrong"))
    assert front.row.state == "pending"
    assert not group.run(dispatcher.disconnect(SLUG, front.key, "again"))
    again = group.again(front)
    assert again.message("f1/1").outcome == "routed"
    assert [change.reason for change in group.changes() if change.event == "disconnected"] == [
        "looks wrong"
    ]
    assert back.row.state == "active"
