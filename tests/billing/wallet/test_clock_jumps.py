"""A clock that jumps ends no hold early, and locks no money for longer than one more period."""

from collections.abc import Iterator

import pytest

from billing import wallet
from poolsite.runtime.redis_server import RedisServer
from tests.billing.wallet.wallet_support import (
    HOURS_72,
    KEYS,
    SLUG,
    WalletUnderTest,
    jump,
    lock,
    wallet_on,
)
from tests.support.clock import ScriptClock

HOUR = 3_600.0
UNSENT = 600


@pytest.fixture
def bench(test_clock: ScriptClock, clean_redis: RedisServer) -> Iterator[WalletUnderTest]:
    with wallet_on(clean_redis.url, test_clock) as bench:
        yield bench.create(1_000)


@pytest.mark.parametrize("seconds", [UNSENT + 91.0, HOUR, 30 * 86_400.0])
@pytest.mark.parametrize("first", ["sent", "hold", "sweep", "cancel"])
def test_a_jump_ends_no_hold_whoever_comes_first(
    bench: WalletUnderTest, seconds: float, first: str
) -> None:
    lock(bench)
    jump(bench, seconds)
    if first == "sweep":
        assert bench.sweep().count == 0
    elif first == "hold":
        assert bench.hold("c").answer == "insufficient balance"
    elif first == "cancel":
        assert bench.cancel("b").answer == "cancelled"
    assert bench.sent("a").answer == "sent"
    assert bench.report("yuexin_text", "a").charged == 400
    bench.prove()


def test_a_report_counts_over_a_jump_of_days(bench: WalletUnderTest) -> None:
    bench.hold(sent=True)
    jump(bench, HOURS_72 + 86_400)
    assert bench.sweep().count == 0
    assert bench.report("yuexin_text").answer == "settled"


def test_of_a_gap_90_seconds_are_believed_and_half_a_period_at_most(bench: WalletUnderTest) -> None:
    bench.move("recharge", 1_000)
    bench.hold("call", kind="call")
    bench.hold("message")
    bench.hold("sent", sent=True)
    jump(bench, 30 * 86_400.0)
    assert bench.sweep().count == 0
    ends = {"call": 30, "message": UNSENT - 90, "sent": HOURS_72 - 90}
    passed = 0.0
    for name, seconds in ends.items():
        bench.pass_time(seconds - passed)
        passed = seconds + 0.000001
        assert bench.sweep().count == 0
        bench.pass_time(0.000001)
        assert bench.sweep().count == 1
        assert bench.state(name) in ("cancelled", "expired")
    bench.prove()


def test_what_is_held_after_a_jump_has_its_own_time(bench: WalletUnderTest) -> None:
    bench.hold("before")
    jump(bench, HOUR)
    bench.hold("after")
    bench.pass_time(UNSENT)
    assert bench.sweep().cancelled == 1  # the doubt is settled
    bench.pass_time(0.000001)
    assert bench.sweep().cancelled == 1
    assert bench.balance().held == 0


def test_a_clock_that_was_set_back_again_leaves_no_doubt(bench: WalletUnderTest) -> None:
    bench.hold()
    jump(bench, HOUR)
    assert bench.sweep().count == 0
    jump(bench, 5 - HOUR)
    assert bench.hold("c").answer == "held"
    bench.pass_time(UNSENT - 4)
    assert bench.sent().answer == "refused"  # its time was over a second ago


def test_gaps_again_and_again_add_up_to_one_period_at_most(bench: WalletUnderTest) -> None:
    lock(bench)
    waited = 0
    while bench.hold("next").answer != "held":
        jump(bench, 200)
        waited += 200
        assert waited <= 2 * UNSENT + 200


def test_a_wallet_that_the_timers_visit_never_doubts_its_clock(bench: WalletUnderTest) -> None:
    bench.hold(sent=True)
    for _ in range(20):
        jump(bench, wallet.VISIT_SECONDS + 10)  # visits may be late
        bench.sweep()
        assert not bench.client.hget(KEYS.tag, "doubt")


def test_a_wallet_without_open_holds_has_no_doubt_and_writes_nothing(
    bench: WalletUnderTest,
) -> None:
    jump(bench, HOUR)
    before = bench.client.hgetall(KEYS.tag)
    bench.sweep()
    assert bench.client.hgetall(KEYS.tag) == before
    bench.hold()
    assert not bench.client.hget(KEYS.tag, "doubt")


# -- a clock that was ahead, and is right again ----------------------------------------------------

STEPS = [40.0, 300.0, HOUR]


@pytest.mark.parametrize("seconds", STEPS)
@pytest.mark.parametrize("first", ["sweep", "hold"])
def test_what_was_held_by_a_clock_that_was_ahead_counts_from_now(
    bench: WalletUnderTest, seconds: float, first: str
) -> None:
    bench.move("recharge", 1_000)
    jump(bench, seconds)
    ends = {"call": 60.0, "message": 600.0, "sent": float(HOURS_72)}
    for name in ends:
        bench.hold(name, kind="call" if name == "call" else "message", sent=name == "sent")
    bench.pass_time(10)
    jump(bench, -seconds)
    if first == "hold":
        assert bench.hold("right").answer == "held"
        assert bench.cancel("right").answer == "cancelled"
    while bench.sweep(1).more:
        pass
    passed = 0.0
    for name, end in ends.items():
        bench.pass_time(end - passed)
        assert (bench.sweep().count, bench.state(name)) == (0, "sent" if name == "sent" else "held")
        bench.pass_time(0.000001)
        passed = end + 0.000001
        assert bench.sweep().count == 1
    assert bench.balance().held == 0
    bench.prove()


@pytest.mark.parametrize("seconds", STEPS)
def test_a_clock_that_is_behind_for_a_while_ends_no_hold(
    bench: WalletUnderTest, seconds: float
) -> None:
    bench.hold(sent=True)
    lock_seconds = UNSENT - 100.0
    bench.hold("unsent")
    for by in (-seconds, seconds):
        jump(bench, by)
        assert bench.sweep().count == 0
        bench.pass_time(10)
    bench.pass_time(lock_seconds - 20)
    assert bench.sweep().count == 0
    assert bench.sent("unsent").answer == "sent"


def test_what_was_put_off_by_a_clock_that_was_ahead_is_due_as_before(
    bench: WalletUnderTest,
) -> None:
    bench.hold()
    jump(bench, HOUR)
    assert bench.sweep().count == 0
    bench.pass_time(10)
    jump(bench, -HOUR)
    bench.sweep()
    bench.pass_time(UNSENT - 9)
    assert bench.sweep().cancelled == 1


def spend_the_limit(bench: WalletUnderTest, clock: ScriptClock, before: float) -> None:
    """Spend a wallet's daily limit, `before` seconds before midnight."""
    bench.empty()
    day = wallet.WalletSettings().midnights(bench.now)[0]
    clock.set(round((day - before) * 1_000_000))
    bench.create(100_000, daily_limit=1_000)
    assert [bench.session(name, 500).answer for name in "ab"] == ["settled", "settled"]


@pytest.mark.parametrize("seconds", [300.0, HOUR])
@pytest.mark.parametrize("asked", [1, 3])
def test_a_step_over_midnight_begins_no_day(
    bench: WalletUnderTest, test_clock: ScriptClock, seconds: float, asked: int
) -> None:
    spend_the_limit(bench, test_clock, 100)
    jump(bench, seconds)
    for n in range(asked):
        assert bench.session(f"ahead-{n}", 500).answer == "daily limit"
        bench.run(wallet.configure(SLUG, bench.settings, now=bench.now))
        test_clock.advance(7)
    jump(bench, -seconds)
    assert bench.session("back", 500).answer == "daily limit"
    test_clock.advance(50)
    bench.sweep()
    assert bench.session("still", 500).answer == "daily limit"
    test_clock.advance(51)
    assert [bench.session(name, 500).answer for name in "cde"] == [
        *("settled", "settled", "daily limit")
    ]
    test_clock.advance(600)
    assert bench.session("f", 500).answer == "daily limit"


def test_a_midnight_is_believed_at_last(bench: WalletUnderTest, test_clock: ScriptClock) -> None:
    """No request came all night, not even the timers': the old day continues for one period."""
    spend_the_limit(bench, test_clock, 100)
    jump(bench, HOUR)
    assert bench.session("c", 500).answer == "daily limit"
    bench.sweep()
    bench.run(wallet.configure(SLUG, bench.settings, now=bench.now))
    test_clock.advance(UNSENT)
    assert bench.session("c", 500).answer == "settled"


def test_a_wallet_with_a_limit_that_the_timers_visit_has_its_day_at_midnight(
    bench: WalletUnderTest, test_clock: ScriptClock
) -> None:
    spend_the_limit(bench, test_clock, 181)
    for _ in range(3):
        test_clock.advance(wallet.VISIT_SECONDS)
        bench.sweep()
    assert bench.session("c", 500).answer == "daily limit"
    test_clock.advance(1)
    assert bench.session("c", 500).answer == "settled"
