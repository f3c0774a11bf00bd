"""Rules of picking and waiting: rest, cap, sticky, near, a given number, vouchers, first come."""

import itertools
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from numbers import pool
from tests.numbers.pool_support import KEYS, SLUG, PoolUnderTest, index_of
from tests.support.waiting import patient

A, B, C = "13800000001", "13800000002", "13800000003"


def call_and_hang_up(bench: PoolUnderTest, number: str = "", **options: str) -> str:
    called = bench.event("call", number, **options)
    assert called.ok
    assert bench.event("hangup", called.number, call_id=options.get("call_id", "")).ok
    return called.number


# -- rest and cap ------------------------------------------------------------------------------


def test_the_number_that_rested_longest_is_picked(bench: PoolUnderTest) -> None:
    for number in (B, A, C):
        bench.add(number)
        bench.advance(1)
    assert call_and_hang_up(bench) == B
    bench.advance(1)
    assert [call_and_hang_up(bench) for _ in range(2)] == [A, C]
    picked = [c.picked for c in bench.changes() if c.event == "call"]
    assert picked == ["longest"] * 3


def test_a_number_rests_for_the_cooldown(bench: PoolUnderTest) -> None:
    bench.create_again(cooldown_seconds=10)
    bench.add(A)
    call_and_hang_up(bench)
    assert bench.event("call").reason == "exhausted"
    refused = bench.event("call", A)
    assert (refused.code, refused.reason, refused.state) == (-1, "resting", "idle+up")
    assert (bench.figures().resting, bench.figures().pickable) == (1, 0)
    bench.advance(10)
    assert bench.event("call").number == A


def test_force_overrides_rest_only(bench: PoolUnderTest) -> None:
    bench.create_again(cooldown_seconds=10, daily_cap=2)
    bench.add(A)
    call_and_hang_up(bench)
    assert bench.event("call", A, force=True).ok
    bench.event("hangup", A)
    assert bench.event("call", A, force=True).reason == "capped"


def test_rest_goes_on_through_a_new_registration(bench: PoolUnderTest) -> None:
    bench.create_again(cooldown_seconds=10)
    bench.add(A)
    call_and_hang_up(bench)
    bench.event("unreg", A)
    bench.event("reg", A)
    assert bench.event("call", A).reason == "resting"


def test_a_capped_number_rests_until_midnight_of_the_accounts_zone(bench: PoolUnderTest) -> None:
    bench.create_again(daily_cap=2, zone="Asia/Shanghai")
    bench.add(A, B)
    for _ in range(2):
        call_and_hang_up(bench, A)
    assert bench.event("call", A).reason == "capped"
    assert bench.why_not(A) == "capped"
    assert call_and_hang_up(bench) == B
    assert bench.now is not None
    here = bench.now.astimezone(ZoneInfo("Asia/Shanghai"))
    midnight = datetime(here.year, here.month, here.day, tzinfo=here.tzinfo) + timedelta(days=1)
    state = bench.state(A)
    assert state is not None
    assert state.since_us == int(midnight.timestamp()) * 1_000_000
    assert bench.clock is not None
    bench.clock.set(state.since_us)
    assert bench.sweep().day == 1
    assert bench.event("call", A).ok
    state = bench.state(A)
    assert state is not None
    assert state.used_today == 1


def test_inbound_calls_do_not_count_towards_the_cap(bench: PoolUnderTest) -> None:
    bench.create_again(daily_cap=1)
    bench.add(A)
    for _ in range(3):
        call_and_hang_up(bench, A, direction="in")
    call_and_hang_up(bench, A)
    assert bench.event("call", A).reason == "capped"
    assert bench.event("call", A, direction="in").ok


def test_days_go_on_when_nobody_writes_new_ones(bench: PoolUnderTest) -> None:
    bench.create_again(daily_cap=1)
    for _ in range(20):  # the list that Python wrote ends after 14
        bench.advance(86_400)
        assert bench.sweep().day == 1
        assert bench.sweep().day == 0
    conf = bench.client.hget(KEYS.tag, "conf")
    day_end = int(conf[83:93])
    assert bench.clock is not None
    now_s = bench.clock.now_us // 1_000_000
    assert now_s < day_end <= now_s + 86_400
    assert day_end % 86_400 == 0


def test_a_raised_cap_lets_numbers_back_by_a_scan(bench: PoolUnderTest) -> None:
    bench.create_again(daily_cap=1)
    bench.add(A)
    call_and_hang_up(bench)
    assert bench.event("call").reason == "exhausted"
    again = pool.PoolSettings(daily_cap=2)
    assert bench.run(pool.configure(SLUG, again, now=bench.now)).reason == "refresh"
    part = bench.run(pool.scan(SLUG, mend=True))
    assert [problem for _, _, problem in part.numbers] == ["rests without need"]
    assert bench.event("call").number == A


# -- sticky and near ---------------------------------------------------------------------------


def test_a_callee_sees_the_same_number_within_the_window(bench: PoolUnderTest) -> None:
    bench.create_again(sticky_seconds=100)
    bench.add(A)
    bench.advance(1)
    bench.add(B)
    assert call_and_hang_up(bench, callee="139") == A
    bench.advance(1)
    assert call_and_hang_up(bench, callee="139") == A
    assert bench.changes()[-2].picked == "sticky"
    assert bench.event("call", callee="139", sticky=False).number == B
    bench.event("hangup", B)
    bench.advance(101)
    assert bench.event("call", callee="139").number == A
    assert bench.changes()[-1].picked == "longest"


def test_sticky_falls_back_when_its_number_is_not_free(bench: PoolUnderTest) -> None:
    bench.create_again(sticky_seconds=100)
    bench.add(A, B)
    assert bench.event("call", A, callee="139").ok
    assert bench.event("call", callee="139").number == B
    bench.event("hangup", A)
    bench.event("hangup", B)
    bench.run(pool.quarantine(SLUG, [B], "spam"))
    assert bench.event("call", callee="139").number == A


def test_a_near_number_is_picked_first_then_any(bench: PoolUnderTest) -> None:
    bench.create_again(near=True)
    bench.add(A, near="86-beijing")
    bench.add(B, near="86-shanghai")
    bench.add(C)
    assert bench.event("call", near="86-shanghai").number == B
    assert bench.changes()[-1].picked == "near"
    assert bench.event("call", near="86-shanghai").number == A
    assert bench.changes()[-1].picked == "longest"
    assert bench.event("call", near="1-nowhere").number == C


def test_near_numbers_rest_too_and_the_longest_rested_comes_first(bench: PoolUnderTest) -> None:
    bench.create_again(near=True, cooldown_seconds=10)
    for number in (A, B):
        bench.add(number, near="86")
        bench.advance(1)
    assert call_and_hang_up(bench, near="86") == A
    assert call_and_hang_up(bench, near="86") == B
    assert bench.event("call", near="86").reason == "exhausted"
    bench.advance(10)
    assert bench.event("call", near="86").number == A


def test_a_near_number_that_went_down_or_was_deleted_is_never_picked(bench: PoolUnderTest) -> None:
    bench.create_again(near=True)
    for number in (A, B, C):
        bench.add(number, near="86")
    assert bench.event("unreg", A).ok
    assert bench.event("del", B).ok
    assert bench.problems() == []
    bench.event("add", B, near="86")
    assert bench.event("call", near="86").number == C
    assert bench.event("call", near="86").reason == "exhausted"
    assert bench.event("reg", B).ok
    assert bench.event("call", near="86").number == B
    assert bench.changes()[-1].picked == "near"


@pytest.mark.parametrize("again", ["add", "load", "written beside the scripts, then mended"])
def test_a_number_that_comes_back_without_a_region_is_near_to_nobody(
    bench: PoolUnderTest, again: str
) -> None:
    bench.create_again(near=True)
    bench.add(A, near="86")
    bench.add(B)
    bench.event("del", A)
    bench.advance(1)
    if again == "add":
        bench.add(A)
    elif again == "load":
        bench.run(pool.load(SLUG, [pool.StoredNumber(A, up=True)]))
    else:
        bench.client.hset(KEYS.numstate, A, '{"callstate":0,"regstate":1}')
        bench.run(pool.scan(SLUG, mend=True))
    assert bench.problems() == []
    assert bench.event("call", near="86").number == B
    assert bench.changes()[-1].picked == "longest"


def test_a_sweep_takes_those_that_went_down_or_were_deleted_out_of_near(
    bench: PoolUnderTest,
) -> None:
    bench.create_again(near=True)
    for number in (A, B, C):
        bench.add(number, near="86")
    bench.event("unreg", A)
    bench.event("del", B)
    bench.sweep()
    assert bench.client.zrange(KEYS.near, 0, -1) == [C]
    bench.event("reg", A)
    assert set(bench.client.zrange(KEYS.near, 0, -1)) == {A, C}


def test_regions_may_come_later_and_near_may_be_turned_on_later(bench: PoolUnderTest) -> None:
    bench.add(A, B)
    assert bench.run(pool.label(SLUG, {A: "86-x", B: "86-y", "99": "86-z"})) == 2
    on = pool.PoolSettings(near=True)
    assert bench.run(pool.configure(SLUG, on, now=bench.now)).reason == "refresh"
    bench.run(pool.scan(SLUG, mend=True))
    assert bench.event("call", near="86-y").number == B
    assert bench.run(pool.label(SLUG, {A: "86-y", B: ""})) == 2
    assert bench.event("call", near="86-y").number == A
    bench.event("hangup", A)
    bench.event("hangup", B)
    state = bench.state(A)
    assert state is not None
    assert state.region == "86-y"
    assert bench.run(pool.configure(SLUG, pool.PoolSettings(), now=bench.now)).reason == ""
    assert bench.client.exists(KEYS.near) == 0


# -- waiting -----------------------------------------------------------------------------------


def wait(bench: PoolUnderTest, call_id: str, wait_ms: int = 5_000) -> pool.EventOutcome:
    return bench.event("call", call_id=call_id, wait_ms=wait_ms)


def test_a_hangup_hands_its_number_to_the_first_who_waits(bench: PoolUnderTest) -> None:
    bench.add(A)
    bench.event("call", call_id="busy")
    first, second = wait(bench, "one"), wait(bench, "two")
    assert [(o.code, o.reason, o.place) for o in (first, second)] == [
        (0, "waiting", 1),
        (0, "waiting", 2),
    ]
    assert first.retry_ms is not None
    assert bench.figures().waiting == 2
    with bench.client.pubsub(ignore_subscribe_messages=True) as heard:
        heard.subscribe(KEYS.offers_channel)
        heard.get_message(timeout=patient(5))
        bench.event("hangup", call_id="busy")
        message = heard.get_message(timeout=patient(5))
        assert message["data"] == "one"
    assert bench.event("call").reason == "exhausted"
    assert bench.why_not(A) == "offered"
    assert bench.event("call", A).reason == "offered"
    assert wait(bench, "two").reason == "waiting"
    assert wait(bench, "one").number == A
    assert bench.changes()[-1].picked == "offered"
    assert bench.event("call", call_id="one").reason == "repeat"


def test_a_dead_waiters_offer_goes_on_after_a_second(bench: PoolUnderTest) -> None:
    bench.add(A)
    bench.event("call", call_id="busy")
    wait(bench, "dead")
    wait(bench, "alive")
    bench.event("hangup", call_id="busy")
    bench.advance(0.9)
    assert wait(bench, "alive").reason == "waiting"
    bench.advance(0.1)
    assert wait(bench, "alive").number == A
    figures = bench.figures()
    assert (figures.waiting, figures.blocked) == (0, 1)


def test_an_offer_that_nobody_takes_frees_the_number(bench: PoolUnderTest) -> None:
    bench.add(A)
    bench.event("call", call_id="busy")
    wait(bench, "dead")
    bench.event("hangup", call_id="busy")
    bench.advance(1)
    bench.sweep()
    assert bench.idle() == [A]
    assert bench.event("call", call_id="dead").ok


def test_waiting_ends_exhausted_and_counts_once(bench: PoolUnderTest) -> None:
    bench.add(A)
    bench.event("call", call_id="busy")
    assert wait(bench, "one", 1_000).reason == "waiting"
    bench.advance(1)
    assert wait(bench, "one", 1_000).reason == "exhausted"
    assert bench.figures().waiting == 0
    assert wait(bench, "one", 1_000).reason == "waiting"
    assert bench.event("call", call_id="one").reason == "exhausted"
    assert bench.figures().blocked == 1
    assert bench.figures().offered == 2


def test_a_waiter_that_is_never_heard_again_is_forgotten(bench: PoolUnderTest) -> None:
    bench.add(A)
    bench.event("call", call_id="busy")
    wait(bench, "gone", 1_000)
    bench.advance(3)
    bench.sweep()
    assert (bench.figures().waiting, bench.figures().blocked) == (0, 1)


def test_a_waiter_may_leave(bench: PoolUnderTest) -> None:
    bench.add(A)
    bench.event("call", call_id="busy")
    wait(bench, "one")
    wait(bench, "two")
    bench.event("hangup", call_id="busy")
    left = bench.event("hangup", call_id="one")
    assert (left.code, left.reason) == (1, "left")
    assert wait(bench, "two").number == A
    assert bench.event("call", call_id="one").reason == "ended"


def test_nobody_overtakes_those_who_wait(bench: PoolUnderTest) -> None:
    bench.create_again(cooldown_seconds=2)
    bench.add(A)
    call_and_hang_up(bench)
    assert wait(bench, "first").retry_ms == 1_000
    bench.advance(2)
    assert bench.event("call", call_id="late").reason == "exhausted"
    assert wait(bench, "first").number == A


def test_a_new_number_goes_to_who_waits(bench: PoolUnderTest) -> None:
    wait(bench, "one")
    bench.add(A)
    assert bench.idle() == []
    assert wait(bench, "one").number == A


@pytest.mark.parametrize("way", ["unreg", "del", "quarantine", "inbound"])
def test_a_withdrawn_offer_puts_the_waiter_back_in_its_place(
    bench: PoolUnderTest, way: str
) -> None:
    bench.add(A)
    bench.event("call", call_id="busy")
    wait(bench, "one")
    wait(bench, "two")
    bench.event("hangup", call_id="busy")
    if way == "quarantine":
        bench.run(pool.quarantine(SLUG, [A], "spam"))
    elif way == "inbound":
        assert bench.event("call", A, direction="in").ok
    else:
        assert bench.event(way, A).ok
    assert wait(bench, "one").place == 1
    bench.add(B)
    assert wait(bench, "two").reason == "waiting"
    assert wait(bench, "one").number == B


def test_waiting_needs_a_call_id_and_is_refused_in_a_batch(bench: PoolUnderTest) -> None:
    assert bench.event("call", wait_ms=5).reason == "malformed wait_ms without call_id"
    call, reg = pool.Event.of("call", call_id="x", wait_ms=5), pool.Event.of("reg", A)
    outcomes = bench.run(pool.events(SLUG, [pool.Event.of("add", A), call, reg]))
    assert [o.reason for o in outcomes] == ["", "malformed wait_ms in a batch", ""]
    assert bench.idle() == [A]


def test_only_so_many_may_wait(bench: PoolUnderTest) -> None:
    bench.create_again(waiters_limit=1)
    assert wait(bench, "one").reason == "waiting"
    assert wait(bench, "two").reason == "exhausted"


def test_nobody_is_served_in_a_paused_pool(bench: PoolUnderTest) -> None:
    bench.add(A)
    bench.event("call", call_id="busy")
    wait(bench, "one")
    bench.run(pool.pause(SLUG, "now"))
    bench.event("hangup", call_id="busy")
    assert bench.idle() == [A]
    bench.run(pool.resume(SLUG))
    assert wait(bench, "one").number == A


# -- charged pools -----------------------------------------------------------------------------


def test_a_charged_pool_wants_a_voucher_that_works_once(bench: PoolUnderTest) -> None:
    bench.create_again(charged=True)
    bench.add(A, B)
    assert bench.event("call", call_id="x").reason == "charge first"
    assert bench.event("call", call_id="x", paid="v1").reason == "charge first"
    bench.run(pool.voucher(SLUG, "v1", 60, call_id="x"))
    assert bench.event("call", call_id="other", paid="v1").reason == "charge first"
    assert bench.event("call", call_id="x", paid="v1").number == A
    assert bench.event("call", call_id="x", paid="v1").reason == "repeat"
    assert bench.run(pool.revoke_voucher(SLUG, "v1", call_id="x")).reason == "used"
    assert bench.run(pool.voucher(SLUG, "v1", 60, call_id="x")).reason == "used"
    assert bench.event("call", call_id="y", paid="v1").reason == "charge first"
    assert bench.figures().blocked == 0


def test_a_voucher_ends_and_can_be_taken_back(bench: PoolUnderTest) -> None:
    bench.create_again(charged=True)
    bench.add(A)
    bench.run(pool.voucher(SLUG, "v1", 60))
    bench.advance(61)
    assert bench.event("call", paid="v1").reason == "charge first"
    bench.run(pool.voucher(SLUG, "v2", 60))
    assert bench.run(pool.revoke_voucher(SLUG, "v2")).reason == ""
    assert bench.run(pool.voucher(SLUG, "v2", 60)).reason == "taken"
    assert bench.event("call", paid="v2").reason == "charge first"


def test_an_exhausted_pool_leaves_the_voucher_to_be_returned(bench: PoolUnderTest) -> None:
    bench.create_again(charged=True)
    bench.run(pool.voucher(SLUG, "v1", 60))
    assert bench.event("call", call_id="x", paid="v1").reason == "exhausted"
    assert bench.run(pool.revoke_voucher(SLUG, "v1")).reason == ""


def test_a_charged_call_is_renewed_by_a_voucher_only(bench: PoolUnderTest) -> None:
    bench.create_again(charged=True, lease_seconds=60)
    bench.add(A)
    bench.run(pool.voucher(SLUG, "v1", 60))
    bench.event("call", call_id="x", paid="v1", switch="sw", incarnation="boot-1")
    assert bench.event("renew", call_id="x").reason == "charge first"
    bench.run(pool.voucher(SLUG, "v2", 60, call_id="x"))
    assert bench.event("renew", call_id="x", paid="v2").ok
    assert bench.event("renew", call_id="x", paid="v2").reason == "charge first"


def test_an_unpaid_call_is_no_longer_kept_by_live_lists(bench: PoolUnderTest) -> None:
    bench.create_again(charged=True, lease_seconds=60)
    bench.add(A)
    bench.run(pool.voucher(SLUG, "v1", 60))
    bench.event("call", call_id="x", paid="v1", switch="sw", incarnation="boot-1")
    marked = bench.run(pool.mark_unpaid(SLUG, A, "x"))
    assert (marked.code, marked.call_id, marked.switch) == (1, "x", "sw")
    bench.advance(59)
    listed = bench.live_list([("x", A)])
    assert (listed.renewed, listed.hang_up) == (0, (pool.Listed("x", A),))
    bench.advance(1)
    assert bench.sweep().lapsed == 1
    assert bench.changes()[-1].reason == "unpaid"


# -- what is forgotten -------------------------------------------------------------------------


def test_what_has_had_its_time_is_forgotten(bench: PoolUnderTest) -> None:
    bench.create_again(sticky_seconds=60, charged=False)
    bench.add(A)
    for n in range(50):
        call_and_hang_up(bench, call_id=f"c{n}", callee=f"139{n}")
    bench.event("call", A)
    bench.event("call", call_id="blocked")
    bench.run(pool.voucher(SLUG, "v", 60))
    assert len(index_of(bench.client)) == 102
    bench.advance(61)
    bench.sweep()
    assert len(index_of(bench.client)) == 52
    bench.advance(600)
    bench.sweep()
    # A voucher stays until the result of its call is known.
    assert len(index_of(bench.client)) == 1
    assert bench.run(pool.revoke_voucher(SLUG, "v")).reason == ""
    assert len(index_of(bench.client)) == 0


def test_midnights_follow_the_zones_clock_changes() -> None:
    settings = pool.PoolSettings(zone="Europe/Berlin")
    days = settings.midnights(datetime(2026, 3, 27, 12, tzinfo=UTC))
    lengths = [(b - a) // 3600 for a, b in itertools.pairwise(days)]
    assert lengths[:3] == [24, 23, 24]
    assert pool.PoolSettings.from_conf("o" + settings.columns()) == pool.PoolSettings()


def test_settings_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ValueError, match="daily_cap"):
        pool.PoolSettings(daily_cap=10**6).columns()
    with pytest.raises(ValueError, match="lease_seconds"):
        pool.PoolSettings(lease_seconds=-1).columns()
