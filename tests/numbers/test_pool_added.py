"""The result of the event `add` for a number: lent, confirmed first, or refused."""

import pytest

from numbers import pool
from tests.numbers.pool_support import SLUG, PoolUnderTest

A, B = "13800000001", "13800000002"


@pytest.fixture
def asking(bench: PoolUnderTest) -> PoolUnderTest:
    """A pool that confirms, with a number that a script has added and registered."""
    bench.create_again(added_by_script="confirm")
    bench.add(A)
    return bench


def added_at(bench: PoolUnderTest, number: str) -> int:
    return [c.at_us for c in bench.changes() if (c.event, c.number) == ("add", number)][-1]


def confirm(bench: PoolUnderTest, number: str, at: int | None = None) -> int:
    at = added_at(bench, number) if at is None else at
    confirmed: int = bench.run(pool.confirm(SLUG, {number: at}))
    return confirmed


def test_an_unconfirmed_number_is_not_lent_in_any_way(asking: PoolUnderTest) -> None:
    assert asking.event("call", call_id="a").reason == "exhausted"
    for options in ({}, {"direction": "in"}, {"force": True}):
        asked = asking.event("call", A, call_id="b", **options)
        assert (asked.code, asked.state, asked.reason) == (-1, "idle+up", "unconfirmed")
    assert asking.raw("call", A) == ["-1", A, "idle+up", "unconfirmed"]
    for _ in range(2):
        assert asking.live_list([("x", A)]).call_without_lease == (pool.Listed("x", A),)
    state = asking.state(A)
    assert state is not None
    assert (state.held, state.letter(0), asking.why_not(A)) == ("u", "u", "unconfirmed")
    told = [change for change in asking.changes() if change.number == A]
    assert [(change.event, change.letter_after) for change in told] == [("add", "u"), ("reg", "u")]
    figures = asking.figures()
    assert (figures.idle_up, figures.pickable, figures.quarantined) == (1, 0, 0)


def test_once_confirmed_it_is_lent(asking: PoolUnderTest) -> None:
    assert confirm(asking, A) == 1
    assert asking.changes()[-1].event == "confirmed"
    assert confirm(asking, A) == 0
    assert asking.event("call").number == A


def test_a_waiting_call_gets_what_is_confirmed(asking: PoolUnderTest) -> None:
    assert asking.event("call", call_id="w", wait_ms=5_000).waiting
    assert confirm(asking, A) == 1
    assert asking.event("call", call_id="w", wait_ms=5_000).number == A


def test_a_later_add_of_the_same_number_is_not_meant(asking: PoolUnderTest) -> None:
    first = added_at(asking, A)
    assert asking.event("del", A).ok
    asking.advance(1)
    asking.add(A)
    assert confirm(asking, A, first) == 0
    assert asking.why_not(A) == "unconfirmed"
    assert confirm(asking, A) == 1


def test_the_platforms_own_way_needs_no_confirmation_and_confirms(asking: PoolUnderTest) -> None:
    assert (
        asking.run(pool.load(SLUG, [pool.StoredNumber(A, up=True), pool.StoredNumber(B, up=True)]))
        == 1
    )
    assert (asking.why_not(A), asking.why_not(B)) == ("", "")


def test_other_holds_stay_when_it_is_confirmed(asking: PoolUnderTest) -> None:
    asking.run(pool.quarantine(SLUG, [A], "in pool west"))
    assert asking.event("call", A).reason == "quarantined"
    assert asking.event("call", A, direction="in").reason == "unconfirmed"
    assert confirm(asking, A) == 1
    assert asking.why_not(A) == "quarantined"
    asking.run(pool.unquarantine(SLUG, [A]))
    assert asking.event("call").number == A


def test_a_quarantine_that_ends_leaves_it_unconfirmed(asking: PoolUnderTest) -> None:
    asking.run(pool.quarantine(SLUG, [A], "spam"))
    asking.run(pool.unquarantine(SLUG, [A]))
    assert asking.why_not(A) == "unconfirmed"
    assert asking.event("call").reason == "exhausted"


def test_it_is_deleted_like_any_other(asking: PoolUnderTest) -> None:
    assert asking.event("del", A).ok
    figures = asking.figures()
    assert (figures.numbers, figures.idle_up, figures.idle_down) == (0, 0, 0)


def test_an_old_call_and_an_add_that_waits(asking: PoolUnderTest) -> None:
    confirm(asking, A)
    asking.event("call", A, call_id="x")
    asking.event("del", A)
    asking.add(A)
    assert asking.event("call", A, direction="in").reason == "old call"
    assert asking.event("hangup", call_id="x").ok
    assert asking.why_not(A) == "unconfirmed"


def test_a_recovering_pool_adopts_no_call_on_it(bench: PoolUnderTest) -> None:
    settings = pool.PoolSettings(added_by_script="confirm")
    command = pool.recover(
        *(SLUG, 2, settings), open_after_seconds=60, switches={"sw": ""}, now=bench.now
    )
    assert bench.run(command).ok
    assert bench.run(pool.loaded(SLUG)).reason == "waiting"
    bench.add(A)
    assert bench.event("call", A, call_id="x").reason == "unconfirmed"
    assert bench.live_list([("x", A)], incarnation="").adopted == ()


def test_a_pool_that_refuses_changes_nothing(bench: PoolUnderTest) -> None:
    bench.create_again(added_by_script="refuse")
    bench.run(pool.load(SLUG, [pool.StoredNumber(A)]))
    before = bench.everything()
    assert bench.raw("add", B) == ["-1", B, "nodata", "add refused"]
    assert bench.event("add", A).state == "idle+down"  # it exists: nothing to add
    after = bench.everything()
    assert {key for key in after if after[key] != before[key]} <= {"{numpool}"}
    assert bench.event("reg", B).reason == "unknown number"


def test_data_of_the_release_before_lends(bench: PoolUnderTest) -> None:
    bench.client.hdel("{numpool}", "added_by_script")
    bench.add(A)
    assert bench.event("call").number == A
    assert bench.figures().settings.added_by_script == "lend"


@pytest.mark.parametrize("words", [[], [A], [A, "x"], [A, "-1"], [A, "1" * 17], [A, "1"] * 1_001])
def test_a_malformed_confirmation_changes_nothing(asking: PoolUnderTest, words: list[str]) -> None:
    script = pool.SCRIPTS["confirm"]
    before = asking.everything()
    reply = asking.client.eval(script.text, 1, "{numpool}", *words)
    assert (reply[0], reply[3]) == ("-1", "malformed rows")
    assert asking.everything() == before


def test_a_rule_that_does_not_exist_is_refused(bench: PoolUnderTest) -> None:
    settings = pool.PoolSettings(added_by_script="maybe")
    refused = bench.run(pool.configure(SLUG, settings, now=bench.now))
    assert (refused.code, refused.reason) == (-1, "malformed added_by_script")
    assert bench.figures().settings.added_by_script == "lend"
