"""Periodic tasks: samples, sweeps, alarms, settings; running each twice does no harm."""

from datetime import UTC, datetime, timedelta

import pytest

from numbers import overview, search, selectors, services
from numbers.models import MinuteSample, Pool, Switch
from numbers.services.alarms import check_alarms
from poolsite import hotpath, jobs
from poolsite.operations.models import Incident
from tests.numbers.people import drain, make_pool, operator, send, tenant
from tests.support.clock import ScriptClock
from tests.support.timers import let_time_pass

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_redis")]

MINUTE = datetime(2026, 3, 1, 10, 0, tzinfo=UTC)


def open_incidents() -> set[str]:
    return set(Incident.objects.filter(until=None).values_list("type", flat=True))


def test_a_minute_is_sampled_once_with_what_happened_in_it() -> None:
    pool = make_pool(numbers=3)
    services.sample_take(MINUTE)
    for index in range(5):
        send("east", "call", call_id=f"{index}")
    services.sample_take(MINUTE + timedelta(minutes=1, seconds=2))
    services.sample_take(MINUTE + timedelta(minutes=1, seconds=30))
    first, second = MinuteSample.objects.filter(pool=pool).order_by("minute")
    assert (first.offered, first.idle_up) == (0, 3)
    assert (second.offered, second.carried, second.blocked) == (5, 3, 2)
    assert (second.busy_up, second.idle_up, second.call_seconds) == (3, 0, 90)
    assert second.minute == MINUTE + timedelta(minutes=1)


def test_a_gap_or_a_new_life_of_the_data_makes_no_false_figures() -> None:
    pool = make_pool(numbers=3)
    services.sample_take(MINUTE)
    send("east", "call", call_id="a")
    services.sample_take(MINUTE + timedelta(minutes=10))
    assert MinuteSample.objects.latest("minute").offered == 0
    MinuteSample.objects.update(generation=pool.generation - 1)
    send("east", "call", call_id="b")
    services.sample_take(MINUTE + timedelta(minutes=11))
    assert MinuteSample.objects.latest("minute").offered == 0


def test_a_sweep_releases_calls_whose_lease_has_passed(test_clock: ScriptClock) -> None:
    pool = make_pool(numbers=2, lease_seconds=60)
    send("east", "call", call_id="a")
    for _ in range(30):
        assert let_time_pass("numbers.pool")["lapsed"] == 0
        test_clock.advance(seconds=2)
    assert let_time_pass("numbers.pool")["lapsed"] == 1
    assert let_time_pass("numbers.pool")["lapsed"] == 0
    drain(pool)
    assert pool.calls.get().ended_how == "released: lease ended"


def test_every_sweep_of_the_pools_is_registered_and_runs() -> None:
    make_pool(numbers=1)
    mine = {name: sweep for name, sweep in jobs.sweeps().items() if name.startswith("numbers.")}
    assert {"numbers.watch", "numbers.samples", "numbers.alarms", "numbers.twins"} <= set(mine)
    for sweep in mine.values():
        for shard in range(sweep.shards):
            sweep.run(shard, sweep.shards)


def test_settings_are_brought_to_redis_again_and_again() -> None:
    pool = make_pool()
    Pool.objects.filter(pk=pool.pk).update(cooldown_seconds=5, paused_at=MINUTE)
    assert services.apply_all_settings() == {"pools": 1, "failed": 0}
    services.apply_all_settings()
    live = selectors.pool_live(["east"])["east"]
    assert live is not None
    assert (live.settings.cooldown_seconds, live.status) == (5, "paused")


def test_blocking_over_the_threshold_is_an_incident_until_it_is_over() -> None:
    pool = make_pool(numbers=1)
    now = datetime.now(UTC)
    MinuteSample.objects.create(
        pool=pool, minute=now - timedelta(minutes=1), offered=100, carried=90, blocked=10
    )
    check_alarms(now)
    check_alarms(now)
    incident = Incident.objects.get(type="numbers.blocking")
    assert (incident.object, incident.until) == ("east", None)
    assert incident.params["percent"] == "10.0"
    check_alarms(now + timedelta(minutes=10))
    incident.refresh_from_db()
    assert incident.until is not None


def test_few_calls_raise_no_alarm() -> None:
    pool = make_pool()
    now = datetime.now(UTC)
    MinuteSample.objects.create(pool=pool, minute=now, offered=5, blocked=5)
    check_alarms(now)
    assert "numbers.blocking" not in open_incidents()


def test_a_nearly_full_pool_is_an_incident() -> None:
    make_pool(numbers=2)
    send("east", "call", call_id="a")
    send("east", "call", call_id="b")
    check_alarms()
    assert open_incidents() == {"numbers.occupancy"}
    send("east", "hangup", call_id="a")
    check_alarms()
    assert open_incidents() == set()


def test_a_silent_switch_with_calls_is_an_incident() -> None:
    pool = make_pool(numbers=9)
    send("east", "call", call_id="a", switch="fs1", incarnation="1")
    drain(pool)
    check_alarms()
    assert open_incidents() == set()
    Switch.objects.update(last_heard=datetime.now(UTC) - timedelta(hours=1))
    check_alarms()
    incident = Incident.objects.get(type="numbers.switch_silent")
    assert incident.params["switches"] == "fs1"


def test_the_search_finds_what_the_reader_may_see() -> None:
    north = tenant("north")
    pool = make_pool(numbers=4, account=north.account)
    send("east", "call", call_id="abc-1")
    drain(pool)
    found = list(search.find(north.principal, "861380000", 10))
    assert [item.name for item in found] == [f"+86{13800000000 + index}" for index in range(4)]
    for typed in ("13800000002", "008613800000002", "+86 138 0000 0002"):
        assert [item.name for item in search.find(operator(), typed, 10)] == ["+8613800000002"]
    assert [item.kind for item in search.find(operator(), "abc-1", 10)] == ["Call"]
    found = list(search.find(operator(), "east", 10))
    assert [item.name for item in found] == ["east", "All 4 numbers of east"]
    assert found[-1].url == "/numbers/?pool=east"
    assert list(search.find(tenant("south").principal, "861380000", 10)) == []


def test_metrics_hold_figures_and_no_numbers() -> None:
    make_pool(numbers=2)
    send("east", "call", call_id="a")
    samples = {
        (sample.name, *sample.labels.values()): sample.value
        for metric in overview.collect()
        for sample in metric.samples
    }
    assert samples["poolsite_pool_numbers", "east", "busy_up"] == 1
    assert samples["poolsite_pool_calls_total", "east", "carried"] == 1
    assert samples["poolsite_pool_open", "east"] == 1
    for key in hotpath.client().keys("{east}*"):
        hotpath.client().delete(key)
    lost = [sample for metric in overview.collect() for sample in metric.samples]
    assert [sample.value for sample in lost] == [0]
