"""The identity of a peer: sections 3.1.1 and 3.1.2 of the seed, takeover, restart or reconnect."""

import pytest

from queueing.dispatch import dispatcher
from queueing.dispatch.dispatcher import DispatchRefusedError
from tests.dispatch.dispatcher.group_support import GENERATION, SLUG, GroupUnderTest, Peer
from tests.support.waiting import patient


def arrival(peer: Peer) -> str:
    assert peer.registered is not None
    return peer.registered.arrival


def test_3_1_1_a_front_end_registers_with_its_own_id(group: GroupUnderTest) -> None:
    front = group.front("sip-1", "SIP")
    assert (front.key, arrival(front), front.row.state) == ("f:sip-1", "new", "active")
    assert group.changes()[-1].event == "registered"


def test_3_1_1_one_whose_protocol_sends_no_id_gets_one(group: GroupUnderTest) -> None:
    first, second = group.front("", "CMPP"), group.front("", "HTTP")
    assert first.id != second.id
    assert dispatcher.ID.fullmatch(first.id)
    with pytest.raises(DispatchRefusedError, match="malformed id"):
        group.front("mine", "CMPP")
    with pytest.raises(DispatchRefusedError, match="malformed id"):
        group.front("", "SIP")


def test_3_1_2_equal_to_the_offered_id_is_newly_started(group: GroupUnderTest) -> None:
    back = group.back("", "as-1", version="2.1", capacity=7, weight=3)
    row = back.row
    assert arrival(back) == "new"
    assert (row.name, row.version, row.capacity, row.weight) == ("as-1", "2.1", 7, 3)
    assert (row.manual, row.upgrading, row.state) == ("open", False, "active")


def test_3_1_2_different_from_the_offered_id_is_the_old_link_made_again(
    group: GroupUnderTest,
) -> None:
    front, back = group.front(), group.back()
    front.start("1")
    back.lose()
    again = group.again(back)
    assert (arrival(again), again.key) == ("reconnect", back.key)
    assert front.message("f1/1").outcome == "routed"


def test_same_id_same_incarnation_the_new_socket_takes_over(group: GroupUnderTest) -> None:
    front, back = group.front("f1", "BICC", "boot-a"), group.back()
    front.start("1")
    after = group.again(front, "boot-a", process="web2")
    assert after.registered is not None
    assert (arrival(after), after.registered.replaced) == ("takeover", ("web1", front.link))
    with pytest.raises(DispatchRefusedError, match="replaced"):
        front.message("f1/1")
    assert after.message("f1/1").outcome == "routed"
    assert back.told() == [("start", "f1/1", ""), ("message", "f1/1", "")]


def test_same_id_other_incarnation_while_the_old_link_beats_is_refused(
    group: GroupUnderTest,
) -> None:
    front = group.front("f1", "BICC", "boot-a")
    for incarnation in ("boot-b", ""):
        with pytest.raises(DispatchRefusedError, match="taken"):
            group.front("f1", "BICC", incarnation)
    back = group.back("", "as-1", "boot-a")
    with pytest.raises(DispatchRefusedError, match="taken"):
        group.back(back.id, "as-1", "boot-b")
    with pytest.raises(DispatchRefusedError, match="taken"):
        group.back("", "as-1", "boot-b")  # another ID, the same name
    assert front.heard().ok


def test_same_id_other_incarnation_of_a_pending_peer_is_a_restart(group: GroupUnderTest) -> None:
    front, back = group.front("f1", "BICC", "boot-a"), group.back()
    front.start("1")
    front.start("2")
    front.lose()
    again = group.again(front, "boot-b")
    assert arrival(again) == "restart"
    assert again.seq == 0
    assert back.told()[2:] == [("peer-lost", "", "front-end restarted")]
    assert again.start("1").outcome == "routed"  # its numbers start again
    assert back.told() == [("start", "f1/1", "")]
    group.sweep()
    assert group.show().sessions == 1
    assert group.back_of("f1/1") == back.id


def test_a_silent_link_is_pending_before_any_sweep_says_so(group: GroupUnderTest) -> None:
    group.front("f1", "BICC", "boot-a")
    assert group.clock is not None
    group.clock.advance(14.9)
    with pytest.raises(DispatchRefusedError, match="taken"):
        group.front("f1", "BICC", "boot-b")
    group.clock.advance(0.2)
    assert arrival(group.front("f1", "BICC", "boot-b")) == "restart"


def test_an_id_that_was_never_given_is_accepted_if_free_as_a_reconnect(
    group: GroupUnderTest,
) -> None:
    back = group.back("as-of-old", "as-1", received=40)
    assert back.registered is not None
    assert (arrival(back), back.registered.resync) == ("reconnect", True)
    assert back.registered.received == 0
    front = group.front("f1")
    assert front.start("1").reason == "none open"  # it has not sent its sessions yet
    assert back.resync().done
    assert front.start("2").outcome == "routed"
    assert [seq for seq, _ in back.frames()] == [41]  # the numbers of its frames continue
    back.seq = 1
    with pytest.raises(DispatchRefusedError, match="gap"):
        back.message("f1/2")  # number 2: its numbers start again, and the first is still to come
    back.seq = 0
    assert back.message("f1/2").outcome == "routed"
    assert back.message("f1/2").outcome == "routed"


def test_an_id_is_offered_once_also_when_the_data_is_lost_within_the_second(
    group: GroupUnderTest,
) -> None:
    assert group.clock is not None
    offered = {group.run(dispatcher.offer(SLUG)) for _ in range(3)}
    given = {group.front("", profile).id for profile in ("CMPP", "HTTP")}
    group.clock.advance(0.01)
    assert group.run(dispatcher.recover(SLUG, GENERATION + 1, group.settings)) == ""
    offered |= {group.run(dispatcher.offer(SLUG)) for _ in range(3)}
    given |= {group.front("", profile).id for profile in ("CMPP", "HTTP")}
    assert (len(offered), len(given)) == (6, 4)


def test_an_instance_started_anew_under_its_name_ends_the_pending_one(
    group: GroupUnderTest,
) -> None:
    front, old = group.front(), group.back()
    front.start("1")
    old.lose()
    new = group.back()
    assert (arrival(new), new.id != old.id) == ("new", True)
    group.sweep()
    assert front.told() == [("end", "f1/1", "instance restarted")]
    assert old.key not in group.rows()
    assert front.start("2").peer == new.key


def test_a_web_process_is_told_that_its_socket_was_replaced(group: GroupUnderTest) -> None:
    hears = group.client.pubsub(ignore_subscribe_messages=True)
    hears.subscribe(dispatcher.process_channel("web1"))
    hears.get_message(timeout=patient(5))
    front = group.front("f1", "BICC", "boot-a")
    group.again(front, "boot-a", process="web2")
    told = hears.get_message(timeout=patient(5))
    assert told["data"] == f"{SLUG}\tf:f1\t{front.link}\tclose\t4410\treplaced"
    hears.close()


@pytest.mark.parametrize(
    ("profile", "incarnation", "then", "want"),
    [
        ("SIP", "", "", "reconnect"),
        ("SIP", "a", "b", "restart"),
        ("BICC", "a", "a", "reconnect"),
        ("BICC", "a", "b", "restart"),
        ("BICC", "", "", "reconnect"),
        ("BICC", "a", "", "reconnect"),
        ("SMP", "", "", "new"),
        ("SMP", "a", "a", "new"),
    ],
)
def test_profile_rows_a_known_id_comes_back_within_the_timer(
    group: GroupUnderTest, profile: str, incarnation: str, then: str, want: str
) -> None:
    group.back()
    front = group.front("f1", profile, incarnation)
    front.start("1")
    front.lose()
    again = group.again(front, then)
    assert arrival(again) == want
    assert again.message("f1/1").outcome == ("refused" if want == "restart" else "routed")


@pytest.mark.parametrize("profile", ["CMPP", "HTTP"])
def test_profile_rows_an_assigned_id_never_comes_back(group: GroupUnderTest, profile: str) -> None:
    first = group.front("", profile)
    first.lose()
    assert group.rows() == {}
    assert group.front("", profile).id != first.id


def test_profile_row_sip_clear_drops_held_ends_and_is_a_restart(group: GroupUnderTest) -> None:
    front, back = group.front("f1", "SIP"), group.back()
    front.start("1")
    front.start("2")
    back.take()
    front.lose()
    back.end("f1/1")
    again = group.again(front)
    assert again.registered is not None
    assert (arrival(again), again.registered.held, again.frames()) == ("reconnect", True, [])
    assert again.clear(1).outcome == "routed"
    assert again.frames() == []
    assert back.told() == [("peer-lost", "", "front-end restarted")]
    assert again.start("1").outcome == "routed"
    group.sweep()
    assert group.show().sessions == 1
    again.received = 0
    back.message("f1/1")
    assert again.told() == [("message", "f1/1", "")]  # number 1 again


def test_profile_row_sip_a_clear_whose_number_goes_on_drops_held_ends(
    group: GroupUnderTest,
) -> None:
    front, back = group.front("f1", "SIP"), group.back()
    front.start("1")
    front.lose()
    back.end("f1/1")
    again = group.again(front)
    assert again.clear().outcome == "routed"
    assert (again.seq, again.row.received, again.told()) == (2, 2, [])


def test_profile_row_sip_clear_with_number_1_begins_both_numberings_anew(
    group: GroupUnderTest,
) -> None:
    front, back = group.front("f1", "SIP"), group.back()
    front.start("1")
    back.end("f1/1")
    assert len(front.take()) == 1  # numbers have been used, and acknowledged
    front.lose()
    again = group.again(front)
    assert again.clear(1).outcome == "routed"
    assert again.start("1").outcome == "routed"
    back.message("f1/1")
    assert [seq for seq, _ in again.frames()] == [1]


@pytest.mark.parametrize("how", ["beat", "frame"])
def test_profile_row_sip_any_other_first_frame_lets_the_held_ends_go(
    group: GroupUnderTest, how: str
) -> None:
    front, back = group.front("f1", "SIP"), group.back()
    front.start("1")
    front.start("2")
    front.lose()
    back.end("f1/1")
    again = group.again(front)
    if how == "beat":
        assert again.heard().released
        assert not again.heard().released
    else:
        assert again.message("f1/2").released
        assert not again.message("f1/2").released
    assert again.told() == [("end", "f1/1", "")]


def test_profile_row_smp_old_routes_run_out_by_their_timers(group: GroupUnderTest) -> None:
    back = group.back()
    front = group.front("f1", "SMP")
    front.start("1")
    front.lose()
    again = group.again(front)
    assert group.route("f1/1") is not None
    assert back.message("f1/1").outcome == "routed"
    group.advance(299, again, back)
    assert group.route("f1/1") is not None
    group.advance(2, again, back)
    assert group.route("f1/1") is None


def test_profile_row_cmpp_has_no_sessions(group: GroupUnderTest) -> None:
    group.back()
    front = group.front("", "CMPP")
    refused = front.start("1")
    assert (refused.outcome, refused.reason) == ("refused", "no sessions in this profile")
    assert front.told() == [("refused", f"{front.id}/1", "no sessions in this profile")]
    assert front.deliver().outcome == "routed"


@pytest.mark.parametrize(
    "words",
    [
        ["a/b", "BICC", "", "l", "p", 0],
        ["x" * 41, "BICC", "", "l", "p", 0],
        ["f1", "ISUP", "", "l", "p", 0],
        ["f1", "BICC", "a b", "l", "p", 0],
        ["f1", "BICC", "", "", "p", 0],
        ["f1", "BICC", "", "l", "p\t", 0],
        ["f1", "BICC", "", "l", "p", "-1"],
    ],
)
def test_a_malformed_registration_changes_nothing(
    group: GroupUnderTest, words: list[str | int]
) -> None:
    before = group.client.hgetall("{disp.calls}")
    reply = group.raw("register_front", *words)
    assert reply[0] == "-1"
    assert reply[1].startswith("malformed")
    assert group.client.hgetall("{disp.calls}") == before
    assert group.rows() == {}


def test_the_group_knows_a_bounded_number_of_peers(group: GroupUnderTest) -> None:
    record = "a\t\tl\tp\tBICC\t\t\t\t\t1\t1\t\t0\t0\t1"
    group.client.hset(
        "{disp.calls}:peers", mapping={f"f:x{n}": record for n in range(dispatcher.PEERS_LIMIT)}
    )
    with pytest.raises(DispatchRefusedError, match="too many peers"):
        group.front("one-more")
    group.client.delete("{disp.calls}:peers")
