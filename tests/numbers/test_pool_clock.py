"""Redis' clock was ahead and was put back: no number rests longer than the settings say."""

from datetime import UTC, datetime

from numbers import pool
from tests.numbers.pool_support import SLUG, PoolUnderTest

A, B, C = "13800000001", "13800000002", "13800000003"
HOUR = 3_600


def use(bench: PoolUnderTest, number: str) -> None:
    assert bench.event("call", number).ok
    assert bench.event("hangup", number).ok


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
