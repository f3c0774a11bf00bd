"""After Redis was lost: peers report their sessions; both ends restore, a single end is freed."""

import pytest

from queueing.dispatch import dispatcher
from queueing.dispatch.dispatcher import DispatchRefusedError
from tests.dispatch.dispatcher.group_support import GENERATION, SLUG, GroupUnderTest, Peer


@pytest.fixture
def lost(group: GroupUnderTest) -> GroupUnderTest:
    """The group after its data was lost and it was created again."""
    group.client.delete(*group.client.keys("{disp.calls}*"))
    names = [dispatcher.NameState("as-9", "blocked"), dispatcher.NameState("as-1")]
    recovered = dispatcher.recover(SLUG, GENERATION + 1, group.settings, names)
    assert group.run(recovered) == ""
    return group


def come_back(group: GroupUnderTest) -> tuple[Peer, Peer]:
    """A front-end and an instance that had sessions and numbers before the loss."""
    front = group.front("f1", "BICC", "boot", received=7)
    back = group.back("as-of-old", "as-1", "boot", received=90)
    for peer in (front, back):
        assert peer.registered is not None
        assert peer.registered.resync
    return front, back


def test_a_recovering_group_opens_by_itself_after_the_disconnect_timer(
    lost: GroupUnderTest,
) -> None:
    figures = lost.show()
    assert (figures.status, figures.healing) == ("recovering", False)
    lost.advance(59)
    assert lost.show().status == "recovering"
    lost.advance(2)
    assert (lost.show().status, lost.show().opens_at_us) == ("open", None)
    assert lost.events() == ["recovering", "opened"]


@pytest.mark.parametrize("first", ["front", "back"])
def test_a_session_named_by_both_ends_is_restored(lost: GroupUnderTest, first: str) -> None:
    front, back = come_back(lost)
    tell_front = lambda: front.resync(("f1/1", "as-1", None), ("f1/2", "", None))  # noqa: E731
    tell_back = lambda: back.resync(("f1/1", "f1", None), ("f1/2", "f1", None))  # noqa: E731
    one, two = (tell_front, tell_back) if first == "front" else (tell_back, tell_front)
    assert (one().provisional, two().restored) == (2, 2)
    assert front.message("f1/1").outcome == "routed"
    assert back.message("f1/2").outcome == "routed"
    assert [seq for seq, _ in front.frames()] == [8]  # its numbers continue
    assert [seq for seq, _ in back.frames()] == [91]
    assert (front.row.sessions, back.row.sessions) == (2, 2)
    lost.advance(62, front, back)
    route = lost.route("f1/1")
    assert route is not None
    assert (route.why, route.provisional, route.live) == ("restored", "", True)


@pytest.mark.parametrize("by", ["front", "back"])
def test_a_session_named_by_one_end_is_provisional_then_to_be_freed(
    lost: GroupUnderTest, by: str
) -> None:
    front, back = come_back(lost)
    names, other = (front, back) if by == "front" else (back, front)
    assert names.resync(("f1/1", "", None)).provisional == 1
    assert other.resync().done
    route = lost.route("f1/1")
    assert route is not None
    assert route.provisional == by
    assert names.message("f1/1").reason == "recovering"
    assert names.told() == [("refused", "f1/1", "recovering")]
    lost.advance(61, front, back)
    assert names.told() == [("free", "f1/1", "one end only")]
    assert other.take() == []
    assert (lost.show().sessions, lost.show().freed) == (0, 1)


def test_timed_sessions_keep_their_deadline(lost: GroupUnderTest) -> None:
    front, back = come_back(lost)
    assert lost.clock is not None
    deadline = lost.clock.now_us + 90_000_000
    front.resync(("f1/1", "", deadline))
    back.resync(("f1/1", "", deadline))
    lost.advance(88, front, back)
    assert lost.route("f1/1") is not None
    lost.advance(3, front, back)
    assert front.told() == [("end", "f1/1", "expired")]


def test_two_instances_cannot_have_one_session(lost: GroupUnderTest) -> None:
    front, back = come_back(lost)
    other = lost.back("another", "as-2", received=1)
    front.resync(("f1/1", "as-1", None), ("f1/2", "", None))
    assert other.resync(("f1/1", "", None)).freed == 1
    assert back.resync(("f1/1", "", None)).restored == 1
    assert other.told() == [("free", "f1/1", "elsewhere")]
    back.resync(("f1/2", "", None))
    assert other.resync(("f1/2", "", None)).freed == 1


def test_a_front_ends_sessions_are_its_own(lost: GroupUnderTest) -> None:
    front, _ = come_back(lost)
    assert front.resync(("f2/1", "", None)).freed == 1
    assert front.told() == [("free", "f2/1", "not yours")]


def test_telling_the_same_again_changes_nothing(lost: GroupUnderTest) -> None:
    front, back = come_back(lost)
    front.resync(("f1/1", "", None), last=False)
    assert front.resync(("f1/1", "", None)).provisional == 1
    back.resync(("f1/1", "", None))
    assert back.resync(("f1/1", "", None)).restored == 1
    assert (front.row.sessions, back.row.sessions) == (1, 1)


def test_an_instance_gets_new_sessions_when_it_has_told_all_that_it_has(
    lost: GroupUnderTest,
) -> None:
    front, back = come_back(lost)
    assert front.start("new").reason == "recovering"
    back.resync(("f1/1", "", None), last=False)
    assert front.start("new").reason == "recovering"
    back.resync(last=True)
    assert front.start("new").peer == back.key
    fresh = lost.back("", "as-2")  # a newly started one has none
    assert front.start("newer").peer == fresh.key


def test_a_message_for_a_session_not_yet_told_is_answered_recovering(lost: GroupUnderTest) -> None:
    front, back = come_back(lost)
    assert front.message("f1/1").reason == "recovering"
    assert back.end("f1/1").reason == "recovering"


def test_a_start_sent_again_after_the_loss_does_nothing_to_a_restored_session(
    lost: GroupUnderTest,
) -> None:
    front, back = come_back(lost)
    front.resync(("f1/1", "", None))
    back.resync(("f1/1", "", None))
    assert front.start("1").peer == back.key
    assert front.take() == back.take() == []
    back.resync(("f1/2", "", None), last=False)
    assert front.start("2").peer == back.key  # that confirms it
    lost.advance(62, front, back)
    assert front.message("f1/2").outcome == "routed"


def test_the_end_that_alone_has_a_provisional_session_may_end_it(lost: GroupUnderTest) -> None:
    front, back = come_back(lost)
    back.resync(("f1/1", "", None))
    assert front.end("f1/1").reason == "recovering"
    assert back.end("f1/1").outcome == "routed"
    assert lost.show().sessions == 0


def test_a_blocked_names_restored_sessions_are_ended(lost: GroupUnderTest) -> None:
    front = lost.front("f1", received=1)
    back = lost.back("nine", "as-9", received=1)
    assert back.row.manual == "blocked"  # it survived in SQL
    front.resync(("f1/1", "", None))
    back.resync(("f1/1", "", None))
    lost.sweep()
    assert front.told() == [("end", "f1/1", "blocked")]
    assert back.told() == [("end", "f1/1", "blocked")]


def test_ends_that_do_not_answer_cost_nothing(lost: GroupUnderTest) -> None:
    front = lost.front("f1", received=1)
    front.resync(("f1/1", "as-1", None))
    front.lose()
    lost.advance(61)
    assert (lost.show().sessions, lost.rows()) == (0, {})


def test_a_promoted_server_stays_closed_until_it_is_healed(group: GroupUnderTest) -> None:
    front, back = group.front(), group.back()
    front.start("1")
    conf = group.client.hget("{disp.calls}", "conf")
    group.client.hset("{disp.calls}", "conf", "r" + conf[1:])  # what hotpath/promoted does
    figures = group.show()
    assert (figures.status, figures.healing) == ("recovering", True)
    assert front.start("2").reason == "recovering"
    assert front.message("f1/none").reason == "recovering"
    assert front.message("f1/1").outcome == "routed"
    group.advance(70, front, back)
    assert group.show().healing


@pytest.mark.parametrize(
    "words",
    [
        ["f1/1", "", ""],
        ["1", "f1/1", ""],
        ["1", "f1", "", ""],
        ["1", "f1/1", "a b", ""],
        ["1", "f1/1", "", "-5"],
        ["2"],
        ["1", *["f1/1", "", ""] * 1_001],
    ],
)
def test_a_malformed_resync_changes_nothing(lost: GroupUnderTest, words: list[str]) -> None:
    front, _ = come_back(lost)
    reply = lost.raw("resync", front.key, front.link, *words)
    assert reply[0] == "-1"
    assert reply[1].startswith("malformed")
    assert lost.show().sessions == 0
    with pytest.raises(DispatchRefusedError, match="replaced"):
        lost.run(dispatcher.resync(SLUG, front.key, "other", [], True))
