"""A step of Redis' clock pauses money and leases until it is reversed or an operator confirms it.

test_health.py proves that the platform's health reports it.
"""

import pytest

from poolsite.access.models import AuditEntry
from poolsite.hotpath.clock import PROVEN_SECONDS
from poolsite.jobs import sweeping
from poolsite.operations import services
from poolsite.operations.clock import ClockMonitor, redis_clocks


class Clocks:
    """A process clock and a Redis clock, both set by hand."""

    def __init__(self):
        self.pace = 1_000.0
        self.redis = 1_763_693_000.0

    def advance(self, seconds, *, step=0.0):
        self.pace += seconds
        self.redis += seconds + step


@pytest.fixture
def clocks(db):
    return Clocks()


def monitor(clocks):
    return ClockMonitor(read=lambda: {"redis": clocks.redis}, pace=lambda: clocks.pace)


def proven(clocks, count=1):
    """Return monitors that have watched the clock long enough to trust it."""
    watches = [monitor(clocks) for _ in range(count)]
    for _ in range(2):
        clocks.advance(PROVEN_SECONDS)
        for watch in watches:
            assert watch.check() == 0
    return watches


def paused():
    return sweeping.paused_reason().startswith("clock step of ")


@pytest.mark.parametrize("step", [3_600.0, -3_600.0, 1.5, -1.5])
def test_a_step_of_more_than_a_second_pauses(clocks, step):
    (watch,) = proven(clocks)
    clocks.advance(2, step=step)
    assert watch.check() == pytest.approx(step)
    assert sweeping.paused_reason() == f"clock step of {step:+.1f} s"


@pytest.mark.parametrize("step", [0.9, -0.9])
def test_a_step_of_less_than_a_second_and_slow_drift_are_followed(clocks, step):
    watch = monitor(clocks)
    for _ in range(20):
        clocks.advance(2, step=step)
        assert watch.check() == 0
    assert not paused()


def test_the_sweeps_run_again_when_the_clock_is_back(clocks):
    (watch,) = proven(clocks)
    clocks.advance(2, step=600)
    watch.check()
    clocks.advance(2)
    watch.check()
    assert paused()
    clocks.advance(2, step=-600)
    watch.check()
    assert not paused()


def test_a_process_that_began_after_the_step_does_not_settle_it(clocks):
    (old,) = proven(clocks)
    clocks.advance(2, step=600)
    old.check()
    young = monitor(clocks)
    young.check()
    clocks.advance(2)
    young.check()
    assert paused()


@pytest.mark.parametrize("noticed_before", [True, False])
def test_a_process_that_began_during_a_step_does_not_doubt_the_clock_that_is_right_again(
    clocks, noticed_before
):
    (old,) = proven(clocks)
    clocks.advance(1, step=600)
    if noticed_before:
        old.check()
    young = monitor(clocks)
    young.check()
    old.check()
    clocks.advance(PROVEN_SECONDS)
    young.check()
    clocks.advance(1, step=-600)
    assert young.check() == old.check() == 0
    assert not paused()
    for _ in range(2):
        clocks.advance(PROVEN_SECONDS)
        assert young.check() == 0
    clocks.advance(1, step=600)
    assert young.check() == pytest.approx(600)  # by now it trusts the clock


def test_an_operator_confirms_the_new_time_for_every_process(clocks, olga):
    watches = proven(clocks, 2)
    clocks.advance(2, step=600)
    for watch in watches:
        watch.check()
    assert services.confirm_clock(actor=olga, reason="daylight saving by hand") is True
    clocks.advance(2)
    for watch in watches:
        assert watch.check() == 0
    assert not paused()
    assert services.confirm_clock(actor=olga) is False
    assert AuditEntry.objects.filter(action="operations.confirm_clock").count() == 1


def test_a_process_that_had_not_seen_the_step_yet_heeds_the_confirmation_too(clocks, olga):
    seen, unseen = proven(clocks, 2)
    clocks.advance(2, step=600)
    seen.check()
    services.confirm_clock(actor=olga)
    assert unseen.check() == 0
    assert not paused()


def test_a_look_that_took_long_proves_nothing(clocks):
    (watch,) = proven(clocks)

    def slowly():
        clocks.advance(5)
        return {"redis": clocks.redis - 5}

    watch.read = slowly
    assert watch.check() == 0
    assert not paused()


def test_an_emptied_redis_does_not_end_the_pause(clocks):
    (watch,) = proven(clocks)
    clocks.advance(2, step=600)
    watch.check()
    sweeping.resume()
    clocks.advance(2)
    watch.check()
    assert paused()


def test_the_real_redis_tells_its_time(db):
    watch = ClockMonitor()
    assert watch.check() == 0
    assert watch.check() == 0
    assert next(iter(redis_clocks().values())) > 1_700_000_000
