"""/healthz, /readyz and /metrics as a probe sees them, before Django."""

import asyncio
import time

import httpx
import pytest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.parser import text_string_to_metric_families
from starlette.applications import Starlette

from poolsite import history, hotpath, operations, timers
from poolsite.api import lane
from poolsite.jobs import lease, sweeping
from poolsite.operations import health, hot_routes
from poolsite.timers import state

pytestmark = pytest.mark.django_db(transaction=True)


def ask(path: str, **headers: str) -> httpx.Response:
    async def go() -> httpx.Response:
        transport = httpx.ASGITransport(Starlette(routes=lane.routes()))
        async with httpx.AsyncClient(transport=transport, base_url="http://t") as client:
            answer = await client.get(path, headers=headers)
        await hotpath.aclose()
        return answer

    return asyncio.run(go())


def set_timers(*, shards: int = timers.SHARDS, paused: str = "") -> None:
    """As if a process of the timers held so many shards."""
    for shard in range(shards):
        hotpath.run(lease.command("acquire", state.lease_tag(shard), "test", 60))
    mark = state.ProcessMark("test", time.time(), tuple(range(shards)), 0, 0, 12.0, paused)
    hotpath.client().hset(state.PROCESSES_KEY, "test", mark.text())


def set_running() -> None:
    """As if timers, beat and a worker were at work."""
    set_timers()
    hotpath.client().set(sweeping.BEAT_KEY, str(time.time()))
    from poolsite.operations import tasks  # noqa: F401  registers the pulse

    sweeping.run_shard(health.PULSE, 0)


def test_healthz_says_that_the_process_lives():
    answer = ask("/healthz")
    assert (answer.status_code, answer.json()) == (200, {"status": "alive"})
    assert answer.headers["cache-control"] == "no-store"


def test_readyz_is_ready_with_redis_sql_and_migrations_and_warns_of_the_others():
    answer = ask("/readyz")
    assert answer.status_code == 200
    assert answer.json()["checks"] == {"redis": "ok", "sql": "ok", "migrations": "ok"}
    assert set(answer.json()["warnings"]) == {"timers", "workers", "beat"}


def test_readyz_has_no_warnings_when_all_is_at_work():
    set_running()
    assert ask("/readyz").json()["warnings"] == {}


@pytest.mark.parametrize(
    ("marks", "said"),
    [
        ({"shards": 5}, "nobody visits 3 of 8 shards"),
        ({"paused": "clock step"}, "timers pause: clock step"),
    ],
)
def test_readyz_warns_of_timers_that_do_not_visit_everything(marks, said):
    set_timers(**marks)
    assert ask("/readyz").json()["warnings"]["timers"] == said


def test_readyz_is_503_while_redis_answers_but_takes_no_writes(clean_redis):
    with clean_redis.client() as client:
        client.config_set("maxmemory", "1")
        try:
            answer = ask("/readyz")
        finally:
            client.config_set("maxmemory", "0")
    assert answer.status_code == 503
    assert answer.json()["checks"]["redis"] == "refuses writes"
    health.forget()
    assert ask("/readyz").json()["checks"]["redis"] == "ok"


def test_readyz_is_503_while_redis_is_away_and_says_nothing_of_its_address(monkeypatch):
    with hotpath.connect("redis://127.0.0.1:1/0"):
        answer = ask("/readyz")
    assert answer.status_code == 503
    assert answer.json()["status"] == "not ready"
    assert answer.json()["checks"]["redis"] == "not reachable"
    assert answer.json()["checks"]["sql"] == "ok"
    assert "127.0.0.1" not in answer.text


def test_readyz_is_503_while_a_migration_is_missing(monkeypatch):
    from django.db.migrations.executor import MigrationExecutor

    monkeypatch.setattr(MigrationExecutor, "migration_plan", lambda *_: ["one"])
    answer = ask("/readyz")
    assert answer.status_code == 503
    assert "manage.py migrate" in answer.json()["checks"]["migrations"]


def test_readyz_answers_in_time_when_a_check_hangs(monkeypatch):
    monkeypatch.setattr(health, "CHECK_SECONDS", 0.2)

    def hangs() -> str:
        time.sleep(1)  # waits: that is the check
        return ""

    operations.register_check("slow", hangs, required=True)
    answer = ask("/readyz")
    assert answer.status_code == 503
    assert answer.json()["checks"]["slow"] == "no answer"


def test_a_registered_check_that_is_not_required_only_warns():
    operations.register_check("gateway", lambda: "The gateway is silent.")
    answer = ask("/readyz")
    assert answer.status_code == 200
    assert answer.json()["warnings"]["gateway"] == "The gateway is silent."


def test_metrics_are_hidden_until_a_token_is_set(settings):
    settings.METRICS_TOKEN = ""
    assert ask("/metrics").status_code == 404


@pytest.mark.parametrize("given", ["", "Bearer", "Bearer wrong", "Basic secret-token", "Bearer é"])
def test_metrics_refuse_a_wrong_token(settings, given):
    settings.METRICS_TOKEN = "secret-token"
    answer = ask("/metrics", **({"Authorization": given.encode()} if given else {}))
    assert answer.status_code == 401


def test_metrics_are_prometheus_text_with_backlogs_sweeps_and_incidents(settings, monkeypatch):
    settings.METRICS_TOKEN = "secret-token"
    set_running()
    operations.incidents.open(type="t", object="o", severity="critical", title="x")
    client = hotpath.client()
    client.hset("{m1}", mapping={"generation": 1, "seq": 90, "drained": 10, "log_limit": 100})

    class Source(history.Source):
        kind = "test.metrics"

        def aggregates(self):
            return [history.Aggregate("{m1}", 1)]

        def write(self, aggregate, generation, entries):
            raise AssertionError("the metrics only look")

    from poolsite.history import registry

    monkeypatch.setattr(registry._REGISTRY, "sources", {"test.metrics": Source()})
    answer = ask("/metrics", Authorization="Bearer secret-token")
    assert answer.status_code == 200
    assert answer.headers["content-type"] == hot_routes.METRICS_TYPE
    values = {
        (sample.name, *sample.labels.values()): sample.value
        for family in text_string_to_metric_families(answer.text)
        for sample in family.samples
    }
    assert values["poolsite_history_backlog_entries", "m1", "test.metrics"] == 80
    assert values["poolsite_history_backlog_ratio",] == 0.8
    assert values["poolsite_incidents_open", "critical"] == 1
    assert values["poolsite_incidents_open", "warning"] == 0
    assert values["poolsite_beat_up",] == 1
    assert values["poolsite_sweep_failing_shards", health.PULSE] == 0
    assert ("process_resident_memory_bytes",) in values


def test_a_collector_that_fails_is_left_out_and_the_others_stay(settings):
    settings.METRICS_TOKEN = "secret-token"

    def broken():
        raise RuntimeError("no figures today")

    def fine():
        metric = GaugeMetricFamily("poolsite_test_figure", "A figure.")
        metric.add_metric([], 7)
        return [metric]

    operations.register_metrics("broken", broken)
    operations.register_metrics("fine", fine)
    answer = ask("/metrics", Authorization="Bearer secret-token")
    assert answer.status_code == 200
    assert "poolsite_test_figure 7.0" in answer.text
