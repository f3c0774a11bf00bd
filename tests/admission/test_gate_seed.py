"""The seed's own pair: 60 granted, the 61st refused, floor 0, 300 s for each permit separately."""

from queueing.admission import gate
from tests.admission.gate_support import SLUG, GateUnderTest


def test_sixty_are_granted_and_the_61st_is_refused(bench: GateUnderTest) -> None:
    assert [bench.incr() for _ in range(60)] == [(True, count) for count in range(1, 61)]
    assert bench.incr() == (False, 60)  # the seed read 60 both times and refused the 60th
    assert bench.decr() == (True, 59)
    assert bench.incr() == (True, 60)


def test_the_floor_is_zero(bench: GateUnderTest) -> None:
    assert bench.decr() == (False, 0)
    bench.incr()
    assert [bench.decr() for _ in range(3)] == [(True, 0), (False, 0), (False, 0)]


def test_each_permit_has_its_own_300_seconds(bench: GateUnderTest) -> None:
    for _ in range(60):
        bench.incr()
        bench.wait(1)
    # 60 s after the first. In the seed every incr gave the whole counter another 300 s.
    bench.wait(239.999)
    assert bench.incr() == (False, 60)
    bench.wait(0.001)
    assert bench.incr() == (True, 60)  # exactly the first has expired
    assert bench.incr() == (False, 60)
    bench.wait(1)
    assert bench.incr() == (True, 60)
    # An expiry in mid-flight forgets no other permit: all but those that ended are counted.
    assert bench.show().used == 60


def test_a_late_decr_frees_nobody_elses_slot(bench: GateUnderTest) -> None:
    bench.incr()
    bench.wait(150)
    bench.incr()
    bench.wait(151)
    assert bench.decr() == (True, 0)  # the first had expired: this was the second's
    assert bench.decr() == (False, 0)


def test_decr_never_ends_a_named_holders_permit(bench: GateUnderTest) -> None:
    permit = bench.acquire("named")
    bench.incr()
    assert bench.decr() == (True, 1)
    assert bench.decr() == (False, 1)
    assert bench.release("named", permit.token).done


def test_the_seeds_form_works_with_the_tag_alone_and_the_cap_as_its_argument(
    bench: GateUnderTest,
) -> None:
    assert bench.raw("incr", "60") == ["1", "1"]
    assert bench.raw("incr", "1") == ["0", "1"]
    assert bench.raw("decr") == ["1", "0"]
    assert bench.raw("decr") == ["0", "0"]
    assert bench.raw("incr", "sixty") == ["-1", "", "", "malformed limit"]
    assert bench.run(gate.decr(SLUG)).count == 0
