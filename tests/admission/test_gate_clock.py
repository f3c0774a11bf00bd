"""A clock that jumps ahead admits no holder before the permits of others have really ended."""

import pytest

from queueing.admission import gate
from tests.admission.gate_support import GENERATION, KEYS, SLUG, GateUnderTest

HOUR = 3_600.0
LENGTH = 300  # how long a permit is valid, in seconds


def step(bench: GateUnderTest, seconds: float) -> None:
    assert bench.clock is not None
    bench.clock.advance(seconds)


def ask_for(bench: GateUnderTest, seconds: int) -> int | None:
    """Ask every second for a slot, as devices do. Return after how many seconds one was free."""
    for second in range(1, seconds + 1):
        step(bench, 1)
        if bench.acquire("next").granted:
            return second
    return None


@pytest.fixture
def full(bench: GateUnderTest) -> GateUnderTest:
    """A gate of two slots, both taken."""
    bench.run(gate.resize(SLUG, 2))
    bench.acquire("a")
    bench.acquire("b")
    return bench


@pytest.mark.parametrize("seconds", [HOUR, 40.0, 301.0, 86_400.0])
def test_a_step_ahead_frees_nobodys_slot(full: GateUnderTest, seconds: float) -> None:
    first, second = full.acquire("a"), full.acquire("b")
    assert full.incr() == (False, 2)
    step(full, seconds)
    assert full.acquire("c").reason == "full"
    assert full.incr() == (False, 2)
    assert full.show().used == 2
    assert full.acquire("a").token == first.token
    assert full.sweep().expired == 0
    assert full.renew("b", second.token).granted
    assert full.release("a", first.token).done
    assert full.acquire("c").granted
    assert full.acquire("d").reason == "full"


@pytest.mark.parametrize("way", ["acquire", "incr", "decr", "sweep", "report"])
def test_whoever_comes_first_after_a_step_keeps_the_doubt(full: GateUnderTest, way: str) -> None:
    full.run(gate.resize(SLUG, 4))
    full.incr()
    step(full, HOUR)
    if way == "report":
        full.report("device")
    elif way == "acquire":
        assert full.acquire("c").granted
    else:
        getattr(full, way)()
    step(full, 1)
    assert full.sweep().expired == 0
    assert full.acquire("a").deadline_us < (full.clock.now_us if full.clock else 0)


def test_a_device_keeps_its_task_over_a_step_and_its_result_counts(bench: GateUnderTest) -> None:
    bench.run(gate.resize(SLUG, 2))
    bench.batch(1, ["a", "b", "c"], seconds=10_000)
    a, b = bench.report("a"), bench.report("b")
    step(bench, HOUR)
    assert bench.report("a").token == a.token
    assert bench.report("c").reason == "full"
    assert a.task is not None
    assert a.token is not None
    done = bench.report("a", gate.Result(a.task, a.token, True))
    assert done.results == ((a.task, "accepted"),)
    assert bench.report("c").word == "task"
    assert bench.report("b").token == b.token
    assert bench.show().used == 2


def test_after_the_clock_is_right_again_everything_goes_on(full: GateUnderTest) -> None:
    step(full, HOUR)
    assert not full.acquire("c").granted
    step(full, 5 - HOUR)
    assert not full.acquire("c").granted
    full.wait(295)
    assert full.sweep().expired == 2
    assert full.acquire("c").granted


@pytest.mark.parametrize("away", [4, 60, 299, 900, 86_400])
def test_without_anybody_to_sweep_every_slot_comes_back_within_a_permits_length(
    full: GateUnderTest, away: int
) -> None:
    """Redis was away, or no request came: a gate cannot tell that from a step of the clock."""
    step(full, away)
    waited = ask_for(full, LENGTH + 1)
    assert waited is not None
    left = LENGTH - away
    assert waited >= min(left, LENGTH)


def test_a_gate_that_is_asked_frees_a_slot_at_the_deadline(full: GateUnderTest) -> None:
    assert ask_for(full, 2 * LENGTH) == LENGTH


def test_gaps_again_and_again_add_up_to_no_more_than_a_permits_length(full: GateUnderTest) -> None:
    for _ in range(1 + 2 * LENGTH // 10):
        step(full, 10)
        if full.acquire("next").granted:
            return
    raise AssertionError("no slot came back")


def test_silent_ones_ahead_do_not_close_a_gate_that_is_rarely_asked(full: GateUnderTest) -> None:
    for name in "cdefgh":
        assert not full.acquire(name).granted
    for _ in range(2 + 2 * LENGTH // 60):
        step(full, 60)
        if full.acquire("h").granted:
            return
    raise AssertionError("those ahead have not asked for a long time, and still keep their turn")


def test_a_doubt_is_kept_once_and_forgotten_when_it_is_settled(full: GateUnderTest) -> None:
    step(full, HOUR)
    full.acquire("c")
    lag = full.client.hget(KEYS.tag, "doubt")
    assert int(lag[:16]) == (HOUR - 3) * 1_000_000
    full.wait(LENGTH + 1)
    full.acquire("c")
    assert full.client.hget(KEYS.tag, "doubt") == ""


def test_a_waiting_device_keeps_its_place_over_a_step(full: GateUnderTest) -> None:
    assert full.acquire("c").place == 1
    step(full, HOUR)
    assert full.acquire("d").place == 2
    assert full.acquire("c").place == 1


@pytest.mark.parametrize("renewed", [False, True])
def test_a_permit_of_a_clock_that_was_ahead_ends_within_its_length(
    full: GateUnderTest, renewed: bool
) -> None:
    token = full.acquire("a").token
    step(full, HOUR)
    if renewed:
        full.renew("a", token)
    else:
        assert full.release("a", token).done
        token = full.acquire("a").token
    step(full, 1 - HOUR)
    full.sweep()
    assert full.acquire("a").token == token
    full.wait(LENGTH - 2)
    assert full.release("b", full.acquire("b").token).done
    assert full.acquire("a").token == token
    full.wait(2)
    assert full.sweep().expired == 1
    assert full.show().used == 0


def test_a_permit_of_an_older_longer_length_keeps_it_when_the_clock_is_put_back(
    full: GateUnderTest,
) -> None:
    full.run(gate.configure(SLUG, gate.GateSettings(cap=2, permit_seconds=20)))
    step(full, -40)
    full.sweep()
    kept = full.acquire("a")
    assert kept.deadline_us - kept.now_us == LENGTH * 1_000_000


def test_a_step_back_leaves_no_rate_no_silent_one_and_no_opening_in_the_future(
    full: GateUnderTest,
) -> None:
    full.run(gate.configure(SLUG, gate.GateSettings(cap=2, rate_per_second=1)))
    step(full, HOUR)
    assert full.acquire("silent").reason == "full"
    step(full, -HOUR)
    full.release("a", full.acquire("a").token)
    full.sweep()
    full.wait(2 * 60 + 1)
    full.sweep()
    assert full.show().waiting == 0
    assert full.acquire("c").granted


def test_a_recovering_gate_opens_in_its_time_after_the_clock_was_put_back(
    bench: GateUnderTest,
) -> None:
    step(bench, HOUR)
    bench.run(gate.recover(SLUG, 2 * GENERATION, bench.settings, open_after_seconds=LENGTH))
    bench.run(gate.loaded(SLUG))
    step(bench, -HOUR)
    assert not bench.sweep().opened
    bench.wait(LENGTH - 1)
    assert not bench.sweep().opened
    bench.wait(2)
    assert bench.sweep().opened


def test_what_a_hold_lasts_is_not_learnt_over_a_step(full: GateUnderTest) -> None:
    step(full, HOUR)
    full.release("a", full.acquire("a").token)
    token = full.acquire("c").token
    step(full, -HOUR)
    full.release("c", token)
    full.incr()
    full.decr()
    assert full.show().hold_us in (0, 1)


def test_a_gate_that_the_timers_visit_never_doubts_its_clock(full: GateUnderTest) -> None:
    for _ in range(3):
        step(full, gate.VISIT_SECONDS + 0.5)  # visits may be a little late
        full.sweep()
        assert not full.client.hget(KEYS.tag, "doubt")


def test_a_visit_is_asked_for_when_the_first_permit_ends(full: GateUnderTest) -> None:
    permit = full.acquire("a")
    assert full.sweep().next_us <= permit.deadline_us
    full.wait(LENGTH - 10)
    assert full.sweep().next_us == permit.deadline_us


def test_while_the_clock_is_in_doubt_the_visit_waits_with_the_permits(full: GateUnderTest) -> None:
    permit = full.acquire("a")
    step(full, 63)
    assert full.sweep().expired == 0
    full.wait(200)
    assert full.sweep().next_us == permit.deadline_us + 60_000_000
