"""Generations, lost data, releases that overlap, and clocks that step."""

import time
from collections.abc import Iterator

import pytest

from poolsite import hotpath
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


class Monotonic:
    """A monotonic clock that a test sets off: to the monitor that is a step of Redis' clock."""

    def __init__(self) -> None:
        self.shift_seconds = 0.0

    def __call__(self) -> float:
        return time.monotonic() + self.shift_seconds  # waits: for nothing, it is a clock


def test_a_clock_that_keeps_pace_has_not_stepped(path: hotpath.HotPath) -> None:
    monitor = hotpath.ClockMonitor(path)
    for _ in range(3):
        (reading,) = monitor.check()
        assert not reading.stepped
        assert abs(reading.step_seconds) < 0.5


@pytest.mark.parametrize("step", [-7.0, 7.0])
def test_a_step_is_told_until_the_clock_is_back(path: hotpath.HotPath, step: float) -> None:
    ours = Monotonic()
    monitor = hotpath.ClockMonitor(path, ours)
    monitor.check()
    ours.shift_seconds = -step
    for _ in range(2):
        (reading,) = monitor.check()
        assert reading.stepped
        assert abs(reading.step_seconds - step) < 0.5
    ours.shift_seconds = 0
    assert not monitor.check()[0].stepped


def test_a_step_that_an_operator_confirms_is_told_no_more(path: hotpath.HotPath) -> None:
    ours = Monotonic()
    monitor = hotpath.ClockMonitor(path, ours)
    monitor.check()
    ours.shift_seconds = 30
    assert monitor.check()[0].stepped
    monitor.accept()
    assert not monitor.check()[0].stepped
    assert not monitor.check()[0].stepped


def test_slow_drift_never_adds_up_to_a_step(path: hotpath.HotPath) -> None:
    ours = Monotonic()
    monitor = hotpath.ClockMonitor(path, ours)
    for _ in range(20):
        ours.shift_seconds += 0.4
        assert not monitor.check()[0].stepped


def test_the_modules_check_asks_the_redis_of_the_settings(clean_redis: RedisServer) -> None:
    hotpath.reset()
    assert not hotpath.clock_check()[0].stepped
    hotpath.clock_accept()
    assert not hotpath.clock_check()[0].stepped
