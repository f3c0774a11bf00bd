"""Permits: cap, idempotence, deadlines, tokens, resizing, rate, the line."""

import pytest

from queueing.admission import gate
from tests.admission.gate_support import SLUG, GateUnderTest
from tests.support.clock import ScriptClock


def clock_of(bench: GateUnderTest) -> ScriptClock:
    assert bench.clock is not None
    return bench.clock


def fill(bench: GateUnderTest, count: int, name: str = "h") -> list[gate.Permit]:
    permits = [bench.acquire(f"{name}{place}") for place in range(count)]
    assert all(permit.granted for permit in permits)
    return permits


def test_the_cap_is_never_passed_and_a_freed_slot_is_given_at_once(bench: GateUnderTest) -> None:
    permits = fill(bench, 60)
    refused = bench.acquire("late")
    assert (refused.granted, refused.reason, refused.place) == (False, "full", 1)
    assert bench.release("h0", permits[0].token).done
    assert bench.acquire("late").granted
    assert bench.show().used == 60


def test_the_same_holder_gets_the_same_permit_and_no_longer_deadline(bench: GateUnderTest) -> None:
    first = bench.acquire("a")
    bench.wait(20)
    again = bench.acquire("a")
    assert (again.token, again.deadline_us, again.reason) == (
        first.token,
        first.deadline_us,
        "repeat",
    )
    assert bench.show().used == 1


def test_a_permit_is_released_once_and_only_by_its_holder(bench: GateUnderTest) -> None:
    mine, other = bench.acquire("a"), bench.acquire("b")
    assert bench.release("a", other.token).reason == "other token"
    assert bench.release("c", mine.token).reason == "not held"
    assert bench.release("a", mine.token).done
    again = bench.release("a", mine.token)
    assert (again.done, again.reason) == (False, "not held")
    assert bench.show().used == 1


def test_a_slot_is_free_only_after_the_deadline_and_a_late_release_changes_nothing(
    bench: GateUnderTest,
) -> None:
    permits = fill(bench, 60)
    bench.wait((permits[0].deadline_us - 1 - clock_of(bench).now_us) / 1_000_000)
    assert not bench.acquire("x").granted
    bench.wait(0.000001)
    assert bench.release("h0", permits[0].token).reason == "late"
    assert bench.acquire("x").granted
    assert bench.show().used == 1
    assert bench.sweep().expired == 60
    assert bench.release("h1", permits[1].token).reason == "not held"
    figures = bench.show()
    assert (figures.used, figures.permits, figures.expired, figures.overrun) == (1, 1, 60, 1)


def test_tokens_rise_and_go_on_rising_in_the_next_life(bench: GateUnderTest) -> None:
    tokens = [bench.acquire(f"h{n}").token for n in range(5)]
    assert tokens == sorted(set(tokens))
    bench.client.flushdb()
    clock = clock_of(bench)
    clock.set(clock.now_us)
    assert bench.run(gate.create(SLUG, clock.now_us, bench.settings)) == ""
    assert bench.acquire("h0").token > tokens[-1]


def test_renewing_moves_the_deadline_up_to_the_longest_time(bench: GateUnderTest) -> None:
    permit = bench.acquire("a")
    granted = permit.deadline_us - 300_000_000
    bench.wait(200)
    assert bench.renew("a", permit.token).deadline_us == granted + 500_000_000
    assert bench.renew("a", permit.token + 1).reason == "other token"
    for _ in range(20):
        bench.wait(250)
        permit_now = bench.renew("a", permit.token)
        if not permit_now.granted:
            break
        assert permit_now.deadline_us <= granted + 3_600_000_000
    assert permit_now.reason == "late"
    assert clock_of(bench).now_us >= granted + 3_600_000_000


def test_a_lower_cap_drops_nobody_and_lets_nobody_in_until_enough_have_gone(
    bench: GateUnderTest,
) -> None:
    permits = fill(bench, 60)
    resized = bench.run(gate.resize(SLUG, 2, reason="smaller"))
    assert (resized.before, resized.used) == (60, 60)
    for place in range(58):
        assert bench.release(f"h{place}", permits[place].token).done
        assert not bench.acquire("x").granted
    assert bench.release("h58", permits[58].token).done
    assert bench.acquire("x").granted
    assert not bench.acquire("y").granted
    bench.run(gate.resize(SLUG, 3))
    assert bench.acquire("y").granted


@pytest.mark.parametrize("cap", [0, -1, 1_000_001, 10**20])
def test_a_cap_that_is_none_is_refused_and_changes_nothing(bench: GateUnderTest, cap: int) -> None:
    before = bench.show()
    with pytest.raises(gate.GateRefusedError, match="malformed cap"):
        bench.run(gate.resize(SLUG, cap))
    with pytest.raises(ValueError, match="cap"):
        gate.GateSettings(cap=cap).columns()
    assert bench.show() == before


def test_the_rate_holds_in_every_second(bench: GateUnderTest) -> None:
    bench.run(gate.configure(SLUG, gate.GateSettings(rate_per_second=3, cap=60, fair=False)))
    clock, starts = clock_of(bench), []
    for n in range(100):
        clock.advance(0.07)
        if bench.acquire(f"h{n}").granted:
            starts.append(clock.now_us)
    assert len(starts) > 15
    for place in range(3, len(starts)):
        assert starts[place] - starts[place - 3] >= 1_000_000


def test_who_waits_longer_comes_first_within_the_look_ahead(bench: GateUnderTest) -> None:
    permits = fill(bench, 60)
    for name in "abcde":
        bench.wait(0.001)
        assert bench.acquire(f"w-{name}").reason == "full"
    assert bench.release("h0", permits[0].token).done
    last = bench.acquire("w-e")
    assert (last.granted, last.reason, last.place) == (False, "turn", 5)
    assert bench.acquire("w-c").reason == "turn"  # two before it, one slot: 2 is not fewer than 2
    assert bench.acquire("w-b").granted  # one before it
    assert bench.acquire("w-a").reason == "full"
    assert bench.acquire("w-e").place == 4


def test_one_that_stops_asking_loses_its_turn_after_two_periods(bench: GateUnderTest) -> None:
    permits = fill(bench, 60)
    for name in "abc":
        bench.acquire(f"w-{name}")
    bench.wait(100)
    assert bench.acquire("w-c").place == 3
    bench.wait(21)  # a and b do not respond for 121 s
    assert bench.acquire("w-c").place == 1
    assert bench.show().waiting == 1
    assert bench.release("h0", permits[0].token).done
    assert bench.acquire("w-c").granted
    assert bench.show().waiting == 0


def test_a_paused_gate_lets_nobody_in_and_takes_releases(bench: GateUnderTest) -> None:
    permit = bench.acquire("a")
    bench.run(gate.pause(SLUG, "maintenance"))
    assert bench.acquire("b").reason == "paused"
    assert bench.acquire("a").reason == "repeat"
    assert bench.renew("a", permit.token).granted
    assert bench.release("a", permit.token).done
    bench.run(gate.resume(SLUG))
    assert bench.acquire("b").granted


def test_an_operator_frees_the_permit_that_he_looked_at(bench: GateUnderTest) -> None:
    permit = bench.acquire("a")
    assert bench.run(gate.free(SLUG, "a", permit.token + 1, "why")).reason == "other token"
    assert bench.run(gate.free(SLUG, "a", permit.token, "hangs")).done
    assert bench.changes()[-1].reason == "hangs"
    assert bench.run(gate.free(SLUG, "a", permit.token, "again")).reason == "not held"


@pytest.mark.parametrize("holder", ["", "a b", "a\x00", "#x", "@x", "é", "\uff11", "x" * 65, "a\n"])
def test_a_bad_holder_is_refused_and_changes_nothing(bench: GateUnderTest, holder: str) -> None:
    before = bench.show()
    with pytest.raises(gate.GateRefusedError, match="malformed holder"):
        bench.acquire(holder)
    assert bench.show() == before


def test_the_external_systems_own_count_over_the_cap_is_an_overrun(bench: GateUnderTest) -> None:
    assert not bench.run(gate.observe(SLUG, 60)).over
    assert bench.run(gate.observe(SLUG, 61)).over
    figures = bench.show()
    assert (figures.overrun, figures.told) == (1, 61)


def test_rows_after_a_place_are_those_after_it_among_equals(bench: GateUnderTest) -> None:
    for name in ("a", "c", "b"):  # the clock does not move: one deadline for all
        bench.acquire(name)
    bench.wait(1)
    bench.acquire("d")
    rows = bench.run(gate.holders(SLUG)).rows
    assert [row.holder for row in rows] == ["a", "b", "c", "d"]
    for place, row in enumerate(rows):
        found = bench.run(gate.holders(SLUG, (row.deadline_us, row.holder), 2)).rows
        assert found == rows[place + 1 : place + 3]
    gone = rows[1]
    assert bench.release(gone.holder, gone.token).done
    after = bench.run(gate.holders(SLUG, (gone.deadline_us, gone.holder))).rows
    assert after == rows[2:]


@pytest.mark.parametrize("place", ["-1", "x", "12 a", " a"])
def test_a_bad_place_is_refused(bench: GateUnderTest, place: str) -> None:
    reply = bench.raw("look", "holders", place, 10)
    assert (reply[0], reply[3]) == ("-1", "malformed offset")
