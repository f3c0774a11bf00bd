"""Generations, lost data, releases that overlap, and clocks that step."""

import time
from collections.abc import Iterator

import pytest

from poolsite import hotpath
from poolsite.hotpath.clock import PROVEN_SECONDS
from poolsite.runtime.redis_server import RedisServer
from tests.hotpath.support import SCRIPTS, TAG


@pytest.fixture
def path(clean_redis: RedisServer) -> Iterator[hotpath.HotPath]:
    with hotpath.connect(clean_redis.url) as path:
        yield path


def test_a_generation_is_later_than_every_one_before_whatever_the_clock_says() -> None:
    before_us = time.time_ns() // 1_000
    assert before_us <= hotpath.generation_new() <= time.time_ns() // 1_000
    ahead = before_us + 3_600_000_000
    assert hotpath.generation_new(1, ahead, 2) == ahead + 1


@pytest.mark.parametrize(
    ("held", "state"),
    [
        ({}, hotpath.LOST),
        ({"seq": 9}, hotpath.LOST),
        ({"generation": "other", "seq": 9}, hotpath.LOST),
        ({"generation": "g"}, hotpath.BEHIND),
        ({"generation": "g", "seq": 4}, hotpath.BEHIND),
        ({"generation": "g", "seq": 5}, hotpath.FRESH),
        ({"generation": "g", "seq": 1763693000123456}, hotpath.FRESH),
    ],
)
def test_redis_is_compared_with_what_sql_knows(
    path: hotpath.HotPath, held: dict[str, object], state: hotpath.AggregateState
) -> None:
    if held:
        path.client().hset(TAG, mapping=held)
    assert hotpath.aggregate_state(TAG, "g", 5) is state


def test_many_aggregates_are_compared_in_one_batch(path: hotpath.HotPath) -> None:
    path.client().hset("{a}", mapping={"generation": "g", "seq": 3})
    commands = [hotpath.state_command(tag, "g", 3) for tag in ("{a}", "{b}")]
    assert hotpath.run_batch(commands) == [hotpath.FRESH, hotpath.LOST]


def test_an_emptied_redis_is_lost_and_an_unreachable_one_is_unavailable(
    path: hotpath.HotPath,
) -> None:
    path.client().hset(TAG, mapping={"generation": "g", "seq": 5})
    path.client().flushall()
    assert hotpath.aggregate_state(TAG, "g", 5) is hotpath.LOST
    with hotpath.connect("redis://127.0.0.1:1"), pytest.raises(hotpath.Unavailable):
        hotpath.aggregate_state(TAG, "g", 5)


def test_a_script_of_two_releases_ago_is_told_its_successor(path: hotpath.HotPath) -> None:
    newer = SCRIPTS["prelude_probe"]  # version 4
    known = {"generation": "g", "script_version": newer.version, "script_sha": newer.sha1}
    path.client().hset(TAG, mapping=known)
    script = SCRIPTS["count"]  # version 1
    old = hotpath.Command(script, script.keys_of(TAG), ("x", ""), tuple)
    assert hotpath.run(old)[:2] == ("-1", f"script outdated {newer.sha1}")
    assert path.client().exists(f"{TAG}:log") == 0


# -- clock ----------------------------------------------------------------------------------------


def proven(**times: float) -> hotpath.ClockMonitor:
    """Return a monitor that has watched these clocks long enough, up to this time at pace 10."""
    monitor = hotpath.ClockMonitor()
    for ago in (PROVEN_SECONDS, 0.0):
        its = {node: seconds - ago for node, seconds in times.items()}
        assert monitor.judge(its, 10.0 - ago, 10.0 - ago) == 0
    return monitor


def test_a_step_is_told_until_the_clock_is_back() -> None:
    monitor = proven(a=1_000.0, b=1_000.2)
    for pace in (12.0, 14.0):
        clock = 990.0 + pace
        step = monitor.judge({"a": clock, "b": clock + 600}, pace, pace + 0.1)
        assert step == pytest.approx(600, abs=1)
    assert monitor.judge({"a": 1_006.0, "b": 1_006.2}, 16.0, 16.1) == 0


def test_a_step_that_an_operator_confirms_is_told_no_more() -> None:
    monitor = proven(a=1_000.0)
    assert monitor.judge({"a": 1_030.0}, 10.0, 10.0) == pytest.approx(30)
    monitor.accept()
    assert monitor.judge({"a": 1_030.0}, 10.0, 10.1) == 0


def test_a_new_memory_accuses_nobody_and_learns_nothing_while_others_doubt() -> None:
    monitor = hotpath.ClockMonitor()
    assert monitor.judge({"a": 4_600.0}, 10.0, 10.0) == 0
    assert monitor.judge({"a": 4_630.0}, 40.0, 40.0, doubted=True) == 0
    assert monitor.judge({"a": 1_040.0}, 50.0, 50.0) == 0
    assert monitor.judge({"a": 1_060.0}, 70.0, 70.0) == 0
    assert monitor.judge({"a": 4_671.0}, 81.0, 81.0) == pytest.approx(3_600)


def test_slow_drift_never_adds_up_to_a_step() -> None:
    monitor = hotpath.ClockMonitor()
    for beat in range(20):
        assert monitor.judge({"a": 1_000.0 + 1.4 * beat}, 10.0 + beat, 10.0 + beat) == 0


def test_a_failover_to_a_machine_whose_clock_is_off_is_a_step() -> None:
    monitor = proven(old=1_000.0)
    assert monitor.judge({"new": 1_121.0}, 11.0, 11.0) == pytest.approx(120)


def test_a_look_that_took_long_proves_only_what_it_can() -> None:
    monitor = proven(a=1_000.0)
    assert monitor.judge({"a": 1_000.0}, 10.0, 15.0) == 0
    assert monitor.judge({"a": 1_005.0}, 15.0, 15.0) == 0
    assert monitor.judge({"a": 1_605.0}, 10.0, 15.0) == pytest.approx(602.5)
