"""Minute samples in the form that charts and figures use."""

from datetime import UTC, datetime, timedelta

import pytest

from numbers.models import MinuteSample, Pool
from numbers.selectors.charts import last_hour, last_hours, pool_series, step_for, totals_by_minute

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 11, 21, 10, 24, 31, tzinfo=UTC)


def pool_with(slug: str, **minutes_ago: dict[str, int]) -> Pool:
    pool = Pool.objects.create(slug=slug, name=slug)
    for word, values in minutes_ago.items():
        minute = NOW.replace(second=0) - timedelta(minutes=int(word.removeprefix("m")))
        MinuteSample.objects.create(pool=pool, minute=minute, **values)
    return pool


@pytest.mark.parametrize(
    ("seconds", "step"), [(3_600, 60), (7_200, 60), (86_400, 360), (604_800, 2_520)]
)
def test_a_range_has_at_most_240_points_in_whole_minutes(seconds: int, step: int) -> None:
    assert step_for(seconds) == step
    assert seconds / step <= 240


def test_a_minute_without_a_sample_is_a_gap_and_not_zero() -> None:
    pool = pool_with("east", m1={"busy_up": 5, "offered": 3}, m3={"busy_up": 4, "offered": 7})
    series = pool_series(pool, 3_600, now=NOW)
    assert len(series.at) == 60
    assert series.at[-1] == NOW.replace(second=0)
    assert series.values["busy_up"][-3:] == [4, None, 5]
    assert series.values["offered"][-3:] == [7, None, 3]


def test_a_quarantined_number_is_drawn_once() -> None:
    counts = {"busy_up": 4, "idle_up": 10, "idle_down": 3, "quarantined": 12}
    series = pool_series(pool_with("east", m1=counts), 3_600, now=NOW)
    drawn = {name: series.values[name][-1] for name in ("busy_up", "idle_up", "idle_down")}
    assert drawn == {"busy_up": 4, "idle_up": 0, "idle_down": 1}
    assert series.values["quarantined"][-1] == 12


def test_a_longer_step_shows_its_last_state_and_its_calls_per_minute() -> None:
    pool = pool_with(
        "east",
        m6={"busy_up": 2, "offered": 10, "carried": 4, "call_seconds": 400},
        m5={"busy_up": 9, "offered": 20, "carried": 6, "call_seconds": 800},
    )
    series = pool_series(pool, 86_400, now=NOW)
    place = next(n for n, value in enumerate(series.values["busy_up"]) if value is not None)
    assert series.values["busy_up"][place] == 9
    assert series.values["offered"][place] == 15
    assert series.values["mean"][place] == 120


def test_the_last_hour_of_a_pool_without_calls_blocked_nothing_that_could_be_shared() -> None:
    pool = pool_with("east")
    hour = last_hour(pool, now=NOW)
    assert hour.blocked_share is None
    assert hour.offered_per_minute is None


def test_the_last_hour_counts_its_own_pool_and_hour_only() -> None:
    east = pool_with(
        "east",
        m1={"busy_up": 3, "idle_up": 1, "offered": 10, "blocked": 1},
        m59={"offered": 90, "blocked": 1},
        m61={"offered": 1_000, "blocked": 500},
    )
    west = pool_with("west", m1={"offered": 7})
    found = last_hours([east, west], now=NOW)
    hour, trend = found[east.pk]
    assert hour.blocked_share == 2 / 100
    assert hour.offered_per_minute == 10
    assert trend[-1] == 0.75
    assert trend[-2] is None
    assert found[west.pk][0].offered == 7


def test_an_old_sample_is_not_the_last_minute() -> None:
    pool = pool_with("east", m5={"offered": 10})
    assert last_hour(pool, now=NOW).offered_per_minute is None


def test_totals_add_the_pools_up_minute_by_minute() -> None:
    east = pool_with("east", m1={"busy_up": 3, "busy_down": 1, "offered": 5, "blocked": 2})
    west = pool_with("west", m1={"busy_up": 10, "offered": 1})
    totals = totals_by_minute([east, west], now=NOW)
    assert totals["busy"][-1] == 14
    assert totals["offered"][-1] == 6
    assert totals["blocked"][-1] == 2
    assert totals["busy"][-2] is None
