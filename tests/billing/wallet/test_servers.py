"""Redis 6.2, Redis 7, Valkey 9 and a Cluster; commands with only the tag; replies that are lost."""

from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.stateful import run_state_machine_as_test

from billing import wallet
from poolsite import hotpath
from poolsite.hotpath.scripts import preluded_with
from poolsite.runtime.redis_server import RedisServer
from tests.billing.wallet.test_wallet_model import Wallets
from tests.billing.wallet.wallet_support import (
    KEYS,
    SLUG,
    WalletUnderTest,
    report_of,
    request,
    wallet_on,
)
from tests.support.clock import TEST_PRELUDE, ScriptClock
from tests.support.cluster import RedisCluster
from tests.support.proxy import FaultyProxy
from tests.support.waiting import patient


@pytest.fixture
def bench(each_redis: RedisServer) -> Iterator[WalletUnderTest]:
    with (
        preluded_with(TEST_PRELUDE),
        each_redis.client() as client,
        wallet_on(each_redis.url, ScriptClock(client)) as bench,
    ):
        yield bench


def test_random_histories_are_the_models_on_every_server(bench: WalletUnderTest) -> None:
    Wallets.bench, Wallets.clock = bench, bench.clock  # type: ignore[assignment]  # for Hypothesis
    run_state_machine_as_test(
        Wallets,
        settings=settings(
            max_examples=8,
            stateful_step_count=50,
            suppress_health_check=list(HealthCheck),
        ),
    )


def test_the_tag_alone_does_the_same_as_all_keys(bench: WalletUnderTest) -> None:
    """A user of the Redis command line may pass only KEYS[1]."""
    bench.create(10_000)
    commands = [
        wallet.hold(SLUG, request("a")),
        wallet.sent(SLUG, ["a"]),
        wallet.report(SLUG, report_of("yuexin_text", "a")),
        wallet.report(SLUG, report_of("failed", "p")),
        wallet.hold(SLUG, request("p")),
        wallet.hold(SLUG, request("b")),
        wallet.cancel(SLUG, "b"),
        wallet.session(SLUG, request("s", quote=wallet.Quote({"native_session": 10**6}, 7))),
        wallet.move(SLUG, "o1", "recharge", 10**6),
        wallet.move(SLUG, "o2", "cash_refund", 10**7),
        wallet.pay_unpaid(SLUG, operation_id="o3"),
        wallet.sweep(SLUG),
        wallet.status(SLUG, "frozen", "", "o4"),
        wallet.balance(SLUG),
        wallet.messages(SLUG, ["a", "b", "p", "s"]),
        wallet.entries(SLUG, 0),
        wallet.open_holds(SLUG),
        wallet.close_batch(SLUG),
        wallet.trim_batch(SLUG, 1, 1, keep=3),
        wallet.purge(SLUG),
    ]
    with_all = [bench.run(command) for command in commands]
    after = bench.everything()
    bench.empty()
    bench.create(10_000)
    alone = [
        command.read(bench.client.eval(command.script.text, 1, KEYS.tag, *command.args))
        for command in commands
    ]
    assert alone == with_all
    assert bench.everything() == after


def test_wallets_work_on_a_cluster(redis_cluster: RedisCluster) -> None:
    path = hotpath.HotPath(redis_cluster.url)
    try:
        slugs = [f"acct-{place}" for place in range(12)]
        settings = wallet.WalletSettings()
        made = path.run_batch([wallet.create(slug, 1, settings, balance=1_000) for slug in slugs])
        assert made == ["created"] * 12
        for commands, answer in (
            ([wallet.hold(slug, request("a")) for slug in slugs], "held"),
            ([wallet.hold(slug, request("b")) for slug in slugs], "held"),
            ([wallet.hold(slug, request("c")) for slug in slugs], "insufficient balance"),
            ([wallet.report(slug, report_of("failed", "a")) for slug in slugs], "failed"),
            ([wallet.session(slug, _session()) for slug in slugs], "settled"),
        ):
            assert {charge.answer for charge in path.run_batch(commands)} == {answer}
        moved = path.run_batch([wallet.move(slug, "r", "recharge", 5) for slug in slugs])
        assert all(movement.applied for movement in moved)
        for slug in slugs:
            balance = path.run(wallet.balance(slug))
            assert (balance.bal, balance.held, balance.seq) == (405, 500, 5)
            batch = path.run(wallet.close_batch(slug))
            assert batch.amount == -595
            assert path.run(wallet.trim_batch(slug, 1, batch.number)).answer == "trimmed"
            assert path.run(wallet.sweep(slug)).count == 0
            assert path.run(wallet.purge(slug)) == 0
    finally:
        path.close()


def _session() -> wallet.HoldRequest:
    return request("s", quote=wallet.Quote({"native_session": 100}, 7))


# -- lost replies --------------------------------------------------------------------------------

LOST = [
    (wallet.hold(SLUG, request("new")), -500),
    (wallet.hold_many(SLUG, [request(f"n{place}") for place in range(3)]), -1_500),
    (wallet.sent(SLUG, ["held"]), 0),
    (wallet.report(SLUG, report_of("yuexin_text", "held")), 100),
    (wallet.report_many(SLUG, [report_of("failed", "held"), report_of("video", "new")]), 500),
    (wallet.cancel(SLUG, "held"), 500),
    (wallet.session(SLUG, request("s", quote=wallet.Quote({"native_session": 30}, 7))), -30),
    (wallet.pay_unpaid(SLUG, operation_id="pay"), -2_000),
    (wallet.move(SLUG, "op", "recharge", 70), 70),
    (wallet.move(SLUG, "op", "debit", 70), -70),
    (wallet.move(SLUG, "op", "cash_refund", 10**9), 0),
    (wallet.close_batch(SLUG), 0),
    (wallet.status(SLUG, "frozen", "", "op"), 0),
]


@pytest.mark.parametrize("fault", ["drop-reply", "cut-reply"])
@pytest.mark.parametrize(
    ("command", "effect"), LOST, ids=[f"{item.script.name} {delta}" for item, delta in LOST]
)
def test_a_lost_reply_moves_money_once(
    clean_redis: RedisServer, command: hotpath.Command[object], effect: int, fault: str
) -> None:
    with wallet_on(clean_redis.url) as bench, FaultyProxy(clean_redis.socket) as proxy:
        bench.create(500)
        bench.session("unpaid", 2_000)
        bench.move("recharge", 10_000, "before")
        bench.hold("held")
        before = bench.balance()
        through = hotpath.HotPath(f"{proxy.url}?socket_timeout={patient(0.3)}")
        try:
            through.run(wallet.balance(SLUG))
            proxy.set(fault, faults=1)
            answer = through.run(command)
        finally:
            proxy.set("pass")
            through.close()
        after = bench.balance()
        assert after.bal - before.bal == effect
        bench.prove()
        # A repeated request returns the same: what was paid, which batch is closed, what was moved.
        again = bench.run(command)
        assert bench.balance().bal == after.bal
        if isinstance(answer, wallet.Movement):
            assert (again.spendable, again.owed) == (answer.spendable, answer.owed)
        elif command.script.name in ("pay_unpaid", "close_batch"):
            assert again == answer
