"""A real Prometheus scrapes a real web process with our example, and every query runs."""

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode
from urllib.request import urlopen

import pytest

from poolsite.runtime.redis_server import RedisServer, die_with_parent
from tests.deploy.test_watching import PROMETHEUS, queries, rules
from tests.live.servers import Site, WebServer
from tests.support.parts import starts_processes
from tests.support.ports import free_port
from tests.support.processes import end
from tests.support.waiting import patient, until

pytestmark = [pytest.mark.prove, pytest.mark.needs("prometheus")]
TOKEN = "a token of the metrics"
TARGETS = '["127.0.0.1:8101", "127.0.0.1:8102"]'


@pytest.fixture
@starts_processes
def web(tmp_path: Path, redis_server: RedisServer, clean_redis: RedisServer) -> Iterator[WebServer]:
    site = Site(tmp_path / "site", redis_server.url)
    site.migrate()
    token = {"POOLSITE_METRICS_TOKEN": TOKEN}
    server = WebServer(site, "uvicorn", "poolsite.asgi:application", environment=token).start()
    yield server
    server.stop()


@pytest.fixture
@starts_processes
def prometheus(tmp_path: Path, web: WebServer) -> Iterator[str]:
    """Our example with this test's web process as its target. Yield the address of its API."""
    config = (PROMETHEUS / "prometheus.yml").read_text()
    assert TARGETS in config
    config = config.replace(TARGETS, f'["127.0.0.1:{web.port}"]')
    config = config.replace("_interval: 15s", "_interval: 1s").replace(
        "timeout: 10s", "timeout: 1s"
    )
    (tmp_path / "prometheus.yml").write_text(config)
    (tmp_path / "alerts.yml").write_text((PROMETHEUS / "alerts.yml").read_text())
    (tmp_path / "metrics-token").write_text(TOKEN)
    address = f"127.0.0.1:{free_port()}"
    command = ["prometheus", "--config.file=prometheus.yml", "--storage.tsdb.path=data"]
    process = subprocess.Popen(
        [*command, f"--web.listen-address={address}"],
        cwd=tmp_path,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        preexec_fn=die_with_parent,
    )
    yield f"http://{address}/api/v1/"
    end(process)


def asked(prometheus: str, path: str, **parameters: str) -> Any:
    """Return the answer of its API, or None while it does not answer."""
    try:
        with urlopen(f"{prometheus}{path}?{urlencode(parameters)}", timeout=patient(5)) as answer:
            return json.load(answer)["data"]
    except OSError:
        return None


def test_prometheus_scrapes_the_site_and_can_run_every_query(prometheus: str) -> None:
    until(lambda: found(prometheus, 'poolsite_health_up{check="redis"} == 1'))
    answers = {place: asked(prometheus, "query", query=ready(query)) for place, query in queries()}
    assert [place for place, answer in answers.items() if answer is None] == []
    until(lambda: evaluated(prometheus) == dict.fromkeys(rules(), "ok"))
    # No worker, scheduler or timers process runs here, and the alerts for them begin to fire.
    missing = {"PoolsiteWorkersBehind", "PoolsiteBeatDown", "PoolsiteTimersDown"}
    until(lambda: missing <= pending(prometheus))


def ready(query: str) -> str:
    """Return a dashboard's query with its variables filled in."""
    return query.replace("$job", ".*").replace("$__rate_interval", "1m")


def found(prometheus: str, query: str) -> Any:
    """Return the samples that a query finds."""
    answer = asked(prometheus, "query", query=query)
    return answer and answer["result"]


def evaluated(prometheus: str) -> dict[str, str]:
    """Return each alert rule with the result of its last evaluation."""
    groups = asked(prometheus, "rules")["groups"]
    return {rule["name"]: rule["health"] for group in groups for rule in group["rules"]}


def pending(prometheus: str) -> set[str]:
    """Return the alerts whose condition is true."""
    return {each["labels"]["alertname"] for each in asked(prometheus, "alerts")["alerts"]}
