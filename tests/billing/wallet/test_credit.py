"""A credit limit: the balance goes below zero to the last unit, and never further."""

from collections.abc import Iterator

import pytest

from billing import wallet
from billing.wallet import LoadRow, WalletRefusedError
from poolsite.runtime.redis_server import RedisServer
from tests.billing.wallet.wallet_support import KEYS, QUOTE, SLUG, WalletUnderTest, wallet_on
from tests.support.clock import ScriptClock

PRICE = QUOTE.quoted  # 500


@pytest.fixture
def bench(test_clock: ScriptClock, clean_redis: RedisServer) -> Iterator[WalletUnderTest]:
    with wallet_on(clean_redis.url, test_clock) as bench:
        yield bench


def test_credit_is_spent_to_the_last_unit(bench: WalletUnderTest) -> None:
    bench.create(200, credit_limit=2 * PRICE - 200)
    first, second = bench.hold("a"), bench.hold("b")
    assert (first.bal, first.credit, first.spendable) == (200 - PRICE, 800, PRICE)
    assert (second.answer, second.bal, second.spendable) == ("held", -800, 0)
    assert bench.hold("c").answer == "insufficient balance"
    assert bench.session("s", 1).answer == "unpaid"
    bench.report("yuexin_text", "a")
    now = bench.balance()
    assert (now.bal, now.held, now.spendable, now.credit) == (-700, PRICE, 100, 800)
    assert bench.session("t", 100).answer == "settled"
    assert bench.balance().bal == -800
    bench.prove()


def test_one_unit_of_credit_too_little_is_not_enough(bench: WalletUnderTest) -> None:
    bench.create(0, credit_limit=PRICE - 1)
    assert bench.hold().answer == "insufficient balance"
    bench.set_credit(PRICE)
    assert bench.hold().answer == "held"


def test_unpaid_messages_are_paid_by_credit(bench: WalletUnderTest) -> None:
    bench.create(0)
    bench.session("s", 40)
    bench.set_credit(40)
    assert bench.run(wallet.pay_unpaid(SLUG)).message_ids == ("s",)
    assert bench.balance().bal == -40


def test_a_debit_takes_credit_and_leaves_the_rest_owed(bench: WalletUnderTest) -> None:
    bench.create(100, credit_limit=300)
    assert bench.move("debit", 150, "d1") == wallet.Movement("applied", -150, 0, -50, 1, 0)
    assert bench.move("chargeback", 400, "d2") == wallet.Movement(
        "applied", -250, 150, -300, 2, 150
    )
    assert bench.move("by_hand", 7, "d3") == wallet.Movement("applied", 0, 7, -300, 3, 157)
    assert bench.move("recharge", 200, "r1") == wallet.Movement("applied", 43, -157, -257, 4, 0)
    bench.prove()


def test_credit_is_never_paid_out(bench: WalletUnderTest) -> None:
    bench.create(100, credit_limit=1_000)
    assert bench.move("cash_refund", 101, "c1").answer == "insufficient balance"
    assert bench.move("cash_refund", 100, "c2").answer == "applied"
    assert bench.move("cash_refund", 1, "c3").answer == "insufficient balance"
    assert bench.balance().bal == 0


def test_a_lower_limit_takes_nothing_away(bench: WalletUnderTest) -> None:
    bench.create(0, credit_limit=1_000)
    bench.hold("a")
    bench.hold("b")
    bench.set_credit(200)
    now = bench.balance()
    assert (now.bal, now.held, now.credit, now.spendable) == (-1_000, 1_000, 200, 0)
    free = wallet.Quote({"native_text": 0}, 7)
    assert bench.hold("c", quote=free).answer == "insufficient balance"
    assert bench.move("debit", 30, "d") == wallet.Movement(
        "applied", 0, 30, -1_000, now.seq + 1, 30
    )
    bench.report("failed", "a")  # what is returned is the customer's, but still not enough
    assert bench.balance().bal == -500
    assert bench.hold("c", quote=free).answer == "insufficient balance"
    bench.move("recharge", 330, "r")
    assert bench.balance().bal == -200
    assert bench.hold("c", quote=free).answer == "held"


def test_each_new_limit_is_an_entry_that_moves_nothing(bench: WalletUnderTest) -> None:
    bench.create(0)
    bench.set_credit(700)
    bench.set_credit(700)
    bench.set_credit(0)
    told = [(each.kind, each.id, each.mode, each.spendable) for each in bench.changes()]
    assert told == [("limit", "", "700", 0), ("limit", "", "0", 0)]
    assert not any(each.of_message for each in bench.changes())
    bench.persist()
    assert bench.balance().finals == 0


def test_settings_alone_leave_the_limit(bench: WalletUnderTest) -> None:
    bench.create(0, credit_limit=700)
    command = wallet.configure(SLUG, wallet.WalletSettings(), now=bench.now, keeps_credit=True)
    assert bench.run(command) == "configured"
    assert (bench.balance().credit, bench.balance().settings.credit_limit) == (700, 700)


def test_a_limit_with_which_figures_are_not_exact_is_refused(bench: WalletUnderTest) -> None:
    bench.create(1_000)
    with pytest.raises(WalletRefusedError, match="too large"):
        bench.run(wallet.configure(SLUG, wallet.WalletSettings(credit_limit=2**53 - 1_000)))
    assert bench.balance().credit == 0
    bench.set_credit(2**53 - 1_001)
    assert bench.move("recharge", 1, "r").answer == "too large"
    assert bench.hold(quote=wallet.Quote({"video": 2**53 - 1})).answer == "held"
    assert bench.balance().bal == 1_000 - (2**53 - 1)
    bench.prove()


def test_a_wallet_of_the_former_release_has_no_credit(bench: WalletUnderTest) -> None:
    bench.create(PRICE)
    bench.client.hdel(KEYS.tag, "credit")
    assert (bench.balance().credit, bench.hold("a").answer) == (0, "held")
    assert bench.hold("b").answer == "insufficient balance"
    bench.set_credit(PRICE)
    assert bench.hold("b").answer == "held"


def test_a_wallet_is_rebuilt_below_zero(bench: WalletUnderTest) -> None:
    settings = wallet.WalletSettings(credit_limit=1_000)
    command = wallet.create(
        SLUG, 2, settings, balance=-600, receivable=3, status="recovering", now=bench.now
    )
    assert bench.run(command) == "created"
    rows = [
        LoadRow(
            wallet.MessageState(
                *(name, "held", "message", 1_699_999_999_000_000, price),
                body_hash="body", tariff_id=7, prices={"native_card": price},
            ),
            known=False,
        )
        for name, price in (("a", 400), ("b", 1))
    ]  # fmt: skip
    loaded = bench.run(wallet.load(SLUG, rows))
    assert loaded.answers == ("loaded", "insufficient balance")
    assert (loaded.bal, loaded.held) == (-1_000, 400)
