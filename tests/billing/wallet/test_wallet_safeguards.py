"""What a wallet refuses or keeps for every caller: safeguards without another test."""

from collections.abc import Iterator
from typing import Any

import pytest

from billing import wallet
from poolsite.runtime.redis_server import RedisServer
from tests.billing.wallet.wallet_support import (
    KEYS,
    SLUG,
    WalletUnderTest,
    report_of,
    request,
    wallet_on,
)

PRICES = ",native_card=500"


@pytest.fixture
def bench(clean_redis: RedisServer) -> Iterator[WalletUnderTest]:
    with wallet_on(clean_redis.url) as bench:
        yield bench.create(1_000)


def raw_hold(bench: WalletUnderTest, facts: str, prices: str) -> Any:
    words = ("a", "hm", "5", facts, prices)
    return bench.client.eval(wallet.SCRIPTS["hold"].text, 1, KEYS.tag, *words)


def test_a_message_is_settled_once(bench: WalletUnderTest) -> None:
    bench.hold()
    assert bench.report("yuexin_text").answer == "settled"
    assert bench.report("yuexin_text").answer == "repeat"
    assert bench.report("failed").answer == "contradiction"
    assert bench.balance().bal == 600
    bench.prove()


def test_a_message_that_a_list_reports_twice_is_settled_once(bench: WalletUnderTest) -> None:
    bench.hold()
    words = ("yuexin_text", "failed", "yuexin_text")
    charges = bench.run(wallet.report_many(SLUG, [report_of(word) for word in words]))
    assert [charge.answer for charge in charges] == ["settled", "contradiction", "repeat"]
    bench.prove()


@pytest.mark.parametrize(
    "command",
    [
        wallet.hold(SLUG, request()),
        wallet.report(SLUG, report_of("failed")),
        wallet.sent(SLUG, ["m1"]),
        wallet.cancel(SLUG, "m1"),
        wallet.session(SLUG, request("s", quote=wallet.Quote({"native_session": 30}))),
    ],
    ids=lambda command: command.script.name,
)
def test_data_that_is_two_releases_ahead_is_refused(bench: WalletUnderTest, command: Any) -> None:
    version = wallet.SCRIPTS["hold"].version
    bench.client.hset(KEYS.tag, mapping={"script_version": version + 2, "script_sha": "cafe"})
    before = bench.client.hgetall(KEYS.tag)
    answer = bench.run(command)
    charge = answer[0] if isinstance(answer, list) else answer
    assert charge.answer == "script outdated cafe"
    assert bench.client.hgetall(KEYS.tag) == before
    assert not bench.client.exists(KEYS.messages, KEYS.log)


@pytest.mark.parametrize("sign", ["|", "\t", "\x1f"])
def test_what_ends_a_field_is_in_no_field(bench: WalletUnderTest, sign: str) -> None:
    """A bar ends a field of a record, a tab a field of an entry, \x1f one of a function's reply."""
    before = bench.everything()
    for facts, prices in (
        (f"bo{sign}dy\t7\tbot", PRICES),
        (f"body\t7\tbo{sign}t", PRICES),
        ("body\t7\tbot", PRICES + sign),
    ):
        assert raw_hold(bench, facts, prices) == ["-1", "malformed hold"]
    assert bench.everything() == before


def test_what_was_listed_of_an_unpaid_message_is_known_once_it_is_paid(
    bench: WalletUnderTest,
) -> None:
    bench.session("s", 2_000)
    assert bench.report("interim", "s").flag == "contradiction"
    bench.move("recharge", 5_000)
    assert bench.run(wallet.pay_unpaid(SLUG, operation_id="pay")).message_ids == ("s",)
    message = bench.message("s")
    assert message is not None
    assert message.seen == ("unpai:native_session", "contr:interim")
