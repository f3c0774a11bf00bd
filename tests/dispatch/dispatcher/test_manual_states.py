"""Open, drain, blocked, and an upgrade's own drain: section 3.1.3 of the seed."""

import pytest

from queueing.dispatch import dispatcher
from queueing.dispatch.dispatcher import DispatchRefusedError
from tests.dispatch.dispatcher.group_support import SLUG, GroupUnderTest


def manual(group: GroupUnderTest, state: str, name: str = "as-1") -> dispatcher.Changed:
    changed = group.run(dispatcher.manual(SLUG, name, state, None, "because"))
    assert isinstance(changed, dispatcher.Changed)
    return changed


def test_3_1_3_drain_old_sessions_go_on_and_no_new_ones_come(group: GroupUnderTest) -> None:
    front, one, two = group.front(), group.back(name="as-1"), group.back(name="as-2")
    front.start("1")
    assert group.back_of("f1/1") == one.id
    assert manual(group, "drain") == dispatcher.Changed("open", 0, False)
    assert front.message("f1/1").peer == one.key
    assert {front.start(str(word)).peer for word in range(2, 8)} == {two.key}
    assert front.end("f1/1").outcome == "routed"
    assert one.row.sessions == 0
    assert manual(group, "open").before == "drain"
    assert front.start("9").peer == one.key


def test_3_1_3_blocked_old_ones_are_ended_and_both_ends_told(group: GroupUnderTest) -> None:
    front, back = group.front(), group.back()
    front.start("1")
    front.start("2")
    front.take()
    back.take()
    assert manual(group, "blocked") == dispatcher.Changed("open", 2, False)
    assert front.message("f1/1").reason == "no such session"
    group.sweep()
    want = [("end", "f1/1", "blocked"), ("end", "f1/2", "blocked")]
    assert front.told()[1:] == want
    assert back.told() == want
    assert front.start("3").reason == "none open"
    assert manual(group, "blocked").repeat


def test_3_1_3_the_manual_state_belongs_to_the_name_and_outlives_the_instance(
    group: GroupUnderTest,
) -> None:
    manual(group, "blocked")  # before any instance has registered
    front, back = group.front(), group.back()
    assert front.start("1").reason == "none open"
    back.lose()
    group.advance(61, front)
    new = group.back()
    assert (new.row.manual, front.start("2").reason) == ("blocked", "none open")
    manual(group, "open")
    assert front.start("3").outcome == "routed"


def test_3_1_3_health_never_overwrites_the_manual_state(group: GroupUnderTest) -> None:
    front, back = group.front(), group.back()
    manual(group, "drain")
    group.advance(16, front)
    assert (back.row.state, back.row.manual) == ("pending", "drain")
    back.heard()
    assert (back.row.state, back.row.manual) == ("active", "drain")
    assert front.start("1").reason == "none open"


def test_3_1_3_each_change_is_an_event_with_its_reason(group: GroupUnderTest) -> None:
    manual(group, "drain")
    group.run(dispatcher.manual(SLUG, "as-1", "drain", 1_800_000_000_000_000, "longer"))
    last = group.changes()[-1]
    assert (last.event, last.name, last.other, last.reason, last.data) == (
        *("drain", "as-1", "drain", "longer"),
        "1800000000000000",
    )
    state, back = group.run(dispatcher.names(SLUG))["as-1"]
    assert (state.manual, state.until_us, back) == ("drain", 1_800_000_000_000_000, "")


def test_an_upgrades_drain_stands_beside_the_operators_state(group: GroupUnderTest) -> None:
    front, back = group.front(), group.back()
    group.run(dispatcher.upgrade_flag(SLUG, "as-1", True))
    assert front.start("1").reason == "none open"
    manual(group, "blocked")
    group.run(dispatcher.upgrade_flag(SLUG, "as-1", False))
    assert (back.row.manual, back.row.upgrading) == ("blocked", False)
    assert front.start("2").reason == "none open"
    manual(group, "open")
    assert front.start("3").outcome == "routed"
    with pytest.raises(DispatchRefusedError, match="no such name"):
        group.run(dispatcher.upgrade_flag(SLUG, "unknown", True))


def test_a_name_is_forgotten_when_nobody_has_it(group: GroupUnderTest) -> None:
    back = group.back()
    with pytest.raises(DispatchRefusedError, match="in use"):
        group.run(dispatcher.forget_name(SLUG, "as-1"))
    back.lose()
    group.advance(61)
    assert group.run(dispatcher.forget_name(SLUG, "as-1")) == ""
    assert group.run(dispatcher.forget_name(SLUG, "as-1")) == "repeat"
    assert group.client.zcard("{disp.calls}:ring") == 0
