"""What time decides: the limits to the microsecond, bounded sweeps, the day's limit, forgetting."""

from collections.abc import Iterator
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from billing import wallet
from poolsite.runtime.redis_server import RedisServer
from tests.billing.wallet.wallet_support import (
    DAY,
    HOURS_72,
    KEYS,
    SLUG,
    WalletUnderTest,
    report_of,
    request,
    wallet_on,
)
from tests.support.clock import ScriptClock

RICH = 100_000
EDGES_72 = [(HOURS_72 - 0.001, True), (HOURS_72, True), (HOURS_72 + 0.000001, False),
            (HOURS_72 + 0.001, False)]  # fmt: skip


@pytest.fixture
def bench(test_clock: ScriptClock, clean_redis: RedisServer) -> Iterator[WalletUnderTest]:
    with wallet_on(clean_redis.url, test_clock) as bench:
        yield bench.create(RICH)


def advance(bench: WalletUnderTest, seconds: float) -> None:
    bench.pass_time(seconds)


# -- 72 hours ------------------------------------------------------------------------------------


@pytest.mark.parametrize(("seconds", "counts"), EDGES_72)
@pytest.mark.parametrize("swept", [True, False])
def test_a_report_counts_up_to_72_hours_after_sent(
    bench: WalletUnderTest, seconds: float, counts: bool, swept: bool
) -> None:
    bench.hold()
    advance(bench, 300)
    bench.sent()
    advance(bench, seconds)
    if swept:
        assert bench.sweep().expired == (0 if counts else 1)
    charge = bench.report("yuexin_text")
    if counts:
        assert (charge.state, charge.charged, charge.flag) == ("settled", 400, "")
        assert bench.balance().bal == RICH - 400
    else:
        assert (charge.state, charge.charged, charge.flag) == ("expired", 0, "late")
        assert bench.balance().bal == RICH
        late = bench.changes()[-1]
        assert (late.flag, late.reported, late.difference) == ("late", "yuexin_text", 400)
    bench.prove()


def test_a_late_report_is_listed_once_however_often_it_comes(bench: WalletUnderTest) -> None:
    bench.hold(sent=True)
    advance(bench, HOURS_72 + 0.001)
    charges = [bench.report("yuexin_text") for _ in range(3)]
    assert {charge.flag for charge in charges} == {"late"}
    assert bench.report("failed").flag == "late"
    listed = [(change.reported, change.difference) for change in bench.changes() if change.flag]
    assert listed == [("yuexin_text", 400), ("failed", 0)]


def test_a_parked_report_waits_72_hours_for_its_hold(bench: WalletUnderTest) -> None:
    bench.report("yuexin_text", "early")
    bench.report("yuexin_text", "never")
    advance(bench, HOURS_72)
    assert bench.hold("early").answer == "settled"
    advance(bench, 0.000001)
    assert bench.sweep().orphans == 1
    assert bench.state("never") == "none"
    orphan = bench.changes()[-1]
    assert (orphan.id, orphan.flag, orphan.reported) == ("never", "orphan", "yuexin_text")
    assert bench.hold("never").answer == "held"


def test_an_unpaid_session_message_waits_72_hours(bench: WalletUnderTest) -> None:
    bench.move("debit", RICH)
    for name in ("s1", "s2"):
        assert bench.session(name, 300).answer == "unpaid"
    advance(bench, HOURS_72)
    assert bench.sweep().unpaid == 0
    bench.move("recharge", 300, "op2")
    assert bench.run(wallet.pay_unpaid(SLUG)).message_ids == ("s1",)
    bench.move("recharge", 300, "op3")
    advance(bench, 0.000001)
    assert bench.run(wallet.pay_unpaid(SLUG)).message_ids == ()  # it has expired, swept or not
    assert bench.sweep().unpaid == 1
    assert bench.state("s2") == "expired"
    assert bench.balance().bal == 300


# -- unsent holds --------------------------------------------------------------------------------


@pytest.mark.parametrize(("kind", "deadline"), [("message", 600), ("call", 60)])
@pytest.mark.parametrize("swept", [True, False])
def test_an_unsent_hold_ends_after_the_deadline_of_its_kind(
    bench: WalletUnderTest, kind: str, deadline: float, swept: bool
) -> None:
    for name in ("in time", "too late"):
        bench.hold(name.replace(" ", "-"), kind=kind)
    advance(bench, deadline)
    if swept:
        assert bench.sweep().cancelled == 0
    assert bench.sent("in-time").answer == "sent"
    advance(bench, 0.000001)
    if swept:
        assert bench.sweep().cancelled == 1
    assert bench.sent("too-late").answer == "refused"
    assert bench.state("too-late") == "cancelled"
    assert (bench.balance().bal, bench.balance().held) == (RICH - 500, 500)
    ended = [change for change in bench.changes() if change.kind == "cancel"]
    assert [(change.id, change.reported) for change in ended] == [("too-late", "deadline")]
    bench.prove()


def test_a_hold_made_as_sent_has_72_hours_at_once(bench: WalletUnderTest) -> None:
    bench.hold(sent=True)
    advance(bench, 3600)
    assert bench.sweep().count == 0
    assert bench.state() == "sent"


def test_longer_deadlines_hold_for_what_is_open_already(bench: WalletUnderTest) -> None:
    bench.hold()
    longer = wallet.WalletSettings(unsent_message_seconds=1_200)
    bench.run(wallet.configure(SLUG, longer, now=bench.now))
    advance(bench, 601)
    assert bench.sweep().count == 0
    advance(bench, 600)
    assert bench.sweep().cancelled == 1


# -- sweeps, forgetting --------------------------------------------------------------------------


def test_a_sweep_is_bounded_and_says_when_there_is_more(bench: WalletUnderTest) -> None:
    bench.run(wallet.hold_many(SLUG, [request(f"m{i}") for i in range(25)]))
    advance(bench, 601)
    swept = [bench.sweep(10) for _ in range(4)]
    assert [part.cancelled for part in swept] == [10, 10, 5, 0]
    assert [part.more for part in swept] == [True, True, False, False]
    assert bench.balance().bal == RICH
    bench.prove()


def test_final_messages_and_receipts_are_forgotten_after_7_days(bench: WalletUnderTest) -> None:
    bench.hold("settled", sent=True)
    bench.report("yuexin_text", "settled")
    bench.move("recharge", 10, "op")
    bench.hold("open", sent=True)
    bench.persist()
    advance(bench, 7 * DAY)
    assert bench.run(wallet.purge(SLUG)) == 0
    assert bench.hold("settled").flag == "repeat"
    advance(bench, 0.000001)
    assert bench.run(wallet.purge(SLUG)) == 2
    assert bench.state("settled") == "none"
    assert bench.client.hlen(KEYS.operations) == 0
    assert bench.client.hexists(KEYS.messages, "open")  # open messages stay, whatever their age
    assert bench.state("open") == "expired"  # as the next read will find


def test_nothing_is_forgotten_before_sql_has_it(bench: WalletUnderTest) -> None:
    bench.hold(sent=True)
    bench.report("failed")
    advance(bench, 30 * DAY)
    assert bench.run(wallet.purge(SLUG)) == 0
    assert bench.state() == "failed"
    bench.persist()
    assert bench.run(wallet.purge(SLUG)) == 1


def test_no_key_of_a_wallet_ever_expires_by_itself(bench: WalletUnderTest) -> None:
    bench.hold()
    bench.report("failed", "parked")
    bench.session("s1", 300)
    bench.move("recharge", 5)
    bench.persist()
    assert {bench.client.ttl(key) for key in KEYS.all} <= {-1, -2}


# -- the day's limit -----------------------------------------------------------------------------


def test_a_day_ends_at_midnight_of_the_accounts_zone(
    test_clock: ScriptClock, clean_redis: RedisServer
) -> None:
    shanghai = ZoneInfo("Asia/Shanghai")
    test_clock.set(int(datetime(2026, 11, 21, 23, 59, tzinfo=shanghai).timestamp()) * 1_000_000)
    with wallet_on(clean_redis.url, test_clock) as bench:
        bench.create(RICH, daily_limit=1_000, zone="Asia/Shanghai")
        assert [bench.hold(name).answer for name in "abc"] == ["held", "held", "daily limit"]
        test_clock.advance(59.999999)
        assert bench.hold("d").answer == "daily limit"
        test_clock.advance(0.000001)
        assert bench.hold("e").answer == "held"
        assert bench.balance().spent == 500


def test_what_comes_back_of_this_days_holds_can_be_spent_again(bench: WalletUnderTest) -> None:
    limited = wallet.WalletSettings(daily_limit=1_000)
    bench.run(wallet.configure(SLUG, limited, now=bench.now))
    bench.hold("yesterday")
    advance(bench, DAY)
    bench.sweep()  # returned today, but not spent today
    assert [bench.hold(name).answer for name in "abc"] == ["held", "held", "daily limit"]
    bench.sent("a")
    bench.report("failed", "a")
    assert bench.hold("d").answer == "held"
    assert bench.hold("e").answer == "daily limit"
    assert bench.session("s", 300).answer == "daily limit"


@pytest.mark.parametrize("zone", ["UTC", "Asia/Shanghai", "Pacific/Auckland", "America/New_York"])
def test_days_go_on_when_nobody_tells_the_midnights(
    test_clock: ScriptClock, clean_redis: RedisServer, zone: str
) -> None:
    test_clock.set(int(datetime(2026, 10, 20, tzinfo=UTC).timestamp()) * 1_000_000)
    with wallet_on(clean_redis.url, test_clock) as bench:
        bench.create(RICH, daily_limit=500, zone=zone)
        for day in range(30):  # beyond the 14 midnights that were sent, and over a change of clocks
            assert bench.hold(f"first-{day}").answer == "held"
            assert bench.hold(f"second-{day}").answer == "daily limit"
            bench.pass_time(DAY + 3600)


def test_one_message_may_stand_in_a_list_command_many_times(bench: WalletUnderTest) -> None:
    """Each item sees the effects of the items before it."""
    answers = bench.run(
        wallet.report_many(
            SLUG, [report_of("failed"), report_of("failed"), report_of("native_card")]
        )
    )
    assert [charge.answer for charge in answers] == ["parked", "repeat", "contradiction"]
    answers = bench.run(wallet.hold_many(SLUG, [request(), request(), request(body_hash="x")]))
    assert [charge.answer for charge in answers] == ["failed", "repeat", "conflict"]
    bench.prove()
