"""/healthz, /readyz and /metrics as a probe sees them, before Django."""

import threading

import pytest
from django.db import OperationalError, ProgrammingError
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.parser import text_string_to_metric_families
from starlette.requests import Request
from starlette.responses import Response

from poolsite import history, hotpath, operations
from poolsite.api import lane
from poolsite.operations import Check, Finding, checks, health, hot_routes
from poolsite.operations.incidents import Trouble
from tests.operations.marks import set_running, set_timers
from tests.operations.probing import ask

pytestmark = pytest.mark.django_db(transaction=True)


def test_healthz_says_that_the_process_lives():
    answer = ask("/healthz")
    assert (answer.status_code, answer.json()) == (200, {"status": "alive"})
    assert answer.headers["cache-control"] == "no-store"


def test_readyz_is_ready_with_redis_sql_and_migrations_and_warns_of_the_others():
    answer = ask("/readyz")
    assert answer.status_code == 200
    assert answer.json()["checks"] == {"redis": "ok", "sql": "ok", "migrations": "ok"}
    assert set(answer.json()["warnings"]) == {"timers", "workers", "beat", "web"}


def test_readyz_has_no_warnings_when_all_is_at_work():
    set_running()
    assert ask("/readyz").json()["warnings"] == {}


@pytest.mark.parametrize(
    ("marks", "said"),
    [
        (
            {"shards": 5},
            "No timers process serves 3 of 8 shards. Check the log of manage.py timers.",
        ),
        ({"paused": "clock step"}, "Timers are paused. Correct the clock of the Redis server."),
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
    assert answer.json()["checks"]["redis"].startswith("Redis refuses writes.")
    health.forget()
    assert ask("/readyz").json()["checks"]["redis"] == "ok"


def test_readyz_is_503_while_redis_is_away_and_says_nothing_of_its_address(monkeypatch):
    with hotpath.connect("redis://127.0.0.1:1/0"):
        answer = ask("/readyz")
    assert answer.status_code == 503
    assert answer.json()["status"] == "not ready"
    assert answer.json()["checks"]["redis"].startswith("Redis can't be reached.")
    assert answer.json()["checks"]["sql"] == "ok"
    assert "127.0.0.1" not in answer.text


def test_readyz_is_503_while_a_migration_is_missing(monkeypatch):
    from django.db.migrations.executor import MigrationExecutor

    checks.forget()
    monkeypatch.setattr(MigrationExecutor, "migration_plan", lambda *_: ["one"])
    answer = ask("/readyz")
    assert answer.status_code == 503
    assert "manage.py migrate" in answer.json()["checks"]["migrations"]


def test_readyz_answers_in_time_when_a_check_hangs_and_asks_it_once(monkeypatch):
    monkeypatch.setattr(health, "CHECK_SECONDS", 0.2)
    monkeypatch.setattr(health, "KEPT_SECONDS", 0.0)
    goes_on = threading.Event()
    asked = []

    def hangs() -> Finding:
        asked.append(1)
        goes_on.wait()
        return Finding()

    operations.register_check(Check("slow", "Slow", hangs, required=True, needs="sql"))
    answers = [ask("/readyz") for _ in range(40)]  # more than there are threads
    goes_on.set()
    assert {answer.status_code for answer in answers} == {503}
    assert answers[-1].json()["checks"]["slow"].startswith("The SQL database can't be reached.")
    assert answers[-1].json()["checks"]["sql"] == "ok"
    assert len(asked) == 1


def test_a_registered_check_that_is_not_required_only_warns():
    trouble = Trouble("warning", "The gateway is silent", "", "Ask its operator.", "/")
    operations.register_check(Check("gateway", "Gateway", lambda: Finding(trouble=trouble)))
    answer = ask("/readyz")
    assert answer.status_code == 200
    assert answer.json()["warnings"]["gateway"] == "The gateway is silent. Ask its operator."


def test_a_check_that_is_broken_says_so_and_the_others_stay():
    def fails() -> Finding:
        raise ZeroDivisionError

    operations.register_check(Check("gateway", "Gateway", fails))
    answer = ask("/readyz")
    assert answer.status_code == 200
    assert answer.json()["warnings"]["gateway"].startswith("The gateway check failed.")


def test_metrics_are_hidden_until_a_token_is_set(settings):
    settings.METRICS_TOKEN = ""
    assert ask("/metrics").status_code == 404


@pytest.mark.parametrize("given", ["", "Bearer", "Bearer wrong", "Basic secret-token", "Bearer é"])
def test_metrics_refuse_a_wrong_token(settings, given):
    settings.METRICS_TOKEN = "secret-token"
    answer = ask("/metrics", **({"Authorization": given.encode()} if given else {}))
    assert answer.status_code == 401


def test_metrics_are_prometheus_text_with_backlogs_sweeps_and_incidents(settings, monkeypatch):
    from poolsite.operations import tasks  # noqa: F401  registers the sweeps

    settings.METRICS_TOKEN = "secret-token"
    set_running()
    operations.incidents.open(type="t", object="o", severity="critical", title="x")
    client = hotpath.client()
    client.hset("{m1}", mapping={"generation": 1, "seq": 90, "drained": 10, "log_limit": 100})

    class Source(history.Source):
        kind = "test.metrics"

        def aggregates(self, shard=0, shards=1):
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
    assert values["poolsite_history_kind_backlog_entries", "test.metrics"] == 80
    assert values["poolsite_incidents_open", "critical"] == 1
    assert values["poolsite_incidents_open", "warning"] == 0
    assert values["poolsite_incidents_open_by_type", "t"] == 1
    assert values["poolsite_redis_memory_bytes", "primary"] > 0
    assert values["poolsite_health_up", "beat"] == 1
    assert values["poolsite_health_up", "redis"] == 1
    assert values["poolsite_sweep_failing_shards", "operations.health"] == 0
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
    assert 'poolsite_collector_up{collector="fine"} 1.0' in answer.text
    assert 'poolsite_collector_up{collector="broken"} 0.0' in answer.text


@pytest.mark.parametrize(
    ("error", "status", "kind"),
    [
        (OperationalError("couldn't get a connection after 10.00 sec"), 503, "unavailable"),
        (OperationalError("the server closed the connection unexpectedly"), 503, "unavailable"),
        (ProgrammingError("relation does not exist"), 500, "fault"),
    ],
)
def test_a_hot_route_that_cannot_ask_sql_says_to_ask_again(error, status, kind, monkeypatch):
    async def asks_sql(_request: Request) -> Response:
        raise error

    monkeypatch.setattr(lane, "_routes", list(lane.routes()))
    lane.register("/asks-sql", asks_sql, methods=("GET",))
    answer = ask("/asks-sql")
    assert (answer.status_code, answer.json()["type"].rpartition("/")[2]) == (status, kind)
