"""Permits that count as several: the sum never passes the cap, and heavy ones get their turn."""

from typing import Any

import pytest

from queueing.admission import gate
from tests.admission.gate_support import GENERATION, KEYS, SLUG, GateUnderTest


def new(bench: GateUnderTest, **settings: Any) -> None:
    """Create the gate again with these settings."""
    bench.run(gate.destroy(SLUG, GENERATION))
    bench.create(**settings)


def refused(bench: GateUnderTest, holder: str, weight: int, *, waits: bool = False) -> str:
    with pytest.raises(gate.GateRefusedError) as error:
        bench.run(gate.to_acquire(holder, weight, waits=waits).command(SLUG))
    return error.value.reason


def test_a_permit_counts_as_its_weight_and_the_sum_never_passes_the_cap(
    bench: GateUnderTest,
) -> None:
    new(bench, cap=10, fair=False)
    first = bench.acquire("a", 7)
    assert bench.acquire("b", 4).reason == "full"
    assert bench.acquire("b", 3).granted
    assert (bench.show().used, bench.show().permits) == (10, 2)
    assert bench.incr() == (False, 10)
    assert bench.release("a", first.token).done
    assert bench.show().used == 3
    assert bench.incr() == (True, 4)
    bench.check_structure()


def test_another_weight_is_refused_by_name_and_changes_nothing(bench: GateUnderTest) -> None:
    new(bench, cap=10)
    permit = bench.acquire("a", 4)
    before = bench.show()
    assert refused(bench, "a", 5) == "other weight"
    assert refused(bench, "a", 1) == "other weight"
    assert bench.show().seq == before.seq
    again = bench.acquire("a", 4)
    assert (again.reason, again.token) == ("repeat", permit.token)
    bench.run(gate.resize(SLUG, 2))
    assert bench.acquire("a", 4).reason == "repeat"
    assert refused(bench, "b", 3) == "weight over cap"
    assert bench.show().waiting == 0


@pytest.mark.parametrize("weight", ["0", "x", "1.5", "-1", "01", "1000001"])
def test_a_malformed_weight_is_refused_and_writes_nothing(
    bench: GateUnderTest, weight: str
) -> None:
    new(bench, cap=10)
    assert bench.raw("acquire", "a", weight)[3] == "malformed weight"
    assert bench.raw("requests", f"acquire\ta\t{weight}")[0].split("\t")[3] == "malformed weight"
    assert bench.raw("renew", "a", "1" * 16, weight)[3] == "malformed weight"
    assert (bench.show().used, bench.show().seq) == (0, 1)


def test_what_ended_by_time_counts_no_longer_before_and_after_a_sweep(
    bench: GateUnderTest,
) -> None:
    new(bench, cap=1_000_000, permit_seconds=60, margin_seconds=0, fair=False)
    weights = [1, 2, 3, 64, 65, 999, 500_000]
    for place, weight in enumerate(weights):
        assert bench.acquire(f"h{place}", weight).granted
        bench.wait(1)
    assert bench.show().used == sum(weights)
    bench.wait(56)  # 63 s after the first: the first and later ones have expired one by one
    assert bench.show().used == sum(weights[4:])
    bench.check_structure()
    assert bench.sweep().expired == 4
    assert bench.show().used == sum(weights[4:])
    bench.wait(60)
    bench.sweep()
    assert (bench.show().used, bench.client.exists(f"{KEYS.tag}:weights")) == (0, 0)


def test_a_renewed_heavy_permit_keeps_its_weight(bench: GateUnderTest) -> None:
    new(bench, cap=5, permit_seconds=60, margin_seconds=0)
    permit = bench.acquire("a", 5)
    bench.wait(40)
    assert bench.renew("a", permit.token).granted
    bench.wait(30)  # past the first deadline
    assert bench.show().used == 5
    bench.check_structure()
    assert bench.release("a", permit.token).done
    assert bench.show().used == 0


def test_a_heavy_one_is_not_starved_by_light_ones(bench: GateUnderTest) -> None:
    new(bench, cap=4, look_ahead=1_000)
    held = [bench.acquire(f"light{n}") for n in range(4)]
    assert bench.acquire("heavy", 3).reason == "full"
    for n in range(3):
        assert bench.acquire(f"new{n}").reason == "full"
    for n in range(3):
        assert bench.release(f"light{n}", held[n].token).done
        reasons = [bench.acquire(f"new{m}").reason for m in range(3)]
        assert reasons == ["turn"] * 3, "slots are kept for the heavy one"
    assert bench.acquire("heavy", 3).granted
    assert bench.show().used == 4
    assert bench.acquire("new0").reason == "full"


def test_light_ones_pass_where_the_heavy_one_ahead_keeps_its_slots(bench: GateUnderTest) -> None:
    new(bench, cap=6)
    held = [bench.acquire(f"h{n}", 2) for n in range(3)]
    assert bench.acquire("heavy", 3).reason == "full"
    assert bench.acquire("light").reason == "full"
    for n in range(2):
        bench.release(f"h{n}", held[n].token)
    assert bench.acquire("light").granted  # 4 are free, and 3 are reserved
    assert bench.acquire("other").reason == "turn"
    assert bench.acquire("heavy", 3).granted
    bench.check_structure()


def test_a_silent_heavy_one_keeps_no_slots(bench: GateUnderTest) -> None:
    new(bench, cap=3, period_seconds=10, permit_seconds=300)
    held = bench.acquire("a", 3)
    bench.acquire("heavy", 3)
    bench.acquire("light")
    bench.release("a", held.token)
    assert bench.acquire("light").reason == "turn"
    bench.wait(15)
    bench.acquire("light")
    bench.wait(10)
    assert bench.acquire("light").granted
    assert bench.client.exists(f"{KEYS.tag}:heavy") == 0
    bench.check_structure()


def test_a_waiter_that_asks_for_another_weight_keeps_its_place(bench: GateUnderTest) -> None:
    new(bench, cap=4)
    held = bench.acquire("a", 4)
    bench.acquire("b", 3)
    bench.acquire("c", 2)
    assert bench.acquire("b", 2).place == 1
    assert [(row.who, row.weight) for row in bench.run(gate.line(SLUG)).rows] == [
        ("b", 2),
        ("c", 2),
    ]
    bench.check_structure()
    bench.release("a", held.token)
    assert bench.acquire("c", 2).granted
    assert bench.acquire("b", 2).granted


def test_a_heavy_start_counts_as_so_many_and_one_over_the_rate_has_a_second_of_its_own(
    bench: GateUnderTest,
) -> None:
    new(bench, cap=100, rate_per_second=5, fair=False)
    assert bench.acquire("a", 3).granted
    assert bench.acquire("b", 3).reason == "rate"
    assert bench.acquire("b", 2).granted
    assert bench.acquire("c").reason == "rate"
    bench.wait(1)
    assert bench.acquire("d", 20).granted
    assert bench.acquire("e").reason == "rate"
    bench.wait(1)
    assert bench.acquire("e").granted


def test_the_history_and_the_lists_tell_the_weight(bench: GateUnderTest) -> None:
    new(bench, cap=10)
    permit = bench.acquire("a", 4)
    bench.acquire("b")
    assert [(row.holder, row.weight) for row in bench.run(gate.holders(SLUG)).rows] == [
        ("a", 4),
        ("b", 1),
    ]
    bench.run(gate.free(SLUG, "a", permit.token, "tests"))
    told = [(change.event, change.holder, change.data) for change in bench.changes()[1:]]
    assert told == [("granted", "a", "4"), ("granted", "b", ""), ("freed", "a", "4")]


def test_after_a_loss_a_heavy_permit_comes_back_with_its_weight(bench: GateUnderTest) -> None:
    new(bench, cap=5)
    permit = bench.acquire("a", 3)
    bench.run(gate.destroy(SLUG, GENERATION))
    life = bench.clock.now_us if bench.clock else 0
    bench.run(gate.recover(SLUG, life, bench.settings, open_after_seconds=100))
    token = permit.token if permit.token < life else life - 1
    assert bench.renew("nobody", token).reason == "adopted"
    assert bench.run(gate.renew(SLUG, "a", token, 5)).reason == "not held", "only 4 are left"
    assert bench.run(gate.renew(SLUG, "a", token, 3)).reason == "adopted"
    assert (bench.show().ghosts, bench.show().used) == (1, 5)
    bench.run(gate.open_now(SLUG, "tests"))
    assert bench.show().used == 4
    bench.check_structure()


def test_leftovers_of_a_process_that_knows_no_weights_are_swept(bench: GateUnderTest) -> None:
    new(bench, cap=9, permit_seconds=60, margin_seconds=0)
    permit = bench.acquire("a", 6)
    bench.client.zrem(f"{KEYS.tag}:permits", "a")
    bench.client.hdel(KEYS.tag, "=a")
    assert bench.show().used == 5  # too many rather than too few, until the deadline
    bench.wait(61)
    assert (bench.show().used, permit.granted) == (0, True)
    bench.sweep()
    assert bench.client.exists(f"{KEYS.tag}:weights") == 0


# -- callers that wait and give up -----------------------------------------------------------------


def test_who_gives_up_leaves_no_turn_unless_its_holder_asked_again(bench: GateUnderTest) -> None:
    new(bench, cap=1)
    bench.acquire("a")
    first = bench.acquire("b")
    bench.wait(1)
    second = bench.acquire("b")
    assert not bench.run(gate.leave(SLUG, "b", None, first.now_us)).done
    assert bench.show().waiting == 1
    assert bench.run(gate.leave(SLUG, "b", None, second.now_us)).done
    assert bench.show().waiting == 0
    bench.check_structure()


def test_who_gives_up_leaves_no_permit_unless_its_holder_asked_again(bench: GateUnderTest) -> None:
    new(bench, cap=5)
    permit = bench.acquire("a", 3)
    assert bench.run(gate.leave(SLUG, "a", permit.token, None)).done
    assert bench.show().used == 0
    assert bench.changes()[-1].reason == "left"
    permit = bench.acquire("a", 3)
    assert bench.acquire("a", 3).reason == "repeat"
    assert not bench.run(gate.leave(SLUG, "a", permit.token, None)).done
    assert bench.show().used == 3
    assert bench.renew("a", permit.token).granted
    assert not bench.run(gate.leave(SLUG, "a", permit.token, None)).done
    assert not bench.run(gate.leave(SLUG, "a", None, None)).done
    bench.check_structure()


def test_a_caller_that_asks_again_by_itself_is_not_counted_as_refused(bench: GateUnderTest) -> None:
    new(bench, cap=1)
    bench.acquire("a")
    for _ in range(3):
        bench.run(gate.to_acquire("b", waits=True).command(SLUG))
    assert (bench.show().refused, bench.show().waiting) == (0, 1)
    bench.acquire("b")
    assert bench.show().refused == 1


# -- how long they waited --------------------------------------------------------------------------


def test_waits_are_measured_from_the_first_request_to_the_permit(bench: GateUnderTest) -> None:
    new(bench, cap=1, period_seconds=60)
    assert bench.show().waits.percentile(50) is None
    held = bench.acquire("a")
    bench.acquire("b")
    for _ in range(4):
        bench.wait(1.9)
        bench.acquire("b")
    bench.release("a", held.token)
    assert bench.acquire("b").granted  # after 7.6 s
    waits = bench.show().waits
    assert sum(waits.recent) == sum(waits.total) == 2
    assert waits.total_us == 7_600_000
    assert waits.percentile(50) == 0
    assert 5 < (waits.percentile(95) or 0) <= 10
    bench.wait(15 * 60)
    waits = bench.show().waits
    assert (sum(waits.recent), sum(waits.total)) == (0, 2)
    assert waits.percentiles() == {"p50": None, "p95": None, "p99": None}


def test_the_counts_of_waits_are_bounded(bench: GateUnderTest) -> None:
    new(bench, cap=1)
    for _ in range(40):
        permit = bench.acquire("a")
        bench.release("a", permit.token)
        bench.wait(60)
    fields = bench.client.hkeys(f"{KEYS.tag}:waits")
    assert len(fields) <= 15 + 1
    assert sum(bench.show().waits.total) == 40


def test_a_gate_without_a_line_measures_no_waits(bench: GateUnderTest) -> None:
    new(bench, cap=5, fair=False)
    bench.acquire("a")
    assert sum(bench.show().waits.total) == 0


def test_percentiles_lie_within_their_bucket() -> None:
    waits = gate.Waits((0, 1_000, 2_000), (5, 0, 4, 1), (5, 0, 4, 1), 0)
    assert waits.percentile(50) == 0
    assert waits.percentile(70) == 1.5
    assert waits.percentile(99) == 2.0
