"""A wallet's lifetime: made once, rebuilt from the books in safe mode, removed."""

from collections.abc import Iterator

import pytest

from billing import wallet
from billing.wallet import LoadRow, Receipt, WalletRefusedError
from poolsite.runtime.redis_server import RedisServer
from tests.billing.wallet.wallet_support import (
    HOURS_72,
    KEYS,
    SLUG,
    WalletUnderTest,
    request,
    wallet_on,
)
from tests.support.clock import ScriptClock


@pytest.fixture
def bench(test_clock: ScriptClock, clean_redis: RedisServer) -> Iterator[WalletUnderTest]:
    with wallet_on(clean_redis.url, test_clock) as bench:
        yield bench


def create(bench: WalletUnderTest, generation: int, **more: object) -> str:
    command = wallet.create(SLUG, generation, bench.settings, now=bench.now, **more)
    answer: str = bench.run(command)
    return answer


def test_a_wallet_is_made_once(bench: WalletUnderTest) -> None:
    assert create(bench, 3, balance=500) == "created"
    bench.hold()
    assert create(bench, 3, balance=500) == "exists"
    assert bench.balance().bal == 0
    with pytest.raises(WalletRefusedError, match="other generation 3"):
        create(bench, 2)
    assert create(bench, 4, balance=70, receivable=9) == "created"
    now = bench.balance()
    assert (now.bal, now.pend, now.held, now.seq, now.receivable) == (70, 0, 0, 0, 9)
    assert bench.state() == "none"


def test_everything_of_a_wallet_goes(bench: WalletUnderTest) -> None:
    bench.create(10_000)
    bench.hold()
    bench.report("failed", "p")
    bench.session("s", 50_000)
    bench.move("recharge", 1)
    bench.persist()
    with pytest.raises(WalletRefusedError, match="other generation 1"):
        bench.run(wallet.destroy(SLUG, 2))
    assert bench.run(wallet.destroy(SLUG, 1, seq=0)) == "moved on"
    assert bench.run(wallet.destroy(SLUG, 1)) == "destroyed"
    assert bench.run(wallet.destroy(SLUG, 1)) == "repeat"
    assert bench.client.exists(*KEYS.all) == 0
    assert bench.hold().answer == "no such wallet"
    assert bench.run(wallet.balance(SLUG)) is None
    assert bench.run(wallet.message(SLUG, "m1")) is None
    assert bench.run(wallet.messages(SLUG, ["m1"])) == {}
    assert bench.run(wallet.sweep(SLUG)) is None
    assert bench.run(wallet.open_holds(SLUG)) is None
    assert bench.move("recharge", 1).answer == "no such wallet"
    many = bench.run(wallet.hold_many(SLUG, [request("a"), request("b")]))
    assert [charge.answer for charge in many] == ["no such wallet"] * 2


def test_what_was_lost_is_rebuilt_from_the_books(
    bench: WalletUnderTest, test_clock: ScriptClock
) -> None:
    """Every kind of message is lost and restored; the wallet continues as before."""
    bench.create(50_000)
    for name in ("held", "call", "sent", "settled", "failed", "cancelled", "odd"):
        bench.hold(name, kind="call" if name == "call" else "message", chatbot="shop")
    for name in ("sent", "settled", "failed", "odd"):
        bench.sent(name)
    bench.report("yuexin_text", "settled")
    bench.report("failed", "failed")
    bench.report("video", "odd")
    bench.report("native_card", "parked")
    bench.report("failed", "parked-failed")
    bench.cancel("cancelled")
    bench.report("native_card", "cancelled")
    bench.move("recharge", 700, "r1")
    bench.session("s-paid", 40)
    bench.session("s-unpaid", 90_000)
    bench.persist()
    before = bench.balance()
    names = bench.client.hkeys(KEYS.messages)
    assert len(names) == 11
    states = bench.run(wallet.messages(SLUG, names))

    bench.empty()
    assert create(bench, 2, balance=before.bal, status="recovering") == "created"
    ordered = sorted(states.values(), key=lambda state: state.since_us)
    loaded = bench.run(wallet.load(SLUG, [LoadRow(state) for state in ordered]))
    assert set(loaded.answers) == {"loaded"}
    again = bench.run(wallet.load(SLUG, [LoadRow(state) for state in ordered]))
    assert set(again.answers) == {"repeat"}
    assert bench.run(wallet.load_receipts(SLUG, [Receipt("r1", "recharge", 700, 700, 0)])) == 1
    assert bench.run(wallet.messages(SLUG, names)) == states
    assert bench.hold("new").answer == "safe mode"
    bench.run(wallet.status(SLUG, "open", "rebuilt", "rebuild:2", generation=2))

    now = bench.balance()
    assert (now.bal, now.held, now.open, now.parked, now.unpaid) == (
        before.bal,
        before.held,
        before.open,
        before.parked,
        before.unpaid,
    )
    assert bench.move("recharge", 700, "r1").answer == "repeat"
    assert bench.move("recharge", 701, "r1").answer == "conflict"
    assert bench.report("yuexin_text", "settled").flag == "repeat"
    assert bench.report("failed", "settled").flag == "contradiction"
    assert bench.report("native_card", "cancelled").flag == "contradiction"
    assert bench.hold("parked").answer == "settled"
    assert bench.report("video", "sent").charged == 450
    bench.pass_time(61)
    assert bench.sweep().cancelled == 1  # the call
    bench.pass_time(HOURS_72)
    swept = bench.sweep()
    assert (swept.cancelled, swept.orphans, swept.unpaid) == (1, 1, 1)
    bench.opening = before.bal
    assert bench.balance().held == 0
    holds = bench.run(wallet.open_holds(SLUG))
    assert (holds.total, holds.wrong, holds.count) == (0, 0, 0)
    bench.persist()
    test_clock.advance(8 * 86_400)
    bench.run(wallet.purge(SLUG))
    assert bench.client.hlen(KEYS.messages) == 0


def test_holds_that_the_books_do_not_know_are_charged_as_far_as_the_money_goes(
    bench: WalletUnderTest,
) -> None:
    create(bench, 2, balance=1_200, status="recovering")
    rows = [
        LoadRow(
            wallet.MessageState(
                message_id=name,
                state="sent",
                kind="message",
                since_us=1_700_000_000_000_000,
                quoted=500,
                body_hash="body",
                prices={"native_card": 500, "video": 100},
            ),
            known=False,
        )
        for name in ("a", "b", "c")
    ]
    loaded = bench.run(wallet.load(SLUG, rows))
    assert loaded.answers == ("loaded", "loaded", "insufficient balance")
    assert (loaded.bal, loaded.held, loaded.seq) == (200, 1_000, 2)
    assert [(change.kind, change.id, change.spendable) for change in bench.changes()] == [
        ("hold", "a", -500),
        ("hold", "b", -500),
    ]
    bench.opening = 1_200
    bench.prove()
    bench.run(wallet.status(SLUG, "open", "", "op"))
    assert bench.report("video", "a").charged == 100
    assert bench.state("c") == "none"


def test_only_a_wallet_in_safe_mode_is_loaded(bench: WalletUnderTest) -> None:
    bench.create(500)
    bench.hold()
    state = bench.message()
    assert state
    with pytest.raises(WalletRefusedError, match="not in safe mode"):
        bench.run(wallet.load(SLUG, [LoadRow(state)]))
    with pytest.raises(WalletRefusedError, match="not in safe mode"):
        bench.run(wallet.load_receipts(SLUG, [Receipt("r", "recharge", 1, 1, 0)]))


def test_a_wallet_opens_only_in_the_life_that_was_meant(bench: WalletUnderTest) -> None:
    create(bench, 2, status="recovering")
    with pytest.raises(WalletRefusedError, match="other generation 2"):
        bench.run(wallet.status(SLUG, "open", "", "op", generation=1))
    assert bench.balance().status == "recovering"


def test_open_holds_are_summed_in_parts(bench: WalletUnderTest) -> None:
    bench.create(10_000)
    for place in range(7):
        bench.hold(f"m{place}")
    parts = [bench.run(wallet.open_holds(SLUG, first, 3)) for first in (0, 3, 6)]
    assert [part.total for part in parts] == [1_500, 1_500, 500]
    assert {(part.count, part.held, part.wrong) for part in parts} == {(7, 3_500, 0)}
    bench.client.hdel(KEYS.messages, "m3")
    assert bench.run(wallet.open_holds(SLUG)).wrong == 1
