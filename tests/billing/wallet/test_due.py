"""Any command that meets expired holds ends them: money comes back without a sweep."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from billing import wallet
from poolsite.runtime.redis_server import RedisServer
from tests.billing.wallet.wallet_support import (
    HOURS_72,
    SLUG,
    WalletUnderTest,
    jump,
    lock,
    request,
    wallet_on,
)
from tests.support.clock import ScriptClock

UNSENT = 600
BIG = wallet.Quote({"video": 1_000}, 7)


@pytest.fixture
def bench(test_clock: ScriptClock, clean_redis: RedisServer) -> Iterator[WalletUnderTest]:
    with wallet_on(clean_redis.url, test_clock) as bench:
        yield bench.create(1_000)


# -- without sweeps ------------------------------------------------------------------------------


@pytest.mark.parametrize("every", [1, 10, 60])
def test_a_customer_who_asks_gets_what_unsent_holds_have_locked(
    bench: WalletUnderTest, every: int
) -> None:
    """No timers, no worker: only a customer who is refused, repeatedly."""
    lock(bench)
    waited = 0
    while bench.hold("next").answer != "held":
        jump(bench, every)
        waited += every
        assert waited <= UNSENT + every
    assert waited > UNSENT
    assert bench.balance().held == 500
    bench.prove()


SPENDERS: dict[str, tuple[Callable[[WalletUnderTest], Any], str, int]] = {
    "hold": (lambda bench: bench.hold("n", quote=BIG).answer, "held", 0),
    "hold sent": (lambda bench: bench.hold("n", quote=BIG, sent=True).answer, "held", 0),
    "session": (lambda bench: bench.session("n", 1_000).answer, "settled", 0),
    "debit": (lambda bench: bench.move("debit", 1_000).owed, 0, 0),
    "cash refund": (lambda bench: bench.move("cash_refund", 1_000).answer, "applied", 0),
}


@pytest.mark.parametrize("way", SPENDERS)
@pytest.mark.parametrize("kind", ["message", "call"])
def test_whoever_spends_finds_what_is_past_its_time(
    bench: WalletUnderTest, way: str, kind: str
) -> None:
    for name in ("a", "b"):
        bench.hold(name, kind=kind)
    bench.pass_time(UNSENT if kind == "message" else 60)
    do, answer, left = SPENDERS[way]
    assert bench.balance().bal == 0
    bench.pass_time(0.000001)
    assert do(bench) == answer
    assert bench.balance().bal == left
    assert {bench.state(name) for name in ("a", "b")} == {"cancelled"}
    bench.prove()


def test_an_unpaid_session_message_is_paid_from_what_comes_back(bench: WalletUnderTest) -> None:
    lock(bench)
    assert bench.session("s", 700).answer == "unpaid"
    bench.pass_time(UNSENT + 1)
    assert bench.run(wallet.pay_unpaid(SLUG)).message_ids == ("s",)
    assert bench.balance().bal == 300
    bench.prove()


def test_the_days_limit_counts_no_hold_that_is_past_its_time(bench: WalletUnderTest) -> None:
    bench.move("recharge", 10_000)
    limited = wallet.WalletSettings(daily_limit=1_000)
    bench.run(wallet.configure(SLUG, limited, now=bench.now))
    assert [bench.hold(name).answer for name in "abc"] == ["held", "held", "daily limit"]
    assert bench.session("s", 300).answer == "daily limit"
    bench.pass_time(UNSENT + 1)
    assert bench.session("s", 300).answer == "settled"
    assert bench.hold("d").answer == "held"
    bench.prove()


def test_a_refusal_ends_a_bounded_piece_and_the_next_one_goes_on(bench: WalletUnderTest) -> None:
    bench.move("recharge", 10**6)
    for first in range(0, 800, 32):
        bench.run(wallet.hold_many(SLUG, [request(f"m{n}") for n in range(first, first + 32)]))
    bench.pass_time(UNSENT + 1)
    much = wallet.Quote({"video": 1_001_000}, 7)
    answers = [bench.hold("much", quote=much).answer for _ in range(2)]
    assert answers == ["insufficient balance", "held"]
    bench.prove()


def test_holds_of_one_command_see_what_came_back(bench: WalletUnderTest) -> None:
    lock(bench)
    bench.pass_time(UNSENT + 1)
    wanted = [request("a"), request("c"), request("d"), request("e")]
    answers = bench.run(wallet.hold_many(SLUG, wanted))
    assert [charge.answer for charge in answers] == [
        *("repeat", "held", "held", "insufficient balance"),
    ]
    bench.prove()


def test_a_frozen_wallet_refuses_without_ending_anything(bench: WalletUnderTest) -> None:
    lock(bench)
    bench.run(wallet.status(SLUG, "frozen", "", "op"))
    bench.pass_time(UNSENT + 1)
    assert bench.hold("c").answer == "frozen"
    assert bench.balance().held == 1_000
    assert bench.sweep().cancelled == 2


def test_nothing_ends_in_safe_mode(bench: WalletUnderTest) -> None:
    lock(bench)
    bench.run(wallet.status(SLUG, "recovering", "", "op"))
    bench.pass_time(UNSENT + 1)
    swept = bench.sweep()
    assert (swept.count, swept.more) == (0, False)
    bench.run(wallet.status(SLUG, "open", "", "op2"))
    assert bench.sweep().cancelled == 2


# -- when a visit is due -------------------------------------------------------------------------


def wait_of(bench: WalletUnderTest) -> float:
    swept = bench.sweep()
    return (swept.next_us - swept.now_us - 1) / 1_000_000


def test_a_visit_is_asked_for_when_the_first_thing_is_due(bench: WalletUnderTest) -> None:
    assert wait_of(bench) == 60  # a call that begins now expires then
    bench.hold()
    bench.pass_time(590)
    assert wait_of(bench) == 10
    bench.sent()
    assert wait_of(bench) == 60
    bench.report("failed", "parked")
    bench.pass_time(HOURS_72 - 20)
    assert wait_of(bench) == 20
    bench.hold("parked")
    assert bench.session("s", 5_000).answer == "unpaid"
    bench.pass_time(HOURS_72 - 5)
    bench.sweep()
    assert wait_of(bench) == 5


def test_while_the_clock_is_in_doubt_the_visit_waits_with_the_holds(bench: WalletUnderTest) -> None:
    bench.hold()
    jump(bench, UNSENT + 30)
    bench.sweep()  # 90 s are believed: 510 of its time are left
    bench.pass_time(490)
    assert wait_of(bench) == 20
    bench.pass_time(20.000001)
    assert bench.sweep().cancelled == 1


def test_what_a_wallets_scripts_announce(bench: WalletUnderTest) -> None:
    hears = bench.client.pubsub(ignore_subscribe_messages=True)
    hears.subscribe("timers:new")

    def heard() -> bool:
        return any(hears.get_message(timeout=0.05) for _ in range(3))

    heard()
    bench.run(wallet.configure(SLUG, wallet.WalletSettings(daily_limit=5), now=bench.now))
    assert not heard()
    shorter = wallet.WalletSettings(unsent_call_seconds=5)
    bench.run(wallet.configure(SLUG, shorter, now=bench.now))
    assert heard()
    assert wait_of(bench) == 5
    bench.run(wallet.status(SLUG, "recovering", "", "a"))
    assert not heard()
    bench.run(wallet.status(SLUG, "open", "", "b"))
    assert heard()
    bench.empty()
    bench.create()
    assert heard()
    hears.close()
