"""Redis' clock was ahead and was put back: nothing lasts longer than the settings say."""

from datetime import UTC, datetime

import pytest

from numbers import pool
from tests.numbers.pool_support import KEYS, SLUG, PoolUnderTest

A, B, C = "13800000001", "13800000002", "13800000003"
LEASE, SUSPECT, HOUR = 600, 120, 3_600
AHEAD = pytest.mark.parametrize("ahead", [40, 300, HOUR])


@pytest.fixture
def short(bench: PoolUnderTest) -> PoolUnderTest:
    """A pool of two numbers whose calls last ten minutes unless they are renewed."""
    bench.create_again(lease_seconds=LEASE, suspect_seconds=SUSPECT)
    bench.add(A, B)
    return bench


def use(bench: PoolUnderTest, number: str) -> None:
    assert bench.event("call", number).ok
    assert bench.event("hangup", number).ok


@AHEAD
def test_a_call_that_has_ended_stays_ended_over_a_step(bench: PoolUnderTest, ahead: int) -> None:
    bench.add(A)
    bench.event("call", A, call_id="c1")
    assert bench.event("hangup", call_id="c1").ok
    bench.step(ahead)
    bench.sweep()
    assert bench.event("call", A, call_id="c1").reason == "ended"
    assert bench.event("hangup", call_id="c1").reason == "repeat"
    bench.step(-ahead)
    assert bench.event("call", A, call_id="c1").reason == "ended"
    bench.advance(601)
    bench.sweep()
    assert bench.event("call", A, call_id="c1").ok


def test_numbers_of_a_pool_without_rest_can_be_picked_at_once(bench: PoolUnderTest) -> None:
    bench.add(A)
    bench.advance(HOUR)
    bench.add(B)
    use(bench, A)
    bench.advance(-HOUR)
    assert bench.sweep().shortened == 2
    assert {bench.event("call").number for _ in range(2)} == {A, B}
    assert bench.sweep().shortened == 0


def test_a_rest_begins_again_and_lasts_no_longer_than_the_cooldown(bench: PoolUnderTest) -> None:
    bench.create_again(cooldown_seconds=60)
    bench.add(A)
    bench.advance(HOUR)
    use(bench, A)
    bench.advance(-HOUR)
    assert bench.sweep().shortened == 1
    assert bench.sweep().shortened == 0
    assert bench.event("call", A).reason == "resting"
    bench.advance(60)
    assert bench.event("call").number == A


def test_rests_that_may_be_are_left_alone(bench: PoolUnderTest) -> None:
    bench.create_again(cooldown_seconds=60, restart_rest_seconds=120, daily_cap=2)
    bench.add(A, B)
    use(bench, A)
    use(bench, B)
    assert bench.event("call", B, force=True).ok
    assert bench.event("hangup", B).ok
    assert [bench.why_not(number) for number in (A, B)] == ["resting", "capped"]
    bench.advance(-50)  # by now A rests for 110 s, as it might after a restart
    before = bench.everything()
    assert bench.sweep().shortened == 0
    assert bench.everything()[pool.PoolKeys(SLUG).idle] == before[pool.PoolKeys(SLUG).idle]
    bench.advance(-20)
    assert bench.sweep().shortened == 1  # A alone
    bench.advance(60)
    assert bench.event("call").number == A


def test_a_capped_number_rests_to_the_end_of_its_day(bench: PoolUnderTest) -> None:
    bench.create_again(daily_cap=1)
    bench.add(A, B, C)
    use(bench, A)
    bench.advance(HOUR)
    use(bench, B)
    assert bench.event("unreg", C).ok
    assert bench.event("reg", C).ok
    bench.advance(-HOUR)
    assert bench.sweep().shortened == 1  # C alone
    assert [bench.why_not(number) for number in (A, B, C)] == ["capped", "capped", ""]


def test_a_day_that_began_too_early_ends_when_it_should(bench: PoolUnderTest) -> None:
    bench.create_again(daily_cap=1)
    bench.add(A)
    today = bench.figures().as_of_us
    bench.advance(48 * HOUR)
    assert bench.sweep().day == 1
    use(bench, A)
    assert bench.why_not(A) == "capped"
    bench.advance(-48 * HOUR)
    swept = bench.sweep()
    assert (swept.day, swept.shortened) == (1, 1)
    assert bench.sweep().day == 0
    use(bench, A)
    ready = bench.state(A)
    assert ready is not None
    ends = datetime.fromtimestamp(ready.since_us / 1e6, UTC)
    assert (ends - datetime.fromtimestamp(today / 1e6, UTC)).total_seconds() <= 24 * HOUR
    assert ends.time().isoformat() == "00:00:00"


def test_it_is_done_a_piece_at_a_time_and_told(bench: PoolUnderTest) -> None:
    numbers = [f"1380000{n:04}" for n in range(25)]
    bench.advance(HOUR)
    bench.add(*numbers)
    bench.advance(-HOUR)
    first = bench.run(pool.sweep(SLUG, 10))
    assert (first.shortened, first.more) == (10, True)
    assert bench.run(pool.sweep(SLUG, 10)).more
    last = bench.run(pool.sweep(SLUG, 10))
    assert (last.shortened, last.more) == (5, False)
    told = [change for change in bench.changes() if change.event == "rested"]
    assert {change.number for change in told} == set(numbers)
    assert {change.ready_us for change in told} == {bench.figures().as_of_us}
    assert {change.letter_after for change in told} == {"R"}


def test_nobody_has_to_sweep_for_it(bench: PoolUnderTest) -> None:
    bench.advance(HOUR)
    bench.add(A)
    use(bench, A)
    bench.add(B)
    bench.advance(-HOUR)
    assert bench.event("call", A).ok
    assert bench.event("call").number == B


# -- registrations


@AHEAD
def test_a_step_ends_no_registration(bench: PoolUnderTest, ahead: int) -> None:
    bench.create_again(lease_seconds=12, suspect_seconds=12)
    bench.add(A, B, up=False)
    for number in (A, B):
        assert bench.event("reg", number, contact="sip:a", expires=30).ok
    bench.step(ahead)
    assert bench.event("call", A, call_id="x").ok
    swept = bench.sweep()
    assert swept.expired == 0
    assert swept.next_us > swept.now_us
    assert bench.event("reg", B, contact="sip:b", expires=30).ok
    bench.advance(15)
    assert bench.event("call").number == B
    bench.step(-ahead)
    assert bench.sweep().expired == 0
    assert bench.event("hangup", A, call_id="x").ok
    assert bench.event("call", A).ok
    bench.advance(15)
    assert bench.sweep().expired == 1  # A; B's second contact was told by the clock that was ahead


def test_a_clock_that_stays_ahead_is_believed_after_ten_minutes(bench: PoolUnderTest) -> None:
    bench.add(A, up=False)
    assert bench.event("reg", A, contact="sip:a", expires=HOUR).ok
    bench.step(HOUR)
    assert bench.sweep().expired == 0
    bench.advance(599)
    assert bench.event("call", A, call_id="x").ok
    assert bench.event("hangup", A, call_id="x").ok
    bench.advance(1)
    assert bench.event("call", A).reason == "offline"


def test_a_registration_whose_end_comes_meanwhile_ends_late_by_the_lag(
    bench: PoolUnderTest,
) -> None:
    bench.add(A, up=False)
    assert bench.event("reg", A, contact="sip:a", expires=60).ok
    bench.step(40)
    assert bench.sweep().expired == 0
    bench.advance(59)
    assert bench.sweep().expired == 0
    bench.advance(1)
    assert bench.sweep().expired == 1


# -- leases, suspicions, waiting, a recovering pool


@AHEAD
@pytest.mark.parametrize("sweeps", [True, False])
def test_a_lease_of_a_clock_that_was_ahead_ends_a_lease_from_now(
    short: PoolUnderTest, ahead: int, *, sweeps: bool
) -> None:
    """A caller that was lent a number in between dies with its calls."""
    short.step(ahead)
    assert short.event("call").number == A
    assert short.event("call").number == B
    short.step(2 - ahead)
    assert short.event("call").reason == "exhausted"
    if sweeps:
        assert not short.sweep().more
    short.advance(LEASE - 1)
    assert short.event("call").reason == "exhausted"
    short.advance(1)
    assert short.event("call").number == A


def test_a_lease_of_a_longer_setting_is_not_cut(short: PoolUnderTest) -> None:
    assert short.event("call", A).ok
    for seconds in (60, 30):
        terms = pool.PoolSettings(lease_seconds=seconds, suspect_seconds=30)
        short.run(pool.configure(SLUG, terms, now=short.now))
    assert short.event("call", B).ok
    short.step(-100)
    assert not short.sweep().more
    assert short.sweep().lapsed == 0
    short.advance(100 + LEASE - 1)
    assert short.event("call", A).reason == "busy"
    short.advance(1)
    assert short.event("call", A).ok


def test_a_suspicion_of_a_clock_that_was_ahead_lasts_no_longer(short: PoolUnderTest) -> None:
    assert short.event("call", A, switch="sw", incarnation="boot-1").ok
    short.advance(HOUR)
    assert short.sweep().suspected == 1
    short.step(-400)  # its end lies ahead by less than a lease's length
    short.sweep()
    short.advance(SUSPECT - 1)
    assert short.sweep().lapsed == 0
    short.advance(1)
    assert short.sweep().lapsed == 1


@pytest.mark.parametrize(("heard", "how"), [(True, "lost hangup"), (False, "switch silent")])
def test_a_switch_heard_by_a_clock_that_was_ahead_has_to_be_heard_again(
    short: PoolUnderTest, *, heard: bool, how: str
) -> None:
    short.step(HOUR)
    assert short.event("call", A, switch="sw", incarnation="boot-1").ok
    short.step(-HOUR)
    short.sweep()
    short.advance(LEASE - 1)
    if heard:
        assert short.event("reg", B, switch="sw", incarnation="boot-1").ok
    short.advance(1)
    short.sweep()
    assert short.changes()[-1].reason == how


def test_an_offer_and_a_place_in_the_line_end_as_if_they_began_now(short: PoolUnderTest) -> None:
    for number in (A, B):
        assert short.event("call", number, call_id=number).ok
    short.step(HOUR)
    for call_id in ("x", "y", "z"):
        assert short.event("call", call_id=call_id, wait_ms=60_000).waiting
    assert short.event("hangup", A, call_id=A).ok  # it is offered to x, whose caller is dead
    short.step(-HOUR)
    short.sweep()
    short.advance(1)
    short.sweep()
    assert short.event("call", call_id="y", wait_ms=60_000).number == A
    short.advance(58)
    assert short.event("call", call_id="z", wait_ms=60_000).waiting
    short.advance(1)
    assert short.event("call", call_id="z", wait_ms=60_000).reason == "exhausted"


def test_a_recovering_pool_opens_a_lease_from_now(short: PoolUnderTest) -> None:
    terms, silent = short.settings, {"sw": "boot-1"}
    short.step(HOUR)
    recover = pool.recover(SLUG, 2, terms, open_after_seconds=LEASE, switches=silent, now=short.now)
    assert short.run(recover).ok
    short.run(pool.load(SLUG, [pool.StoredNumber(A, up=True)]))
    short.run(pool.loaded(SLUG))
    short.step(-HOUR)
    assert short.event("call").reason == "recovering"
    short.advance(LEASE - 1)
    assert short.event("call").reason == "recovering"
    short.advance(1)
    assert short.event("call").number == A


def test_however_many_leases_are_ahead_they_are_put_back_in_pieces(short: PoolUnderTest) -> None:
    numbers = [f"1390000{n:04}" for n in range(300)]
    short.add(*numbers)
    short.step(HOUR)
    for _ in range(10):
        short.run(pool.events(SLUG, [pool.Event.of("call")] * 30))
    short.step(-HOUR)
    pieces = 1
    while short.run(pool.sweep(SLUG, 50)).more:
        pieces += 1
    assert 3 <= pieces <= 20
    latest = short.figures().as_of_us // 1000 + LEASE * 1000
    leases = short.client.zrange(KEYS.timers, 0, -1, withscores=True)
    assert {int(score) % 2**42 for _, score in leases} == {latest}
