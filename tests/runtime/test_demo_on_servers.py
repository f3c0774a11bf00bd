"""The demo on PostgreSQL and a Redis Cluster: all five systems work as on one machine."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families

from poolsite.runtime.redis_server import RedisServer
from tests.support.cluster import RedisCluster
from tests.support.demo import DemoRun
from tests.support.parts import starts_processes
from tests.support.ports import free_port
from tests.support.postgres import PostgresServer
from tests.support.waiting import until

pytestmark = [pytest.mark.prove, pytest.mark.alone, pytest.mark.needs("postgres")]

METRICS_TOKEN = "metrics-token-of-this-test"
WORK_SECONDS = 180.0
WORK = {
    "numbers": ("poolsite_pool_calls_total", "outcome", "carried"),
    "desks": ("poolsite_line_visits_total", "what", "answered"),
    "gates": ("poolsite_gate_permits", "what", "used"),
    "dispatcher": ("poolsite_dispatch_level", "what", "sessions"),
}


@pytest.fixture
@starts_processes
def demo(tmp_path: Path) -> Iterator[DemoRun]:
    with ExitStack() as ends:
        cluster = RedisCluster(tmp_path / "cluster").start()
        ends.callback(cluster.stop)
        other = RedisServer(tmp_path / "redis", port=free_port()).start()
        ends.callback(other.stop)
        postgres = PostgresServer().start()
        ends.callback(postgres.remove)
        settings = {
            "REDIS_URL": cluster.url,
            "DATABASE_URL": postgres.create_database(),
            **dict.fromkeys(("CACHE_URL", "CELERY_BROKER_URL"), other.url),
            "POOLSITE_METRICS_TOKEN": METRICS_TOKEN,
        }
        run = DemoRun(tmp_path / "data", settings).start()
        ends.callback(run.end)
        yield run.ready()


def metric(demo: DemoRun, name: str, label: str, value: str) -> float:
    """Return the sum of a metric's samples with this label, or 0 if there are none."""
    answer = httpx.get(
        f"http://127.0.0.1:{demo.port}/metrics",
        headers={"Authorization": f"Bearer {METRICS_TOKEN}"},
        timeout=30,
        trust_env=False,
    )
    assert answer.status_code == 200, answer.text[:300]
    return sum(
        sample.value
        for family in text_string_to_metric_families(answer.text)
        for sample in family.samples
        if sample.name == name and sample.labels.get(label) == value
    )


def delivered(demo: DemoRun) -> int:
    """Return the number of messages that reached a final state, by the gateway's own ledger."""
    ledger = demo.data / "demo" / "gateway.jsonl"
    return ledger.read_text().count('{"op": "end"') if ledger.exists() else 0


def test_all_five_systems_work(demo: DemoRun) -> None:
    until(lambda: demo.page_answers("/readyz"), WORK_SECONDS)
    for name, label, value in WORK.values():
        until(lambda about=(name, label, value): metric(demo, *about) > 0, WORK_SECONDS)
    until(lambda: delivered(demo) > 0, WORK_SECONDS)
