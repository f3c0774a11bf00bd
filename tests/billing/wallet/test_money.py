"""Money in and out, session messages, when an account may hold: by hand, to the unit."""

from collections.abc import Iterator

import pytest

from billing import wallet
from billing.wallet import reasons
from poolsite.runtime.redis_server import RedisServer
from tests.billing.wallet.wallet_support import QUOTE, SLUG, WalletUnderTest, request, wallet_on
from tests.support.clock import ScriptClock


@pytest.fixture
def bench(test_clock: ScriptClock, clean_redis: RedisServer) -> Iterator[WalletUnderTest]:
    with wallet_on(clean_redis.url, test_clock) as bench:
        yield bench


# -- holds ---------------------------------------------------------------------------------------


def test_a_hold_of_all_that_is_there_is_enough(bench: WalletUnderTest) -> None:
    bench.create(QUOTE.quoted)
    assert bench.hold().answer == "held"
    assert (bench.balance().bal, bench.balance().held) == (0, 500)
    assert bench.hold("m2").answer == "insufficient balance"


def test_one_unit_less_is_not_enough(bench: WalletUnderTest) -> None:
    bench.create(QUOTE.quoted - 1)
    charge = bench.hold()
    assert (charge.answer, charge.flag, charge.state) == ("insufficient balance", "refused", "")
    assert charge.refused
    assert not charge.made
    assert bench.balance().seq == 0


def test_a_repeated_hold_keeps_the_first_quote(bench: WalletUnderTest) -> None:
    bench.create(2_000)
    bench.hold()
    dearer = wallet.Quote({"native_card": 900}, 8)
    charge = bench.hold(quote=dearer)
    assert (charge.answer, charge.quoted, charge.charged) == ("repeat", 500, 500)
    assert bench.hold(body_hash="other", quote=dearer).answer == "conflict"
    assert bench.balance().bal == 1_500
    message = bench.message()
    assert message
    assert (message.prices, message.others) == (QUOTE.prices, QUOTE.others)
    assert message.tariff_id == 7


@pytest.mark.parametrize(
    ("mode", "price", "difference"),
    [("video", 450, 0), ("huge", 500, 400), ("unheard_of", 500, 0)],
)
def test_an_unexpected_mode_costs_its_price_at_most_the_quote(
    bench: WalletUnderTest, mode: str, price: int, difference: int
) -> None:
    bench.create(1_000)
    bench.hold(sent=True)
    charge = bench.report(mode)
    assert (charge.answer, charge.charged, charge.flag) == ("settled", price, "unexpected mode")
    assert charge.listed
    entry = bench.changes()[-1]
    assert (entry.flag, entry.reported, entry.difference) == ("unexpected mode", mode, difference)
    assert bench.balance().bal == 1_000 - price


@pytest.mark.parametrize(("units", "kept"), [(0, 0), (120, 120), (500, 500), (501, 500)])
def test_an_interval_of_a_call_costs_what_its_report_says_at_most_its_hold(
    bench: WalletUnderTest, units: int, kept: int
) -> None:
    bench.create(1_000)
    asked = wallet.HoldRequest("m1", "b7-0-60", wallet.Quote({"call": 500}, 1), "call", sent=True)
    bench.run(wallet.hold(SLUG, asked))
    report = wallet.DeliveryReport("m1", True, True, "call", units, 13)
    charge = bench.run(wallet.report(SLUG, report))
    assert (charge.answer, charge.charged, charge.flag) == ("settled", kept, "")
    entry = bench.changes()[-1]
    assert (entry.mode, entry.price, entry.reported, entry.flag) == ("call", kept, "13", "")
    assert bench.balance().bal == 1_000 - kept
    bench.prove()
    # repeating it, and another amount, change nothing: the interval has ended
    for again in (report, wallet.DeliveryReport("m1", True, True, "call", 9, 1)):
        assert bench.run(wallet.report(SLUG, again)).answer == "repeat"
    assert bench.balance().bal == 1_000 - kept


def test_a_parked_report_of_an_interval_settles_its_hold(bench: WalletUnderTest) -> None:
    bench.create(1_000)
    bench.run(wallet.report(SLUG, wallet.DeliveryReport("m1", True, True, "call", 120, 13)))
    asked = wallet.HoldRequest("m1", "b7-0-60", wallet.Quote({"call": 500}, 1), "call", sent=True)
    assert bench.run(wallet.hold(SLUG, asked)).answer == "settled"
    bench.prove()


def test_a_free_message_is_held_and_settled_like_any(bench: WalletUnderTest) -> None:
    bench.create(0)
    free = wallet.Quote({"native_text": 0}, 1)
    assert bench.hold(quote=free, sent=True).answer == "held"
    assert bench.report("native_text").answer == "settled"
    bench.prove()


# -- status --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("status", "answer"),
    [("frozen", "frozen"), ("closed", "closed"), ("recovering", "safe mode")],
)
def test_a_wallet_that_is_not_open_takes_no_new_holds_and_ends_the_old_ones(
    bench: WalletUnderTest, status: str, answer: str
) -> None:
    bench.create(5_000)
    for name in ("sent", "held", "cancelled"):
        bench.hold(name)
    bench.sent("sent")
    assert bench.run(wallet.status(SLUG, status, "a reason", "op")) == "changed"
    assert bench.run(wallet.status(SLUG, status, "a reason", "op")) == "repeat"
    assert bench.balance().status == status
    assert bench.balance().reason == "a reason"
    assert bench.hold("new").answer == answer
    assert bench.session("s1", 10).answer == answer
    assert bench.state("s1") == "none"
    assert bench.hold("held").answer == "repeat"
    assert bench.sent("held").answer == "sent"
    assert bench.report("failed", "sent").answer == "failed"
    assert bench.cancel("cancelled").answer == "cancelled"
    assert bench.move("recharge", 100).applied
    assert bench.move("cash_refund", 100, "op2").applied
    # In safe mode the message may only not be loaded yet: the report must be sent again.
    unknown = "parked full" if status == "recovering" else "parked"
    assert bench.report("failed", "not-there").answer == unknown
    assert bench.balance().bal == 4_500
    bench.run(wallet.status(SLUG, "open", "", "op3"))
    assert bench.hold("new").answer == "held"
    bench.prove()


def test_a_full_backlog_refuses_holds_and_lets_refunds_through(bench: WalletUnderTest) -> None:
    bench.create(50_000, log_limit=5)
    for place in range(5):
        assert bench.hold(f"m{place}").answer == "held"
    assert bench.hold("m5").answer == "backlog full"
    assert bench.session("s", 1).answer == "backlog full"
    assert bench.sent("m0").answer == "sent"
    assert bench.report("failed", "m0").answer == "failed"
    assert bench.cancel("m1").answer == "cancelled"
    assert bench.move("recharge", 5).applied
    assert bench.hold("m0").answer == "repeat"
    many = bench.run(wallet.hold_many(SLUG, [request("m2"), request("m9")]))
    assert [charge.answer for charge in many] == ["repeat", "backlog full"]
    bench.prove()
    bench.persist()
    assert bench.hold("m5").answer == "held"


def test_at_most_so_many_reports_are_parked(bench: WalletUnderTest) -> None:
    bench.create(1_000, parked_limit=3)
    answers = [bench.report("failed", f"p{place}").answer for place in range(4)]
    assert answers == ["parked", "parked", "parked", "parked full"]
    assert bench.state("p3") == "none"
    assert bench.report("failed", "p1").answer == "repeat"
    bench.hold("p0")
    assert bench.report("failed", "p3").answer == "parked"


# -- in and out ----------------------------------------------------------------------------------


def test_what_comes_in_pays_the_receivable_first(bench: WalletUnderTest) -> None:
    bench.create(300)
    debit = bench.move("chargeback", 1_000, "d1")
    assert (debit.spendable, debit.owed, debit.bal, debit.receivable) == (-300, 700, 0, 700)
    first = bench.move("recharge", 500, "r1")
    assert (first.spendable, first.owed, first.bal, first.receivable) == (0, -500, 0, 200)
    second = bench.move("credit", 500, "r2")
    assert (second.spendable, second.owed, second.bal, second.receivable) == (300, -200, 300, 0)
    bench.prove()


@pytest.mark.parametrize("kind", ["debit", "chargeback", "by_hand"])
def test_what_is_held_is_not_there_to_be_taken(bench: WalletUnderTest, kind: str) -> None:
    bench.create(800)
    bench.hold(sent=True)
    taken = bench.move(kind, 400)
    assert (taken.spendable, taken.owed) == (-300, 100)
    bench.report("failed")
    assert (bench.balance().bal, bench.balance().receivable) == (500, 100)
    bench.prove()


def test_a_cash_refund_is_all_or_nothing_and_stays_refused(bench: WalletUnderTest) -> None:
    bench.create(300)
    assert bench.move("cash_refund", 301, "c1").answer == "insufficient balance"
    bench.move("recharge", 100, "r1")
    assert bench.move("cash_refund", 301, "c1").answer == "insufficient balance"
    assert bench.move("cash_refund", 400, "c2").spendable == -400
    assert bench.balance().bal == 0


def test_an_operation_is_done_once_and_answers_the_same_again(bench: WalletUnderTest) -> None:
    bench.create(0)
    first = bench.move("recharge", 500, "r1")
    bench.hold()
    again = bench.move("recharge", 500, "r1")
    assert (first.answer, again.answer) == ("applied", "repeat")
    assert (again.spendable, again.owed) == (first.spendable, first.owed)
    assert again.applied
    for other in (bench.move("recharge", 501, "r1"), bench.move("credit", 500, "r1")):
        assert other.answer == "conflict"
        assert not other.applied
    assert bench.balance().bal + bench.balance().held == 500


def test_balances_stay_below_two_to_the_53(bench: WalletUnderTest) -> None:
    bench.create(0)
    most = 2**53 - 1
    assert bench.move("recharge", most, "r1").bal == most
    assert bench.move("recharge", 1, "r2").answer == "too large"
    assert bench.hold(quote=wallet.Quote({"video": most}, 1), sent=True).charged == most
    assert bench.move("recharge", 1, "r3").answer == "too large"  # held may be returned
    assert bench.report("failed").answer == "failed"
    now = bench.balance()
    assert (now.bal, now.pend, now.held) == (most, most, 0)
    bench.move("debit", most - 1, "d1")
    assert bench.balance().bal == 1
    bench.prove()


@pytest.mark.parametrize("amount", [0, -1, 2**53, 1.5, "7", None, True, 10**30])
def test_an_amount_that_is_none_never_leaves_python(amount: object) -> None:
    with pytest.raises(ValueError, match="amount"):
        wallet.move(SLUG, "op", "recharge", amount)


# -- session messages ----------------------------------------------------------------------------


def test_a_session_message_is_held_and_settled_in_one(bench: WalletUnderTest) -> None:
    bench.create(1_000)
    charge = bench.session("up-1", 300)
    assert (charge.answer, charge.state, charge.charged, charge.bal) == (
        "settled",
        "settled",
        300,
        700,
    )
    assert bench.session("up-1", 300).answer == "repeat"
    assert bench.session("up-1", 300, body_hash="other").answer == "conflict"
    (entry,) = bench.changes()
    assert (entry.spendable, entry.held, entry.price, entry.mode) == (
        -300,
        0,
        300,
        "native_session",
    )
    assert bench.report("native_session", "up-1").flag == "repeat"
    assert bench.report("failed", "up-1").flag == "contradiction"


def test_unpaid_session_messages_are_paid_oldest_first_as_far_as_it_goes(
    bench: WalletUnderTest,
) -> None:
    bench.create(100)
    for name, price in (("a", 300), ("b", 500), ("c", 200)):
        assert bench.session(name, price).flag == "unpaid"
        bench.clock.advance(1)
    assert bench.session("a", 300).answer == "repeat"
    assert bench.run(wallet.pay_unpaid(SLUG)).message_ids == ()
    bench.move("recharge", 500)
    first = bench.run(wallet.pay_unpaid(SLUG, operation_id="after-op1"))
    assert first.message_ids == ("a", "c")
    again = bench.run(wallet.pay_unpaid(SLUG, operation_id="after-op1"))
    assert again.message_ids == ("a", "c")  # the first reply was lost: these are to be delivered
    assert bench.run(wallet.pay_unpaid(SLUG)).message_ids == ()
    assert [bench.state(name) for name in "abc"] == ["settled", "unpaid", "settled"]
    assert bench.cancel("b").answer == "cancelled"
    bench.prove()


def test_an_unpaid_session_message_is_paid_when_it_is_requested_again(
    bench: WalletUnderTest,
) -> None:
    bench.create(100)
    assert bench.session("a", 300).answer == "unpaid"
    assert bench.session("a", 300).answer == "repeat"
    bench.move("recharge", 500)
    assert bench.session("a", 300, body_hash="other").answer == "conflict"
    charge = bench.session("a", 450)  # the first quote stands
    assert (charge.answer, charge.state, charge.charged, charge.bal) == (
        *("settled", "settled"),
        *(300, 300),
    )
    assert bench.session("a", 300).answer == "repeat"
    assert bench.run(wallet.pay_unpaid(SLUG)).message_ids == ()
    bench.prove()


def test_all_answers_are_words_of_reasons(bench: WalletUnderTest) -> None:
    bench.create(2_000)
    charges = [bench.hold(), bench.hold(), bench.sent(), bench.report("interim"),
               bench.report("failed"), bench.cancel(), bench.report("video", "x")]  # fmt: skip
    assert {charge.answer for charge in charges} <= reasons.ALL
    assert {charge.flag for charge in charges} - {""} <= reasons.ALL
