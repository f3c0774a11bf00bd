"""The script that takes permits: against a plain model, on every server, with bad arguments."""

from dataclasses import dataclass, field
from fractions import Fraction

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from poolsite import hotpath
from poolsite.limits.alone import Alone
from poolsite.limits.buckets import SCRIPTS, Limit, LimitedClient, Taken, per_second, take
from poolsite.runtime.redis_server import RedisServer
from tests.support.clock import ScriptClock

START_US = 1_700_000_000_000_000
TAG = "{rate.t}"


@dataclass
class PlainBucket:
    """A leaky bucket. `held` is the exact number of permits in it, as a fraction."""

    limit: Limit
    held: Fraction
    at_us: int

    def look(self, now_us: int) -> Fraction:
        """Return the number of permits in the bucket at a time."""
        back = Fraction((now_us - self.at_us) * self.limit.permits, self.limit.period_us)
        return min(Fraction(self.limit.burst), self.held + back)


@dataclass
class PlainModel:
    """The rule as plain code: give as many as every bucket has, from all of them or from none."""

    buckets: dict[str, PlainBucket] = field(default_factory=dict)

    def take(self, client: LimitedClient, wanted: int, now_us: int) -> int:
        found = [self._bucket(limit, now_us) for limit in client.limits]
        given = min([wanted, *(int(bucket.look(now_us)) for bucket in found)])
        for bucket in found:
            bucket.held, bucket.at_us = bucket.look(now_us) - given, now_us
        return given

    def _bucket(self, limit: Limit, now_us: int) -> PlainBucket:
        full = PlainBucket(limit, Fraction(limit.burst), now_us)
        return self.buckets.setdefault(limit.name, full)


# Periods that a permit divides without a remainder: rounding up changes nothing, so both agree.
LIMITS = (
    Limit("a", 10, 1_000_000, 20),
    Limit("b", 4, 1_000_000, 5),
    Limit("c", 3, 60_000_000, 3),
    Limit("d", 1_000, 1_000_000, 2_000),
)
CLIENTS = st.sets(st.sampled_from(LIMITS), min_size=1, max_size=3).map(
    lambda chosen: LimitedClient(TAG, tuple(sorted(chosen, key=lambda limit: limit.name)))
)
STEPS = st.lists(
    st.tuples(CLIENTS, st.integers(1, 30), st.sampled_from([0, 1, 99_999, 250_000, 7_000_000])),
    min_size=1,
    max_size=25,
)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(STEPS)
def test_the_script_gives_what_plain_buckets_would(
    test_clock: ScriptClock, steps: list[tuple[LimitedClient, int, int]]
) -> None:
    test_clock.client.flushdb()
    test_clock.set(START_US)
    model = PlainModel()
    for client, wanted, later_us in steps:
        now = test_clock.advance(later_us / 1_000_000)
        taken = hotpath.run(take(client, wanted))
        assert taken.permits == model.take(client, wanted, now)
        assert (taken.wait_us > 0) == (taken.permits < wanted)


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(1, 50_000), st.integers(1, 4), st.lists(st.integers(1, 3_000), min_size=1))
def test_whatever_the_rate_no_more_is_given_and_the_wait_is_enough(
    test_clock: ScriptClock, rate: int, burst_seconds: int, wanted: list[int]
) -> None:
    test_clock.client.flushdb()
    test_clock.set(START_US)
    client = LimitedClient(TAG, (per_second("x", rate, burst_seconds),))
    given, waited_us = 0, 0
    for each in wanted:
        taken = hotpath.run(take(client, each))
        given += taken.permits
        assert given <= rate * burst_seconds + Fraction(rate * waited_us, 1_000_000)
        if taken.permits < each:
            test_clock.advance(taken.wait_us / 1_000_000)
            waited_us += taken.wait_us
            assert hotpath.run(take(client, 1)).permits == 1
            given += 1


def test_all_or_none_and_the_longest_wait(test_clock: ScriptClock) -> None:
    wide, narrow = Limit("wide", 10, 1_000_000, 10), Limit("narrow", 1, 60_000_000, 2)
    both = LimitedClient(TAG, (wide, narrow))
    assert hotpath.run(take(both, 5)) == Taken(2, 60_000_000)
    assert hotpath.run(take(both, 1)) == Taken(0, 60_000_000)
    assert hotpath.run(take(LimitedClient(TAG, (wide,)), 100)) == Taken(
        8, 100_000
    )  # nothing was lost


def test_a_clock_that_is_put_back_forgives_nothing(test_clock: ScriptClock) -> None:
    client = LimitedClient(TAG, (Limit("x", 10, 1_000_000, 10),))
    assert hotpath.run(take(client, 10)).permits == 10
    test_clock.advance(-30)
    assert hotpath.run(take(client, 1)).permits == 0


@pytest.mark.parametrize("behind_seconds", [40, 300, 3_600])
def test_after_a_clock_that_was_ahead_a_client_waits_no_longer_than_for_an_empty_bucket(
    test_clock: ScriptClock, behind_seconds: int
) -> None:
    client = LimitedClient(TAG, (Limit("x", 10, 1_000_000, 20),))
    assert hotpath.run(take(client, 20)).permits == 20
    test_clock.advance(-behind_seconds)
    assert hotpath.run(take(client, 1)) == Taken(0, 100_000)
    test_clock.advance(1)
    assert hotpath.run(take(client, 20)).permits == 10


def test_every_server_counts_and_forgets(each_redis: RedisServer) -> None:
    with hotpath.connect(each_redis.url) as path:
        client = LimitedClient(TAG, (Limit("x", 10, 1_000_000, 3), Limit("y", 100, 1_000_000, 100)))
        assert path.run(take(client, 2)).permits == 2
        given = path.run(take(client, 100))
        assert given.permits in (1, 2)  # a tenth of a second may have passed
        assert 0 < given.wait_us <= 100_000
        assert not path.client().exists(TAG)
        assert 0 < path.client().pttl(f"{TAG}:x") <= 61_000


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["1"],
        ["0", "1", "1", "1"],
        ["1", "0", "1", "1"],
        ["1", "x", "1", "1"],
        ["1", "1.5", "1", "1"],
        ["1", "1", "1"],
        ["1", "1", "1", "1", "1"],
        ["1", "1e300", "1", "1"],
        ["nan", "1", "1", "1"],
        ["-1", "1", "1", "1"],
    ],
)
def test_wrong_words_change_nothing(clean_redis: RedisServer, words: list[str]) -> None:
    keys = (TAG, f"{TAG}:x")
    with pytest.raises(hotpath.ScriptFailed, match="malformed"):
        hotpath.run(hotpath.Command(SCRIPTS["take"], keys, tuple(words), lambda reply: reply))
    with clean_redis.client() as client:
        assert client.keys("*rate*") == []


def test_the_process_alone_keeps_the_same_rule() -> None:
    alone = Alone()
    client = LimitedClient(TAG, (Limit("x", 1, 3_600_000_000, 5), Limit("y", 1, 3_600_000_000, 9)))
    assert [alone.take(client, 3).permits for _ in range(3)] == [3, 2, 0]
    assert 3_599_000_000 < alone.take(client, 1).wait_us <= 3_600_000_000
    assert alone.take(LimitedClient(TAG, client.limits[1:]), 9).permits == 4
    alone.clear()
    assert alone.take(client, 9).permits == 5
