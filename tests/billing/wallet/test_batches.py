"""Closed batches: found again, never lost, never mixed; what is pending is exactly what is left."""

from collections.abc import Iterator

import pytest

from billing import wallet
from billing.wallet import WalletRefusedError
from poolsite.runtime.redis_server import RedisServer
from tests.billing.wallet.wallet_support import KEYS, SLUG, WalletUnderTest, wallet_on
from tests.support.clock import ScriptClock
from tests.support.waiting import patient


@pytest.fixture
def bench(test_clock: ScriptClock, clean_redis: RedisServer) -> Iterator[WalletUnderTest]:
    with wallet_on(clean_redis.url, test_clock) as bench:
        yield bench.create(10_000)


def test_nothing_to_write_closes_nothing(bench: WalletUnderTest) -> None:
    assert bench.run(wallet.close_batch(SLUG)) is None
    assert bench.balance().batch == 0


def test_a_closed_batch_is_found_again_as_it_was(bench: WalletUnderTest) -> None:
    for name in "abc":
        bench.hold(name)
    batch = bench.run(wallet.close_batch(SLUG, 2))
    assert (batch.number, batch.first_seq, batch.last_seq, batch.left) == (1, 1, 2, 1)
    assert batch.amount == -1_000
    bench.report("failed", "a")
    again = bench.run(wallet.close_batch(SLUG, 1_000))
    assert again.entries == batch.entries
    assert (again.number, again.amount, again.left) == (1, -1_000, 2)
    assert bench.run(wallet.batch_entries(SLUG, batch)) == batch.entries


def test_trimming_lowers_what_is_pending_by_the_batch_alone(bench: WalletUnderTest) -> None:
    bench.hold("a")
    bench.hold("b")
    batch = bench.run(wallet.close_batch(SLUG))
    bench.move("recharge", 300)
    trim = wallet.trim_batch(SLUG, 1, batch.number, keep=0)
    assert bench.run(trim) == wallet.Trimmed("trimmed", 2)
    assert bench.run(trim) == wallet.Trimmed("repeat", 2)
    now = bench.balance()
    assert (now.bal, now.pend, now.drained, now.backlog) == (9_300, 300, 2, 1)
    assert [change.seq for change in bench.changes()] == [3]
    following = bench.run(wallet.close_batch(SLUG))
    assert (following.number, following.first_seq, following.amount) == (2, 3, 300)
    assert bench.run(wallet.trim_batch(SLUG, 1, 1)).answer == "repeat"  # an old worker wakes
    assert bench.balance().drained == 2


def test_a_tail_stays_for_those_who_watch(bench: WalletUnderTest) -> None:
    for place in range(6):
        bench.hold(f"m{place}")
    bench.persist(keep=4)
    assert [change.seq for change in bench.changes()] == [3, 4, 5, 6]
    bench.hold("m6")
    bench.persist(keep=4)
    assert [change.seq for change in bench.changes()] == [4, 5, 6, 7]


def test_another_life_or_a_batch_that_is_not_there_is_refused(bench: WalletUnderTest) -> None:
    bench.hold()
    batch = bench.run(wallet.close_batch(SLUG))
    everything = bench.everything()
    for command, reason in (
        (wallet.trim_batch(SLUG, 2, batch.number), "other generation"),
        (wallet.trim_batch(SLUG, 1, batch.number + 1), "no such batch"),
        (wallet.close_batch("nobody"), "no such wallet"),
        (wallet.trim_batch("nobody", 1, 1), "no such wallet"),
    ):
        with pytest.raises(WalletRefusedError, match=reason):
            bench.run(command)
    assert bench.everything() == everything


def test_a_log_with_a_hole_is_not_written_as_if_it_were_whole(bench: WalletUnderTest) -> None:
    for name in "abc":
        bench.hold(name)
    bench.client.xdel(KEYS.log, "2-0")
    with pytest.raises(WalletRefusedError, match="log broken"):
        bench.run(wallet.close_batch(SLUG))
    assert bench.balance().batch == 0


def test_entries_tell_what_came_since(bench: WalletUnderTest) -> None:
    for name in "abc":
        bench.hold(name)
    found = bench.run(wallet.entries(SLUG, 1, 1))
    assert [change.seq for change in found.changes] == [2]
    assert (found.seq, found.bal, found.pend, found.held, found.generation) == (
        3,
        8_500,
        -1_500,
        1_500,
        1,
    )
    assert bench.run(wallet.entries(SLUG, 3)).changes == ()
    assert bench.run(wallet.entries("nobody", 0)) is None
    stream_id, fields = bench.client.xrange(KEYS.log)[0]
    assert wallet.read_entry(int(stream_id.removesuffix("-0")), fields) == bench.changes()[0]


@pytest.mark.parametrize("words", ["", "hold", "hold\tx\ty\t0", "hold\tx\t1\t1\tQ", "a\t" * 20])
def test_an_entry_of_another_hand_is_named(words: str) -> None:
    with pytest.raises(ValueError, match="not an entry"):
        wallet.read_change(1, 1, words)


def test_change_wakes_those_who_watch_at_most_ten_times_a_second(
    bench: WalletUnderTest, test_clock: ScriptClock
) -> None:
    with bench.client.pubsub() as watch:
        watch.subscribe(KEYS.wake_channel)
        assert watch.get_message(timeout=patient(5))["type"] == "subscribe"
        test_clock.advance(1)
        for place in range(20):
            bench.hold(f"m{place}")
            test_clock.advance(0.01)
        bench.client.publish(KEYS.wake_channel, "no more")
        seen = 0
        while watch.get_message(timeout=patient(5))["data"] != "no more":
            seen += 1
        assert 2 <= seen <= 3
