"""A clock that jumps ahead lets nobody in before the permits of others have really ended."""

import pytest

from poolsite import hotpath
from queueing.admission import gate, services
from queueing.admission.services import clock as clock_of_workers
from tests.admission.gate_support import SLUG, GateUnderTest
from tests.admission.people import SLUG as TOWER
from tests.admission.people import make_gate, show

HOUR = 3_600.0


def confirm(bench: GateUnderTest) -> gate.Swept:
    """A worker's sweep right after its own pace has confirmed the clock."""
    assert bench.clock is not None
    swept: gate.Swept = bench.run(gate.sweep(SLUG, 500, bench.clock.now_us))
    return swept


def step(bench: GateUnderTest, seconds: float) -> None:
    assert bench.clock is not None
    bench.clock.advance(seconds)


@pytest.fixture
def watched(bench: GateUnderTest) -> GateUnderTest:
    """A gate of two slots, both taken, that workers sweep."""
    bench.run(gate.resize(SLUG, 2))
    assert not confirm(bench).doubt
    return bench


@pytest.mark.parametrize("seconds", [HOUR, 40.0, 301.0])
def test_a_step_ahead_frees_nobodys_slot(watched: GateUnderTest, seconds: float) -> None:
    first, second = watched.acquire("a"), watched.acquire("b")
    anonymous = watched.incr()
    assert anonymous == (False, 2)
    before = watched.clock.now_us if watched.clock else 0
    step(watched, seconds)
    assert watched.acquire("c").reason == "full"
    assert watched.incr() == (False, 2)
    assert watched.show().used == 2
    assert watched.acquire("a").token == first.token
    swept = watched.run(gate.sweep(SLUG, 500, before))
    assert (swept.doubt, swept.expired) == (True, 0)
    assert watched.run(gate.sweep(SLUG)).doubt  # nor by a hand that confirms nothing
    assert watched.renew("b", second.token).granted
    assert watched.release("a", first.token).done
    assert watched.acquire("c").granted
    assert watched.acquire("d").reason == "full"


def test_a_device_keeps_its_task_over_a_step_and_its_result_counts(
    watched: GateUnderTest,
) -> None:
    watched.batch(1, ["a", "b", "c"], seconds=10_000)
    a, b = watched.report("a"), watched.report("b")
    step(watched, HOUR)
    assert watched.report("a").token == a.token
    assert watched.report("c").reason == "full"
    assert a.task is not None
    assert a.token is not None
    done = watched.report("a", gate.Result(a.task, a.token, True))
    assert done.results == ((a.task, "accepted"),)
    assert watched.report("c").word == "task"
    assert watched.report("b").token == b.token
    assert watched.show().used == 2


def test_after_the_clock_is_right_again_everything_goes_on(watched: GateUnderTest) -> None:
    watched.acquire("a")
    watched.acquire("b")
    step(watched, HOUR)
    assert not watched.acquire("c").granted
    step(watched, 5 - HOUR)
    assert not confirm(watched).doubt
    assert not watched.acquire("c").granted
    step(watched, 295)
    assert confirm(watched).expired == 2
    assert watched.acquire("c").granted


def test_a_new_time_that_is_confirmed_ends_what_is_over(watched: GateUnderTest) -> None:
    watched.acquire("a")
    watched.acquire("b")
    step(watched, HOUR)
    assert watched.show().used == 2
    assert confirm(watched).expired == 2
    assert watched.show().used == 0


def test_a_waiting_device_keeps_its_place_over_a_step(watched: GateUnderTest) -> None:
    watched.acquire("a")
    watched.acquire("b")
    assert watched.acquire("c").place == 1
    step(watched, HOUR)
    assert watched.acquire("d").place == 2
    assert watched.acquire("c").place == 1


def test_a_gate_that_no_worker_watches_goes_by_its_clock_alone(bench: GateUnderTest) -> None:
    bench.run(gate.resize(SLUG, 1))
    bench.acquire("a")
    step(bench, 300)
    assert bench.acquire("b").granted


@pytest.mark.parametrize("checked", ["soon", "1", "-1700000000000000", "17000000000000000"])
def test_a_word_on_the_clock_that_is_none_is_refused(bench: GateUnderTest, checked: str) -> None:
    assert bench.raw("sweep", 500, checked) == ["-1", "", "", "malformed checked"]


# -- the workers' sweep ----------------------------------------------------------------------------


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("clean_redis")
def test_the_sweep_stands_still_while_the_clock_is_off(monkeypatch: pytest.MonkeyPatch) -> None:
    make_gate(cap=1)
    hotpath.run(gate.acquire(TOWER, "a"))
    assert services.sweep_gates(0, 1)["doubt"] == 0
    monkeypatch.setattr(clock_of_workers.clock.MONITOR, "check", lambda: HOUR)
    assert services.sweep_gates(0, 1)["doubt"] == 1
    monkeypatch.undo()
    assert services.sweep_gates(0, 1)["doubt"] == 0
    assert show().used == 1


@pytest.mark.usefixtures("clean_redis")
def test_a_look_that_took_too_long_confirms_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    assert clock_of_workers.confirmed_us() is not None
    steps = iter(range(1_000))
    monkeypatch.setattr(clock_of_workers.clock, "pace", lambda: float(next(steps)))
    assert clock_of_workers.confirmed_us() is None
