"""Bad input from the Redis command line, and to the values: a clear answer, nothing changed."""

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from billing import wallet
from billing.wallet import DeliveryReport, HoldRequest, Quote
from poolsite.runtime.redis_server import RedisServer
from tests.billing.wallet.wallet_support import KEYS, QUOTE, SLUG, WalletUnderTest, wallet_on

FACTS, PRICES = "body\t7\tbot", ",native_card=500;video=450"
MOST = str(2**53)
MALFORMED: dict[str, tuple[str, list[str | bytes]]] = {
    "hold: nothing": ("hold", []),
    "hold: a word is missing": ("hold", ["a", "hm", "5", FACTS]),
    "hold: 33 of them": ("hold", ["a", "hm", "5", FACTS, PRICES] * 33),
    "hold: no id": ("hold", ["", "hm", "5", FACTS, PRICES]),
    "hold: id with a space": ("hold", ["a b", "hm", "5", FACTS, PRICES]),
    "hold: id with NUL": ("hold", [b"a\0", "hm", "5", FACTS, PRICES]),
    "hold: id of 81": ("hold", ["a" * 81, "hm", "5", FACTS, PRICES]),
    "hold: no ASCII": ("hold", ["ä", "hm", "5", FACTS, PRICES]),
    "hold: unknown kind": ("hold", ["a", "hx", "5", FACTS, PRICES]),
    "hold: session": ("hold", ["a", "hs", "5", FACTS, PRICES]),
    "hold: negative": ("hold", ["a", "hm", "-5", FACTS, PRICES]),
    "hold: fraction": ("hold", ["a", "hm", "5.0", FACTS, PRICES]),
    "hold: exponent": ("hold", ["a", "hm", "1e3", FACTS, PRICES]),
    "hold: nan": ("hold", ["a", "hm", "nan", FACTS, PRICES]),
    "hold: hexadecimal": ("hold", ["a", "hm", "0x10", FACTS, PRICES]),
    "hold: full-width digits": ("hold", ["a", "hm", "５", FACTS, PRICES]),
    "hold: no amount": ("hold", ["a", "hm", "", FACTS, PRICES]),
    "hold: 2^53": ("hold", ["a", "hm", MOST, FACTS, PRICES]),
    "hold: 10^20": ("hold", ["a", "hm", "1" + "0" * 20, FACTS, PRICES]),
    "hold: a bar in the facts": ("hold", ["a", "hm", "5", "body|\t7\tbot", PRICES]),
    "hold: a tab too many": ("hold", ["a", "hm", "5", "bo\tdy\t7\tbot", PRICES]),
    "hold: a tariff that is none": ("hold", ["a", "hm", "5", "body\tx\tbot", PRICES]),
    "hold: a bar in the prices": ("hold", ["a", "hm", "5", FACTS, ",a=5|"]),
    "hold: a tab in the prices": ("hold", ["a", "hm", "5", FACTS, ",a=5\t"]),
    "hold: the second is bad": ("hold", ["a", "hm", "5", FACTS, PRICES, "b", "hm", "x", "", ""]),
    "sent: nothing": ("sent", []),
    "sent: 33 of them": ("sent", ["a"] * 33),
    "sent: the second is bad": ("sent", ["held", ""]),
    "report: nothing": ("report", []),
    "report: no word": ("report", ["held"]),
    "report: unknown word": ("report", ["held", "x"]),
    "report: a mode with a pattern": ("report", ["held", "d.%d+"]),
    "report: no mode": ("report", ["held", "d"]),
    "report: a cost without seconds": ("report", ["held", "dcall=5"]),
    "report: a cost of 2^53": ("report", ["held", f"dcall={MOST}/60"]),
    "report: a negative cost": ("report", ["held", "dcall=-5/60"]),
    "report: a failure with a cost": ("report", ["held", "f=5/60"]),
    "report: seven digits of seconds": ("report", ["held", "dcall=5/1000000"]),
    "report: the second is bad": ("report", ["held", "f", "held", "dÄ"]),
    "cancel: no id": ("cancel", [""]),
    "session: price and prices differ": ("session", ["s", "5", FACTS, ",native_session=6"]),
    "session: two prices": ("session", ["s", "5", FACTS, ",a=5,b=5"]),
    "session: no id": ("session", ["", "5", FACTS, ",a=5"]),
    "move: zero": ("move", ["op", "recharge", "0"]),
    "move: negative": ("move", ["op", "recharge", "-1"]),
    "move: leading zero": ("move", ["op", "recharge", "01"]),
    "move: fraction": ("move", ["op", "recharge", "1.5"]),
    "move: 2^53": ("move", ["op", "recharge", MOST]),
    "move: unknown kind": ("move", ["op", "gift", "1"]),
    "move: no id": ("move", ["", "recharge", "1"]),
    "move: id with a tab": ("move", ["o\tp", "recharge", "1"]),
    "pay_unpaid: no limit": ("pay_unpaid", ["op", ""]),
    "pay_unpaid: 501": ("pay_unpaid", ["op", "501"]),
    "sweep: zero": ("sweep", ["0"]),
    "sweep: 1 001": ("sweep", ["1001"]),
    "sweep: fraction": ("sweep", ["1.5"]),
    "purge: nothing": ("purge", []),
    "close_batch: zero": ("close_batch", ["0"]),
    "close_batch: 5 001": ("close_batch", ["5001"]),
    "trim_batch: no number": ("trim_batch", ["1", "x", "0"]),
    "entries: negative": ("entries", ["-1", "5"]),
    "open_holds: negative": ("open_holds", ["-1", "5"]),
    "message: nothing": ("message", []),
    "status: unknown": ("status", ["x", "", "op"]),
    "configure: short": ("configure", ["123", "", "5", ""]),
    "create: no generation": ("create", ["x", "o", "0" * 75, "", "", "1", "0", "0"]),
    "create: a balance that is none": (
        "create",
        ["9", "o", "0" * 75, "", "", "1", "--1", "0", "0"],
    ),
    "create: a balance of a sign": ("create", ["9", "o", "0" * 75, "", "", "1", "-", "0", "0"]),
    "create: no credit limit": ("create", ["9", "o", "0" * 75, "", "", "1", "1", "0"]),
    "create: a limit below zero": ("create", ["9", "o", "0" * 75, "", "", "1", "1", "0", "-5"]),
    "configure: a limit below zero": ("configure", ["0" * 75, "", "5", "", "-1"]),
    "configure: a limit of 2^53": ("configure", ["0" * 75, "", "5", "", MOST]),
    "load: not in safe mode": ("load", ["k", "a", "x"]),
}


@pytest.fixture
def bench(clean_redis: RedisServer) -> Iterator[WalletUnderTest]:
    with wallet_on(clean_redis.url) as bench:
        bench.create(10_000)
        bench.hold("held")
        bench.hold("sent", sent=True)
        bench.report("failed", "parked")
        bench.move("recharge", 5, "before")
        yield bench


def raw(bench: WalletUnderTest, script: str, words: list[Any]) -> Any:
    return bench.client.eval(wallet.SCRIPTS[script].text, 1, KEYS.tag, *words)


def test_malformed_words_change_nothing(bench: WalletUnderTest) -> None:
    before = bench.everything()
    for name, (script, words) in MALFORMED.items():
        reply = raw(bench, script, words)
        assert reply[0] == "-1", name
        assert reply[1].startswith(("malformed", "not in safe mode")), name
        assert bench.everything() == before, name


def test_bad_rows_load_nothing(bench: WalletUnderTest) -> None:
    bench.run(wallet.status(SLUG, "recovering", "", "op"))
    good = "hm00000" + "1" * 16 + "500||" + FACTS + "|" + PRICES
    assert raw(bench, "load", ["k", "new", good])[5] == "loaded"
    before = bench.everything()
    bad = ["", "x", good.replace("hm", "xm", 1), good.replace("hm", "hz", 1), good[:20], good + "|",
           "hm00000" + "1" * 40 + "||" + FACTS + "|", good.replace("7", "x", 1)]  # fmt: skip
    for state in bad:
        reply = raw(bench, "load", ["k", "a", good, "k", "b", state])
        assert reply == ["-1", "malformed rows"], state
    assert raw(bench, "load", ["n", "a", "t" + good[1:]]) == ["-1", "malformed rows"]
    receipts = [
        ["op", "recharge", "1", "1"],
        ["", "recharge", "1", "1", "0"],
        ["op", "recharge", "x", "1", "0"],
        ["op", "RECHARGE", "1", "1", "0"],
    ]
    for words in receipts:
        assert raw(bench, "load_receipts", words) == ["-1", "malformed receipts"]
    assert bench.everything() == before


WORDS = st.one_of(
    st.text(max_size=12),
    st.sampled_from(
        ["held", "sent", "parked", "hm", "f", "i", "5", FACTS, PRICES, "recharge", "1"]
    ),
    st.binary(max_size=12),
)


def test_no_words_make_a_script_fail_or_money_appear(bench: WalletUnderTest) -> None:
    """Any arguments to any script: it answers, and the equations are true."""
    harmless = sorted(set(wallet.SCRIPTS) - {"create", "destroy", "allow"})

    @settings(max_examples=120, suppress_health_check=list(HealthCheck))
    @given(script=st.sampled_from(harmless), words=st.lists(WORDS, max_size=11))
    def say(script: str, words: list[str | bytes]) -> None:
        words = [w.encode("utf-8", "surrogatepass") if isinstance(w, str) else w for w in words]
        before = bench.balance()
        reply = raw(bench, script, words)
        after = bench.balance()
        if reply[0] == "-1":
            assert after.seq == before.seq
        total = after.bal + after.held
        assert total == before.bal + before.held or script in (
            "move",
            "session",
            "report",
            "cancel",
        )
        bench.prove_figures()

    say()


@pytest.mark.parametrize(
    "make",
    [
        lambda: HoldRequest("", "body", QUOTE),
        lambda: HoldRequest("a b", "body", QUOTE),
        lambda: HoldRequest("a" * 81, "body", QUOTE),
        lambda: HoldRequest("a\n", "body", QUOTE),
        lambda: HoldRequest("a", "bo dy", QUOTE),
        lambda: HoldRequest("a", "x" * 33, QUOTE),
        lambda: HoldRequest("a", "body", QUOTE, kind="gift"),
        lambda: HoldRequest("a", "body", QUOTE, chatbot="Bot"),
        lambda: wallet.hold(SLUG, HoldRequest("a", "body", QUOTE, kind="session")),
        lambda: wallet.session(SLUG, HoldRequest("a", "body", QUOTE, kind="session")),
        lambda: wallet.hold_many(SLUG, []),
        lambda: wallet.hold_many(SLUG, [HoldRequest("a", "body", QUOTE)] * 33),
        lambda: wallet.sent(SLUG, ["ok", "not ok"]),
        lambda: Quote({}),
        lambda: Quote({"a": -1}),
        lambda: Quote({"a": 2**53}),
        lambda: Quote({"a": 1.5}),
        lambda: Quote({"a": True}),
        lambda: Quote({"A": 1}),
        lambda: Quote({"a=b": 1}),
        lambda: Quote({"a": 1}, 1, {"a": 2}),
        lambda: Quote({f"m{n}": 1 for n in range(13)}),
        lambda: DeliveryReport("a", final=True, delivered=True, mode="no mode"),
        lambda: DeliveryReport("", final=True, delivered=True),
        lambda: wallet.move(SLUG, "op", "gift", 5),
        lambda: wallet.move(SLUG, "o p", "recharge", 5),
        lambda: wallet.load(SLUG, []),
        lambda: wallet.WalletSettings(daily_limit=-1).columns(),
        lambda: wallet.WalletSettings(log_limit=0).columns(),
        lambda: wallet.WalletSettings(credit_limit=-1).columns(),
        lambda: wallet.WalletSettings(credit_limit=2**53).columns(),
        lambda: wallet.WalletSettings(report_seconds=10**7).columns(),
        lambda: wallet.parse_message("a", "nonsense"),
    ],
)
def test_a_value_that_cannot_be_is_never_made(make: Any) -> None:
    with pytest.raises(ValueError):
        make()
