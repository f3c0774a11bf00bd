"""A SIP proxy that restarts: it holds no media, so its calls continue and keep their numbers."""

from numbers import pool
from tests.numbers.pool_support import SLUG, PoolUnderTest

A, B, C = "13800000001", "13800000002", "13800000003"
OLD = {"switch": "kam", "incarnation": "boot-1"}
NEW = {"switch": "kam", "incarnation": "boot-2"}


def list_of(bench: PoolUnderTest, *calls: tuple[str, str]) -> pool.ListPart:
    return bench.live_list(calls, switch="kam", incarnation="boot-2")


def test_a_new_incarnation_frees_none_of_twelve_running_calls(bench: PoolUnderTest) -> None:
    numbers = [f"1380000{n:04d}" for n in range(12)]
    bench.add(*numbers)
    held = {bench.event("call", call_id=f"c{n}", **OLD).number for n in range(12)}
    assert held == set(numbers)
    restarted = bench.event("reg", numbers[0], **NEW)
    assert (restarted.code, restarted.release) == (1, False)
    assert bench.run(pool.release(SLUG)) is False
    bench.sweep()
    bench.advance(60)
    bench.sweep()
    assert bench.figures().busy_up == 12
    again = bench.event("call", call_id="new", **NEW)
    assert (again.code, again.reason) == (0, "exhausted")
    restart = next(change for change in bench.changes() if change.event == "restart")
    assert (restart.switch, restart.incarnation, restart.reason) == ("kam", "boot-2", "calls kept")


def test_a_switch_without_a_kind_is_a_proxy_also_in_data_of_the_release_before(
    bench: PoolUnderTest,
) -> None:
    bench.client.hdel("{numpool}", "media", "added_by_script")
    bench.add(A)
    assert bench.event("call", A, call_id="a", **OLD).ok
    assert not bench.event("reg", A, **NEW).release
    assert bench.why_not(A) == "busy"
    assert bench.figures().settings == bench.settings


def test_the_running_call_ends_by_a_hangup_of_the_new_incarnation(bench: PoolUnderTest) -> None:
    bench.add(A, B)
    bench.event("call", A, call_id="a", **OLD)
    bench.event("call", B, call_id="b", **OLD)
    assert bench.event("hangup", call_id="a", **NEW).state == "idle+up"
    late = bench.event("hangup", call_id="b", **OLD)
    assert (late.code, late.reason) == (-1, "stale incarnation")
    state = bench.state(B)
    assert state is not None
    assert state.call is not None
    assert state.call.incarnation == "boot-1"
    assert bench.event("hangup", B, call_id="b", **NEW).ok


def test_two_lists_of_the_new_incarnation_give_back_what_has_ended(bench: PoolUnderTest) -> None:
    bench.add(A, B)
    bench.event("call", A, call_id="gone", **OLD)
    bench.event("call", B, call_id="alive", **OLD)
    bench.advance(11)
    first = list_of(bench, ("alive", B))
    assert (first.renewed, first.lease_without_call) == (1, (pool.Listed("gone", A),))
    assert bench.why_not(A) == "busy"
    bench.advance(30)
    assert list_of(bench, ("alive", B)).released == (pool.Listed("gone", A),)
    assert (bench.why_not(A), bench.why_not(B)) == ("", "busy")


def test_what_the_incarnation_before_did_not_list_is_no_miss_of_the_new_one(
    bench: PoolUnderTest,
) -> None:
    bench.add(A)
    bench.event("call", A, call_id="a", **OLD)
    bench.advance(11)
    old = bench.live_list([], switch="kam", incarnation="boot-1")
    assert old.lease_without_call == (pool.Listed("a", A),)
    bench.advance(30)
    assert list_of(bench).released == ()
    bench.advance(30)
    assert list_of(bench, ("a", A)).renewed == 1
    bench.advance(30)
    assert list_of(bench).released == ()
    assert bench.why_not(A) == "busy"


def test_calls_younger_than_the_new_incarnations_list_are_not_judged(bench: PoolUnderTest) -> None:
    bench.add(A)
    bench.event("call", A, call_id="a", **OLD)
    bench.event("reg", A, **NEW)
    for _ in range(2):
        bench.advance(4)
        assert list_of(bench).lease_without_call == ()
    assert bench.why_not(A) == "busy"


def test_without_a_list_the_lease_ends_as_for_any_call(bench: PoolUnderTest) -> None:
    bench.add(A)
    bench.event("call", A, call_id="a", **OLD)
    bench.event("reg", A, **NEW)
    bench.advance(bench.settings.lease_seconds)
    bench.sweep()
    assert bench.why_not(A) == "suspect"  # it was not heard for long
    bench.advance(bench.settings.suspect_seconds)
    bench.sweep()
    assert bench.why_not(A) == ""
    assert bench.changes()[-1].reason == "lease ended"


def test_a_call_without_a_lease_is_not_taken_back_by_lists_of_two_lives(
    bench: PoolUnderTest,
) -> None:
    bench.add(A)
    old = bench.live_list([("x", A)], switch="kam", incarnation="boot-1")
    assert old.call_without_lease == (pool.Listed("x", A),)
    assert list_of(bench, ("x", A)).adopted == ()
    assert list_of(bench, ("x", A)).adopted == (pool.Listed("x", A),)


def test_the_kind_of_now_decides_and_is_told_as_a_change(bench: PoolUnderTest) -> None:
    bench.add(A)
    bench.event("call", A, call_id="a", **OLD)
    settings = pool.PoolSettings(media=("kam",))
    seq = bench.figures().seq
    for _ in range(2):
        assert bench.run(pool.configure(SLUG, settings, now=bench.now)).ok
    assert bench.figures().settings == settings
    assert bench.figures().seq == seq + 1
    assert bench.event("reg", A, **NEW).release
    assert bench.run(pool.release(SLUG)) is False
    assert bench.why_not(A) == "resting"


def test_names_are_compared_whole(bench: PoolUnderTest) -> None:
    bench.create_again(media=("kam-2", "a-kam"))
    bench.add(A)
    bench.event("call", A, call_id="a", **OLD)
    assert not bench.event("reg", A, **NEW).release
    assert bench.why_not(A) == "busy"


def test_a_recovering_pool_waits_for_the_list_of_a_restarted_proxy(bench: PoolUnderTest) -> None:
    command = pool.recover(
        *(SLUG, 2, bench.settings),
        open_after_seconds=3_600,
        switches={"kam": "boot-1"},
        now=bench.now,
    )
    assert bench.run(command).ok
    assert (
        bench.run(
            pool.load(
                SLUG, [pool.StoredNumber(A, up=True), pool.StoredNumber(B, up=True)], event=""
            )
        )
        == 2
    )
    assert bench.run(pool.loaded(SLUG)).reason == "waiting"
    assert bench.event("reg", A, **NEW).ok
    assert bench.event("call", call_id="n", **NEW).reason == "recovering"
    assert list_of(bench, ("x", A)).adopted == (pool.Listed("x", A),)
    assert bench.figures().status == "open"
    assert bench.event("call", call_id="n", **NEW).number == B


def test_many_restarts_need_no_new_session_each(bench: PoolUnderTest) -> None:
    bench.add(A)
    bench.event("call", A, call_id="a", switch="kam", incarnation="0")
    for boot in range(1, 1_100):  # sessions are 1 047
        assert bench.event("renew", A, call_id="a", switch="kam", incarnation=str(boot)).ok
    assert bench.why_not(A) == "busy"
