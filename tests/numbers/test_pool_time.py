"""What has expired does not count, whichever command comes first; a clock that jumps ends no call.

No test sweeps unless it says so: only Redis and its clients are running.
"""

from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from numbers import pool
from poolsite.runtime.redis_server import RedisServer
from tests.numbers.pool_support import KEYS, SLUG, PoolUnderTest, pool_on

A, B, C = "13800000001", "13800000002", "13800000003"
LEASE, SUSPECT, HOUR = 600, 120, 3_600


@pytest.fixture
def short(bench: PoolUnderTest) -> PoolUnderTest:
    """A pool of two numbers whose calls last ten minutes unless they are renewed."""
    bench.create_again(lease_seconds=LEASE, suspect_seconds=SUSPECT)
    bench.add(A, B)
    return bench


@pytest.fixture
def everywhere(each_redis: RedisServer) -> Iterator[PoolUnderTest]:
    """A pool on Redis 6.2, 7 and Valkey, by the machine's own clock."""
    with pool_on(each_redis.url) as bench:
        bench.client.flushall()
        yield bench.create(lease_seconds=1, suspect_seconds=1)
        assert bench.problems() == []


def take_both(bench: PoolUnderTest) -> None:
    assert bench.event("call", call_id="x").number == A
    assert bench.event("call", call_id="y").number == B
    assert bench.event("call").reason == "exhausted"


# -- leases


def test_a_number_whose_lease_has_lapsed_is_lent_to_who_asks(short: PoolUnderTest) -> None:
    take_both(short)
    short.advance(LEASE - 1)
    assert short.event("call").reason == "exhausted"
    short.advance(1)
    assert short.event("call", call_id="z").number == A
    assert short.event("call", call_id="x").reason == "ended"
    assert short.event("hangup", A, call_id="x").reason in ("repeat", "other call")
    assert [c.reason for c in short.changes() if c.event == "released"] == ["lease ended"] * 2


def test_a_batch_of_calls_gets_them_too(short: PoolUnderTest) -> None:
    take_both(short)
    short.advance(LEASE)
    events = [pool.Event.of("call", call_id=f"n{n}") for n in range(3)]
    replies = short.run(pool.events(SLUG, events))
    assert [reply.number for reply in replies] == [A, B, ""]


def test_a_number_that_is_asked_for_is_free_when_its_lease_has_lapsed(short: PoolUnderTest) -> None:
    take_both(short)
    short.advance(LEASE)
    assert short.event("call", B, call_id="z").ok
    assert short.event("call", A, call_id="in", direction="in").ok


def test_the_same_call_id_does_not_get_its_old_number_again(short: PoolUnderTest) -> None:
    take_both(short)
    short.advance(LEASE)
    assert short.event("call", call_id="x").reason == "ended"
    assert short.event("call", call_id="z").number == A


def test_a_call_that_is_renewed_late_goes_on(short: PoolUnderTest) -> None:
    """A caller that renews is in the call; no other call had its number meanwhile."""
    take_both(short)
    short.advance(LEASE)
    assert short.event("renew", call_id="x").ok
    assert short.event("call", call_id="z").number == B
    assert short.event("call", A).reason == "busy"


def test_a_silent_switchs_number_is_suspect_first(short: PoolUnderTest) -> None:
    assert short.event("call", A, call_id="x", switch="sw", incarnation="boot-1").ok
    short.advance(LEASE)
    assert short.event("call", A).reason == "suspect"
    short.advance(SUSPECT)
    assert short.event("call", A).ok


def test_a_waiting_call_gets_a_number_whose_lease_lapses(short: PoolUnderTest) -> None:
    take_both(short)
    short.advance(LEASE - 2)
    assert short.event("call", call_id="z", wait_ms=5_000).waiting
    short.advance(2)
    assert short.event("call", call_id="z", wait_ms=5_000).number == A


def test_a_number_added_again_is_free_when_its_old_call_has_lapsed(short: PoolUnderTest) -> None:
    take_both(short)
    short.event("del", A)
    short.add(A)
    assert short.event("call", A).reason == "old call"
    short.advance(LEASE)
    assert short.event("call", A).ok


def test_a_deleted_numbers_call_that_is_renewed_keeps_the_number(short: PoolUnderTest) -> None:
    take_both(short)
    short.event("del", A)
    short.add(A)
    for _ in range(3):
        short.advance(LEASE - 1)
        renewed = short.event("renew", call_id="x")
        assert (renewed.code, renewed.reason) == (1, "old call")
        assert short.event("call", A).reason == "old call"
    assert short.event("hangup", A, call_id="x").reason == "old call"
    assert short.event("call", A).ok


def test_a_lowered_cap_keeps_numbers_that_have_reached_it_by_a_scan(bench: PoolUnderTest) -> None:
    bench.create_again(daily_cap=5)
    bench.add(A, B)
    for call_id in ("x", "y", "z"):
        assert bench.event("call", A, call_id=call_id).ok
        bench.event("hangup", A, call_id=call_id)
    lower = pool.PoolSettings(daily_cap=2)
    assert bench.run(pool.configure(SLUG, lower, now=bench.now)).reason == "refresh"
    bench.run(pool.scan(SLUG, mend=True))
    assert [bench.why_not(number) for number in (A, B)] == ["capped", ""]
    assert bench.event("call", A, force=True).reason == "capped"
    assert bench.problems() == []


def test_calls_of_a_switch_that_restarted_end_when_somebody_asks(bench: PoolUnderTest) -> None:
    bench.create_again(restart_rest_seconds=0, media=("sw",))
    bench.add(A)
    assert bench.event("call", call_id="x", switch="sw", incarnation="boot-1").ok
    assert bench.event("reg", A, switch="sw", incarnation="boot-2").ok
    assert bench.event("call", call_id="z").number == A


def test_however_many_leases_have_lapsed_a_request_ends_a_few(short: PoolUnderTest) -> None:
    numbers = [f"1390000{n:04}" for n in range(100)]
    short.add(*numbers)
    for _ in range(102):
        assert short.event("call").ok
    short.advance(LEASE)
    assert short.event("call").ok
    assert short.figures().busy_up == 102 - 32 + 1
    for _ in range(101):
        assert short.event("call").ok
    assert short.event("call").reason == "exhausted"


def test_a_shorter_lease_counts_from_when_it_is_set(short: PoolUnderTest) -> None:
    take_both(short)
    shorter = pool.PoolSettings(lease_seconds=10, suspect_seconds=10)
    short.run(pool.configure(SLUG, shorter, now=short.now))
    assert short.event("hangup", A, call_id="x").ok
    assert short.event("call", call_id="z").number == A
    short.advance(10)
    assert short.event("call").number == A


# -- registrations, rests, the day, a recovering pool


@pytest.mark.parametrize("seconds", [60, 86_400])
def test_a_registration_past_its_time_does_not_count(bench: PoolUnderTest, seconds: int) -> None:
    bench.add(A, up=False)
    assert bench.event("reg", A, contact="sip:a", expires=60).ok
    bench.advance(59)
    assert bench.event("call", call_id="x").number == A
    assert bench.event("hangup", call_id="x").ok
    bench.advance(seconds)
    assert bench.event("call").reason == "exhausted"
    assert bench.event("call", A).reason == "offline"
    assert bench.event("call", A, direction="in").reason == "offline"


def test_a_registration_past_its_time_is_not_offered_to_who_waits(bench: PoolUnderTest) -> None:
    bench.add(A, up=False)
    assert bench.event("reg", A, contact="sip:a", expires=30).ok
    assert bench.event("call", call_id="x").number == A
    assert bench.event("call", call_id="z", wait_ms=60_000).waiting
    bench.advance(29.5)
    bench.run(pool.quarantine(SLUG, [A], "spam"))
    assert bench.event("hangup", call_id="x").ok
    bench.advance(0.5)
    bench.run(pool.unquarantine(SLUG, [A]))
    assert bench.event("call", call_id="z", wait_ms=60_000).waiting


def test_one_that_was_renewed_counts_on(bench: PoolUnderTest) -> None:
    bench.add(A, B, up=False)
    for number in (A, B):
        assert bench.event("reg", number, contact="sip:a", expires=60).ok
    bench.advance(50)
    assert bench.event("reg", B, contact="sip:a", expires=60).ok
    bench.advance(20)
    assert bench.event("call").number == B
    assert bench.event("call").reason == "exhausted"


def test_a_rest_that_is_over_does_not_count(bench: PoolUnderTest) -> None:
    bench.create_again(cooldown_seconds=60)
    bench.add(A)
    assert bench.event("call", A).ok
    assert bench.event("hangup", A).ok
    assert bench.event("call").reason == "exhausted"
    bench.step(60)
    assert bench.event("call", A).ok


def test_after_midnight_the_daily_cap_counts_anew(bench: PoolUnderTest) -> None:
    bench.create_again(daily_cap=1)
    bench.add(A)
    for _ in range(2):
        assert bench.event("call").number == A
        assert bench.event("hangup", A).ok
        assert bench.event("call", A).reason == "capped"
        assert bench.event("call").reason == "exhausted"
        bench.step(86_400)


def test_a_recovering_pool_opens_when_its_time_has_come(bench: PoolUnderTest) -> None:
    silent = {"sw": "boot-1"}
    assert bench.run(
        pool.recover(SLUG, 2, bench.settings, open_after_seconds=90, switches=silent, now=bench.now)
    ).ok
    bench.run(pool.load(SLUG, [pool.StoredNumber(A, up=True)]))
    bench.run(pool.loaded(SLUG))
    bench.advance(89)
    assert bench.event("call").reason == "recovering"
    bench.advance(1)
    assert bench.event("call").number == A
    assert bench.figures().status == "open"


# -- the clock


@pytest.mark.parametrize("seconds", [4, 60, HOUR, LEASE + 1, 86_400])
def test_a_jump_of_the_clock_lends_no_number_twice(short: PoolUnderTest, seconds: float) -> None:
    take_both(short)
    short.step(seconds)
    for number in ("", A, B):
        assert not short.event("call", number).ok
    assert short.event("call", A, direction="in").reason == "busy"
    assert short.event("call", call_id="x").reason == "repeat"
    swept = short.sweep()
    assert (swept.suspected, swept.lapsed, swept.renewed) == (0, 0, 0)
    short.advance(LEASE - 1)
    assert not short.event("call").ok
    short.advance(1)
    assert short.event("call").number == A


@pytest.mark.parametrize("way", ["call", "hangup", "batch", "sweep", "pause", "scan", "malformed"])
def test_whoever_comes_first_after_a_jump_keeps_the_doubt(short: PoolUnderTest, way: str) -> None:
    take_both(short)
    short.step(HOUR)
    if way == "sweep":
        short.sweep()
    elif way == "batch":
        short.run(pool.events(SLUG, [pool.Event.of("reg", A)] * 2))
    elif way == "pause":
        short.run(pool.pause(SLUG, "why"))
        short.run(pool.resume(SLUG))
    elif way == "scan":
        assert short.problems() == []
    elif way == "malformed":
        short.raw("jump")
    else:
        short.event(way, A, call_id="other")
    short.step(1)
    assert not short.event("call").ok


def test_a_clock_that_is_put_back_is_believed_again(short: PoolUnderTest) -> None:
    take_both(short)
    short.step(HOUR)
    assert not short.event("call").ok
    short.step(2 - HOUR)
    assert not short.event("call").ok
    short.advance(LEASE - 3)
    assert not short.event("call").ok
    short.advance(1)
    assert short.event("call").number == A


def test_a_small_step_back_after_a_jump_does_not_end_the_doubt(short: PoolUnderTest) -> None:
    take_both(short)
    short.step(HOUR)
    assert not short.event("call").ok
    short.step(-10)
    assert not short.event("call").ok
    assert short.sweep().lapsed == 0


def test_a_recovering_pool_is_not_opened_by_a_jump(bench: PoolUnderTest) -> None:
    silent = {"sw": "boot-1"}
    assert bench.run(
        pool.recover(SLUG, 2, bench.settings, open_after_seconds=90, switches=silent, now=bench.now)
    ).ok
    bench.run(pool.load(SLUG, [pool.StoredNumber(A, up=True)]))
    bench.run(pool.loaded(SLUG))
    bench.step(HOUR)
    assert bench.event("call").reason == "recovering"
    assert bench.sweep().opened == 0


@pytest.mark.parametrize("away", [60, LEASE, HOUR, 86_400])
def test_a_pool_that_nobody_asked_lends_again_within_a_leases_length(
    short: PoolUnderTest, away: int
) -> None:
    take_both(short)
    short.step(away)
    asked = 0
    while not short.event("call").ok:
        short.advance(1)
        asked += 1
    assert max(LEASE - away, 0) <= asked <= LEASE


def test_asked_once_a_minute_it_lends_again_within_two_leases(short: PoolUnderTest) -> None:
    take_both(short)
    for _ in range(2 * LEASE // 60 + 1):
        short.step(60)
        if short.event("call").ok:
            return
    raise AssertionError("no number came back")


def test_a_pool_that_the_timers_visit_never_doubts_its_clock(short: PoolUnderTest) -> None:
    take_both(short)
    for _ in range(int(LEASE / 2.5)):
        short.step(pool.VISIT_SECONDS + 0.5)  # visits may be a little late
        short.sweep()
    assert short.event("call").number == A


def test_in_doubt_the_visit_waits_with_the_leases(short: PoolUnderTest) -> None:
    take_both(short)
    short.step(LEASE - 20)
    assert short.sweep().lapsed == 0
    swept = short.sweep()
    assert (swept.next_us - swept.now_us) / 1e6 == pytest.approx(SUSPECT, abs=1)
    short.advance(LEASE - 1)
    assert short.sweep().lapsed == 0
    short.advance(1)
    assert short.sweep().lapsed == 2


def test_a_pool_of_an_older_release_is_kept_up_as_well(short: PoolUnderTest) -> None:
    take_both(short)
    short.client.hset(KEYS.tag, "conf", short.client.hget(KEYS.tag, "conf")[:103])
    short.step(HOUR)
    assert not short.event("call").ok
    short.advance(LEASE)
    assert short.event("call").number == A


PASSES = st.tuples(st.just("pass"), st.sampled_from([0.5, 2, 3, 5, 60, 300, 599, 601, 4_000]))
ASKS = st.tuples(st.sampled_from(["call", "asked", "sweep"]), st.just(0.0))


@settings(max_examples=60, suppress_health_check=list(HealthCheck), deadline=None)
@given(
    before=st.lists(st.one_of(PASSES, ASKS), max_size=12),
    jump=st.sampled_from([4.0, 590, 601, HOUR, 86_400, -601, -HOUR]),
    after=st.lists(st.one_of(PASSES, ASKS), max_size=20),
    at_last=st.lists(st.one_of(PASSES, ASKS), max_size=20),
)
@example([("call", 0), ("call", 0)], HOUR, [("pass", 3), ("call", 0)], [])
@example([("call", 0), ("call", 0)], -HOUR, [("sweep", 0)], [("call", 0)])
def test_over_a_jump_no_number_is_ever_in_two_calls(
    short: PoolUnderTest,
    before: list[tuple[str, float]],
    jump: float,
    after: list[tuple[str, float]],
    at_last: list[tuple[str, float]],
) -> None:
    """The callers' own clock judges: each has its number for a lease's length from its call.

    The clock jumps, and later is right again.
    """
    short.create_again(lease_seconds=LEASE, suspect_seconds=SUSPECT)
    short.add(A, B)
    callers_now, until = 0.0, {A: 0.0, B: 0.0}
    for what, seconds in [*before, ("jump", jump), *after, ("jump", -jump), *at_last]:
        if what in ("pass", "jump"):
            short.step(seconds)
            callers_now += seconds if what == "pass" else 0
        elif what == "sweep":
            short.sweep()
        else:
            outcome = short.event("call", A if what == "asked" else "")
            if outcome.ok:
                assert until[outcome.number] <= callers_now
                until[outcome.number] = callers_now + LEASE


def test_on_every_redis_a_lapsed_lease_is_lent_again(everywhere: PoolUnderTest) -> None:
    everywhere.add(A)
    assert everywhere.event("call", call_id="x").number == A
    assert everywhere.event("call").reason == "exhausted"
    lapsed = everywhere.figures().as_of_us - 2_000_000  # as if 2 s had passed
    everywhere.client.zadd(KEYS.timers, {A: 1000 * 2**42 + lapsed // 1000})
    conf = everywhere.client.hget(KEYS.tag, "conf")
    everywhere.client.hset(KEYS.tag, "conf", conf[:119] + "0" * 16 + conf[135:])
    assert everywhere.event("call", call_id="z").number == A
    # The clock seems to have jumped by an hour: nothing ends.
    state = everywhere.figures().as_of_us
    everywhere.client.hset(KEYS.tag, "clock", state - HOUR * 1_000_000)
    everywhere.client.zadd(KEYS.timers, {A: 1000 * 2**42 + (state - 1_000_000) // 1000})
    assert everywhere.event("call").reason == "exhausted"
    assert everywhere.event("call", A).reason == "busy"
