"""The demo's simulated history is what a loss system would have had."""

from datetime import UTC, datetime, timedelta

import pytest

from numbers.demo_past import PAST_HOURS, PoolPast, Traffic
from numbers.models import Pool

END = datetime(2026, 1, 2, 10, 0, tzinfo=UTC)


@pytest.fixture
def past():
    lines = [f"+8613800{index:06d}" for index in range(20)]
    traffic = Traffic(offered_erlangs=15.0, mean_call_seconds=30.0, agents=["Li Jun"])
    return PoolPast(Pool(slug="past"), lines, traffic, seed=1).run(END)


def test_every_minute_of_the_past_has_one_sample_that_adds_up(past):
    samples, _ = past
    assert len(samples) == 60 * PAST_HOURS
    assert samples[0].minute == END - timedelta(hours=PAST_HOURS)
    for sample in samples:
        assert sample.offered == sample.carried + sample.blocked
        assert sample.idle_up + sample.busy_up == 20
        assert sample.offered < 120, "the time until the load is steady is not counted"


def test_no_number_was_in_two_calls_at_once(past):
    _, calls = past
    ends: dict[str, datetime] = {}
    for call in sorted(calls, key=lambda call: call.started_at):
        assert call.started_at >= ends.get(call.number, call.started_at)
        ends[call.number] = call.ended_at
    assert len(calls) > 1_000
