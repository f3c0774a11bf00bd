"""Promotional credit in a wallet: used first, returned last, gone when it has expired."""

from collections.abc import Iterator

import pytest

from billing import wallet
from billing.wallet import Grant, LoadRow, Movement
from poolsite.runtime.redis_server import RedisServer
from tests.billing.wallet.wallet_support import KEYS, QUOTE, SLUG, WalletUnderTest, wallet_on
from tests.support.clock import ScriptClock

HOUR, DAY = 3_600, 86_400


@pytest.fixture
def bench(test_clock: ScriptClock, clean_redis: RedisServer) -> Iterator[WalletUnderTest]:
    with wallet_on(clean_redis.url, test_clock) as bench:
        yield bench


def grant(bench: WalletUnderTest, promotion: int, amount: int, seconds: float = DAY) -> Movement:
    assert bench.clock is not None
    ends = bench.clock.now_us + int(seconds * 1_000_000)
    command = wallet.grant(SLUG, f"grant:{promotion}", promotion, amount, ends)
    answer: Movement = bench.run(command)
    return answer


def revoke(bench: WalletUnderTest, promotion: int, amount: int) -> Movement:
    answer: Movement = bench.run(wallet.revoke(SLUG, f"revoke:{promotion}", promotion, amount))
    return answer


def left(bench: WalletUnderTest) -> dict[int, int]:
    return {each.promotion_id: each.left for each in bench.balance().grants}


def took(bench: WalletUnderTest, message_id: str) -> str:
    found = bench.message(message_id)
    assert found
    return found.grants


def moved(bench: WalletUnderTest, since: int) -> list[tuple[str, int, str]]:
    return [(each.kind, each.spendable, each.grants) for each in bench.changes(since)]


def test_a_grant_is_in_the_balance_once(bench: WalletUnderTest) -> None:
    bench.create(100)
    assert grant(bench, 7, 300).answer == "applied"
    assert grant(bench, 7, 300).answer == "repeat"
    assert bench.run(wallet.grant(SLUG, "grant:7", 7, 301, 1)).answer == "conflict"
    now = bench.balance()
    assert (now.bal, now.promotional, now.spendable) == (400, 300, 400)
    assert moved(bench, 0) == [("grant", 300, "g7=300")]
    bench.prove()


def test_the_first_to_expire_is_used_first(bench: WalletUnderTest) -> None:
    bench.create(1_000)
    grant(bench, 7, 300, 2 * DAY)
    grant(bench, 9, 100, DAY)
    grant(bench, 10, 50, 2 * DAY)
    assert [each.promotion_id for each in bench.balance().grants] == [9, 7, 10]
    since = bench.balance().seq
    assert bench.hold("a").answer == "held"  # 500
    assert left(bench) == {9: 0, 7: 0, 10: 0}
    assert took(bench, "a") == "g9=100,g7=300,g10=50"
    assert moved(bench, since) == [("hold", -500, "g9=-100,g7=-300,g10=-50")]
    assert bench.session("s", 30).charged == 30
    assert bench.balance().bal == 1_000 - 50 - 30


@pytest.mark.parametrize(("mode", "charged"), [("yuexin_text", 400), ("video", 450)])
def test_a_charge_is_paid_by_promotions_and_own_money_returns_first(
    bench: WalletUnderTest, mode: str, charged: int
) -> None:
    """500 held: 100 of one promotion, 300 of another, 100 of own money."""
    bench.create(1_000)
    grant(bench, 9, 100)
    grant(bench, 7, 300, 2 * DAY)
    bench.hold("a")
    assert bench.report(mode, "a").charged == charged
    assert (took(bench, "a"), left(bench)) == ("g9=100,g7=300", {9: 0, 7: 0})
    assert bench.balance().bal == 1_400 - charged


def test_what_is_left_of_a_charge_returns_to_the_one_used_last(bench: WalletUnderTest) -> None:
    bench.create(0)
    grant(bench, 9, 450)
    grant(bench, 7, 50, 2 * DAY)
    bench.hold("a")
    since = bench.balance().seq
    bench.report("yuexin_text", "a")  # 400 of 500
    assert left(bench) == {9: 50, 7: 50}
    assert took(bench, "a") == "g9=400"
    assert moved(bench, since) == [("settle", 100, "g7=50,g9=50")]
    bench.prove()


@pytest.mark.parametrize("end", ["failed", "cancel", "time"])
def test_a_hold_that_ends_without_a_charge_gives_all_back(bench: WalletUnderTest, end: str) -> None:
    bench.create(400)
    grant(bench, 9, 100)
    bench.hold("a")
    assert (bench.balance().bal, left(bench)) == (0, {9: 0})
    if end == "failed":
        bench.report("failed", "a")
    elif end == "cancel":
        bench.cancel("a")
    else:
        bench.pass_time(601)
        bench.sweep()
    assert (bench.balance().bal, left(bench), took(bench, "a")) == (500, {9: 100}, "")
    bench.prove()


def test_what_is_not_used_expires_after_its_last_microsecond(bench: WalletUnderTest) -> None:
    bench.create(400)
    grant(bench, 9, 100, HOUR)
    bench.pass_time(HOUR)
    assert bench.hold("a").answer == "held"  # it still counts
    bench.cancel("a")
    bench.pass_time(0.000001)
    since = bench.balance().seq
    assert bench.hold("b").answer == "insufficient balance"
    assert moved(bench, since) == [("expired", -100, "g9=-100")]
    now = bench.balance()
    assert (now.bal, now.grants, bench.changes(since)[0].id) == (400, (), "promotion:9")
    bench.prove()


def test_a_sweep_ends_it_and_says_when_the_next_is_due(bench: WalletUnderTest) -> None:
    bench.create(0)
    grant(bench, 9, 100, HOUR)
    assert bench.clock
    ends = bench.clock.now_us + HOUR * 1_000_000
    assert bench.sweep().next_us <= ends + 1
    bench.pass_time(HOUR - 1)
    assert bench.sweep().next_us == ends + 1
    assert bench.balance().promotional == 100
    bench.pass_time(2)
    assert bench.balance().has_due
    bench.sweep()
    assert (bench.balance().bal, bench.balance().has_due) == (0, False)


def test_a_return_to_what_has_expired_expires_at_once(bench: WalletUnderTest) -> None:
    bench.create(400)
    grant(bench, 9, 100, HOUR)
    bench.hold("a", sent=True)
    bench.pass_time(2 * HOUR)
    bench.sweep()
    since = bench.balance().seq
    bench.report("failed", "a")
    assert moved(bench, since) == [("fail", 500, "g9=100"), ("expired", -100, "g9=-100")]
    assert (bench.balance().bal, bench.balance().held) == (400, 0)
    bench.prove()


def test_revoking_takes_what_is_left_and_what_returns_later(bench: WalletUnderTest) -> None:
    bench.create(450)
    grant(bench, 9, 150)
    bench.hold("a", quote=wallet.Quote({"native_text": 100}, 7))
    assert revoke(bench, 9, 150) == Movement("applied", -50, 0, 450, 3, 0)
    assert revoke(bench, 9, 150).answer == "repeat"
    bench.report("failed", "a")
    assert (bench.balance().bal, left(bench)) == (450, {})
    assert revoke(bench, 8, 10).spendable == 0
    bench.prove()


def test_debits_take_own_money_first_then_promotions_then_credit(bench: WalletUnderTest) -> None:
    bench.create(100, credit_limit=200)
    grant(bench, 9, 50)
    since = bench.balance().seq
    assert bench.move("debit", 80, "d1").spendable == -80
    assert left(bench) == {9: 50}
    assert bench.move("chargeback", 40, "d2").spendable == -40
    assert left(bench) == {9: 30}
    assert bench.move("by_hand", 300, "d3") == Movement("applied", -230, 70, -200, since + 3, 70)
    assert left(bench) == {9: 0}
    told = [("debit", -80, ""), ("chargeback", -40, "g9=-20"), ("by_hand", -230, "g9=-30")]
    assert moved(bench, since) == told


def test_promotional_credit_is_never_paid_out(bench: WalletUnderTest) -> None:
    bench.create(100)
    grant(bench, 9, 50)
    assert bench.move("cash_refund", 101, "c1").answer == "insufficient balance"
    assert bench.move("cash_refund", 100, "c2").answer == "applied"
    assert (bench.balance().bal, left(bench)) == (50, {9: 50})


def test_it_can_be_spent_though_the_limit_was_lowered(bench: WalletUnderTest) -> None:
    bench.create(0, credit_limit=500)
    bench.hold("a")
    bench.set_credit(100)
    grant(bench, 9, 450)
    small = wallet.Quote({"native_text": 50}, 7)
    assert bench.hold("b", quote=small).answer == "held"
    assert bench.hold("c", quote=small).answer == "insufficient balance"
    now = bench.balance()
    assert (now.bal, now.promotional) == (-100, 400)


def test_twenty_promotions_and_no_more(bench: WalletUnderTest) -> None:
    bench.create(0)
    for number in range(1, 21):
        assert grant(bench, number, 1).answer == "applied"
    assert grant(bench, 21, 1).answer == "too many grants"
    assert bench.hold(quote=wallet.Quote({"video": 20})).answer == "held"
    assert took(bench, "m1").count("g") == 20
    bench.report("failed")
    assert sum(left(bench).values()) == 20


def test_a_clock_in_doubt_ends_nothing(bench: WalletUnderTest) -> None:
    bench.create(0)
    grant(bench, 9, 500, HOUR)
    assert bench.clock
    bench.clock.advance(2 * HOUR)  # no timers visited: the clock jumped, or no request came
    assert bench.hold("a").answer == "held"
    bench.pass_time(700)
    bench.cancel("a")
    bench.sweep()
    assert bench.balance().bal == 0


def test_nothing_expires_in_safe_mode_and_grants_are_there_before_messages(
    bench: WalletUnderTest,
) -> None:
    assert bench.clock
    now = bench.clock.now_us
    grants = wallet.grants_text([Grant(9, now - 1, 40), Grant(7, now + DAY * 1_000_000, 60)])
    command = wallet.create(
        SLUG, 2, bench.settings, balance=150, status="recovering", grants=grants, now=bench.now
    )
    assert bench.run(command) == "created"

    def state(name: str, price: int, grants: str) -> wallet.MessageState:
        return wallet.MessageState(
            *(name, "held", "message", now, price),
            body_hash="body", tariff_id=7, prices={"native_card": price}, grants=grants,
        )  # fmt: skip

    rows = [LoadRow(state("k", 30, "g9=30")), LoadRow(state("n", 120, ""), known=False)]
    assert bench.run(wallet.load(SLUG, rows)).answers == ("loaded", "loaded")
    assert left(bench) == {9: 0, 7: 0}
    assert (took(bench, "k"), took(bench, "n")) == ("g9=30", "g9=40,g7=60")
    bench.run(wallet.status(SLUG, "open", "", "op"))
    bench.report("failed", "k")
    bench.report("failed", "n")
    assert (bench.balance().bal, left(bench)) == (30 + 150 - 30 - 40, {7: 60})


def test_a_wallet_without_the_field_works(bench: WalletUnderTest) -> None:
    bench.create(QUOTE.quoted)
    bench.client.hdel(KEYS.tag, "grants")
    assert bench.balance().grants == ()
    assert bench.hold().answer == "held"
    assert grant(bench, 9, 1).answer == "applied"


@pytest.mark.parametrize(
    "words",
    [
        ["op", "x", "1", "5"],
        ["op", "7", "0", "5"],
        ["op", "7", "-1", "5"],
        ["op", "7", "1", "soon"],
        ["", "7", "1", "5"],
        ["op", "7" * 19, "1", "5"],
        ["op", "7", str(2**53), "5"],
        ["op", "7", "1"],
    ],
)
def test_a_malformed_grant_changes_nothing(bench: WalletUnderTest, words: list[str]) -> None:
    bench.create(10)
    before = bench.client.hgetall(KEYS.tag)
    reply = bench.client.eval(wallet.SCRIPTS["grant"].text, 1, KEYS.tag, *words)
    assert reply == ["-1", "malformed grant"]
    if len(words) > 3 and words[3] == "5":
        reply = bench.client.eval(wallet.SCRIPTS["revoke"].text, 1, KEYS.tag, *words[:3])
        assert reply == ["-1", "malformed revoke"]
    assert bench.client.hgetall(KEYS.tag) == before


@pytest.mark.parametrize("text", ["x", "7,5", "7,5,1", "7,5,-1;", ";", "7,5,1;x"])
def test_data_is_not_made_with_grants_that_are_none(bench: WalletUnderTest, text: str) -> None:
    words = ["3", "o", "0" * 75, "", "", "1", "1", "0", "0", text]
    reply = bench.client.eval(wallet.SCRIPTS["create"].text, 1, KEYS.tag, *words)
    assert reply == ["-1", "malformed figures"]
    assert not bench.client.exists(KEYS.tag)
