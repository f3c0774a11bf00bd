"""Calls by destination: held by the callee's rate, charged for what was used."""

from datetime import UTC, datetime
from types import SimpleNamespace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from billing import servers
from billing import wallet as commands
from billing.models import CallRate
from billing.pricing.calls import Rate
from billing.services.calls import CallRefusedError
from numbers import pool as pool_commands
from numbers import services
from poolsite import hotpath
from poolsite.moments import us_of
from tests.billing.calls.call_support import Line
from tests.billing.calls.rated_support import (
    CALL_PRICE,
    FIXED,
    INTERVAL,
    MOBILE,
    RATES,
    begin,
    hang_up,
    publish,
    rated_line,
)
from tests.billing.pricing import call_rate_model as model
from tests.support.clock import ScriptClock

BEAT = 2.5


@pytest.fixture
def line(transactional_db: None, test_clock: ScriptClock) -> Line:
    return rated_line()


def run_for(line: Line, clock: ScriptClock, seconds: float) -> None:
    """Let the call run, with sweeps."""
    left = seconds
    while left > 0:
        step = min(BEAT, left)
        clock.advance(step)
        line.sweep()
        left -= step


def close(line: Line, clock: ScriptClock) -> int:
    """Run everything that is due. Return what the call cost."""
    for _ in range(200):
        if not line.notes():
            break
        clock.advance(BEAT)
        line.sweep()
    assert (line.notes(), line.shop.balance().held) == ([], 0)
    line.shop.check()
    return line.spent()


def test_an_interval_is_held_by_the_rate_of_the_callee(line: Line) -> None:
    begin(line, MOBILE, "mobile")
    begin(line, "00493012345678", "fixed")
    assert sorted(state.quoted for state in line.holds().values()) == [600, 1_250]


def test_a_destination_without_a_rate_is_refused_by_name(line: Line) -> None:
    with pytest.raises(CallRefusedError) as refused:
        begin(line, "+12025550100")
    assert refused.value.kind == "no-rate"
    assert "+12025550100" in refused.value.detail
    assert (line.holds(), line.notes()) == ({}, [])


def test_the_price_of_a_call_counts_where_no_rate_does(
    transactional_db: None, test_clock: ScriptClock
) -> None:
    line = rated_line(prices=CALL_PRICE)
    begin(line, "+12025550100")
    assert line.states() == [("1", "settled")]
    hang_up(line)
    assert close(line, test_clock) == 600


def test_a_number_is_rated_in_its_canonical_form(
    transactional_db: None, test_clock: ScriptClock
) -> None:
    line = rated_line(home_country="DE")
    begin(line, "01701234567")
    assert [state.quoted for state in line.holds().values()] == [1_250]


def test_a_call_that_comes_in_has_no_destination(line: Line) -> None:
    with pytest.raises(CallRefusedError):
        begin(line, MOBILE, direction="in", number="+8613800000000")
    publish(line, [*RATES, Rate("", "Everywhere else", 300)])
    begin(line, MOBILE, direction="in", number="+8613800000000")
    assert [state.quoted for state in line.holds().values()] == [300]


@pytest.mark.parametrize(
    ("callee", "seconds", "cost"),
    [
        (MOBILE, 0.0, 1_250),
        (MOBILE, 59.9, 1_250),
        (MOBILE, 73.0, 1_250 + 260),
        (MOBILE, 73.1, 1_250 + 280),
        (MOBILE, 119.9, 1_250 + 1_200),
        (MOBILE, 200.0, 1_250 + 2 * 1_200 + 400),
        (FIXED, 61.0, 1_200),
        ("+8613912345678", 0.1, 100),
        ("+8613912345678", 61.2, 6_200),
    ],
)
def test_a_call_costs_the_seconds_it_used(
    line: Line, test_clock: ScriptClock, callee: str, seconds: float, cost: int
) -> None:
    begin(line, callee)
    run_for(line, test_clock, seconds)
    hang_up(line)
    assert close(line, test_clock) == cost


@settings(
    max_examples=20,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(rate=model.rates, whole=st.integers(0, 300), swept=st.booleans())
def test_a_call_costs_what_the_plain_model_says(
    line: Line, test_clock: ScriptClock, rate: Rate, whole: int, swept: bool
) -> None:
    """With and without sweeps: the same seconds are charged, and each interval is rounded once."""
    used = whole + 0.5
    line.shop.pay_in(300_000)
    rate = Rate("", "Everywhere", rate.price, rate.first, rate.increment, rate.fee)
    publish(line, [rate])
    before, call_id = line.spent(), f"h{test_clock.now_us}"
    begin(line, "+1", call_id)
    run_for(line, test_clock, used if swept else 0)
    test_clock.advance(0 if swept else used)
    hang_up(line, call_id)
    cost = close(line, test_clock) - before
    exact = model.amount(rate, model.seconds(rate, round(used * 1_000_000))) + rate.fee
    assert abs(cost - exact) <= 1 + used // INTERVAL


def test_nobody_looked_after_a_call_and_it_costs_the_same(
    line: Line, test_clock: ScriptClock
) -> None:
    begin(line)
    test_clock.advance(200)
    hang_up(line)
    test_clock.advance(30)
    assert close(line, test_clock) == 1_250 + 2 * 1_200 + 400


def test_unused_time_is_there_again_when_the_interval_would_have_ended(
    line: Line, test_clock: ScriptClock
) -> None:
    begin(line, "+8613912345678")
    assert line.shop.balance().held == 6_000
    test_clock.advance(10)
    hang_up(line, "a")
    line.sweep()
    assert line.shop.balance().held == 6_000
    test_clock.advance(INTERVAL - 10)
    line.sweep()
    line.sweep()
    assert (line.shop.balance().held, line.spent()) == (0, 1_000)


def test_an_interval_longer_than_the_memory_of_a_call_s_end_costs_what_was_used(
    transactional_db: None, test_clock: ScriptClock
) -> None:
    line = rated_line(charge_interval_seconds=3_600, lease_seconds=14_400)
    begin(line, "+8613912345678")
    run_for(line, test_clock, 130)
    hang_up(line)
    run_for(line, test_clock, 60)
    assert (line.shop.balance().held, line.spent()) == (0, 13_000)
    run_for(line, test_clock, 700)
    test_clock.advance(3_600)
    assert close(line, test_clock) == 13_000


def test_a_new_version_does_not_touch_a_call_that_has_begun(
    line: Line, test_clock: ScriptClock
) -> None:
    begin(line)
    publish(line, [Rate("+4917", "Germany mobile", 60_000)])
    run_for(line, test_clock, 90)
    begin(line, MOBILE, "later")
    hang_up(line)
    hang_up(line, "later")
    assert close(line, test_clock) == 1_250 + 600 + 60_000


@pytest.fixture
def evening(
    transactional_db: None, test_clock: ScriptClock, monkeypatch: pytest.MonkeyPatch
) -> ScriptClock:
    """A Monday, half a minute before seven in the evening, in the account's zone."""
    at = datetime(2030, 3, 4, 10, 59, 30, tzinfo=UTC)
    test_clock.set(us_of(at))
    monkeypatch.setattr("billing.services.calls.timezone", SimpleNamespace(now=lambda: at))
    return test_clock


BY_DAY = Rate("+49", "By day", 1_200, 60, 1, from_minute=480, until_minute=1_140)


def test_a_call_across_a_boundary_is_rated_by_each_interval_s_start(evening: ScriptClock) -> None:
    line = rated_line([BY_DAY, Rate("+49", "Else", 600)])
    begin(line)
    run_for(line, evening, 150)
    hang_up(line)
    assert close(line, evening) == 1_200 + 600 + 600


def test_an_interval_without_a_rate_at_its_time_ends_the_call(evening: ScriptClock) -> None:
    line = rated_line([BY_DAY])
    begin(line)
    evening.advance(56)
    assert line.sweep()["ended"] == 1
    evening.advance(2)
    hang_up(line)
    assert close(line, evening) == 1_200


def test_a_pool_that_is_free_from_now_on_still_settles_what_had_begun(
    line: Line, test_clock: ScriptClock
) -> None:
    begin(line, "+8613912345678")
    services.pool_configure(actor="test", pool=line.pool, charged=False)
    test_clock.advance(20)
    hang_up(line)
    assert close(line, test_clock) == 2_000


def test_money_for_the_next_interval_is_short_and_the_last_is_settled(
    line: Line, test_clock: ScriptClock
) -> None:
    begin(line, "+8613912345678")
    rest = line.shop.balance().bal
    path = servers.path(line.shop.wallet)
    path.run(commands.move(line.shop.slug, "out", "debit", rest - 5_999))
    test_clock.advance(56)
    assert line.sweep()["ended"] == 1
    test_clock.advance(2)
    hang_up(line)
    assert close(line, test_clock) - (rest - 5_999) == 5_800


def test_the_hold_keeps_the_rate_and_its_version(line: Line) -> None:
    begin(line)
    (state,) = line.holds().values()
    rate = CallRate.objects.get(prefix="+4917")
    assert (state.body_hash, state.tariff_id) == (f"k{rate.pk}-0-60", rate.tariff_id)


def test_notes_of_the_release_before_go_on_by_the_price_of_a_call(
    transactional_db: None, test_clock: ScriptClock
) -> None:
    """The call's holds have no rate, and its notes name no hold."""
    line = rated_line(prices=CALL_PRICE)
    begin(line, "+12025550100")
    key = pool_commands.PoolKeys(line.slug).charges
    ((note, due),) = hotpath.client().zrange(key, 0, -1, withscores=True)
    hotpath.client().zrem(key, note)
    hotpath.client().zadd(key, {"c 2 a": due})
    run_for(line, test_clock, 70)
    assert line.states() == [("1", "settled"), ("2", "settled")]
    hang_up(line)
    assert close(line, test_clock) == 1_200
