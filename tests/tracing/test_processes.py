"""An event, traced from the request through the script to SQL and to an open page."""

import secrets
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

from poolsite.runtime.redis_server import RedisServer
from tests.live.servers import Site, WebServer
from tests.support.parts import starts_processes
from tests.support.ports import free_port
from tests.support.processes import end
from tests.support.waiting import patient, until
from tests.tracing.collector import Collector, Seen, collecting

pytestmark = [pytest.mark.prove, pytest.mark.processes]
EVENTS = "/api/v1/pools/east/events"
SECRET_PATH = "/join/psi_the-secret-of-an-invitation-0123456789/"
WORKER = ("-c", "1", "--without-gossip", "--without-mingle", "-l", "WARNING")


@dataclass
class Running:
    """A site whose web process and worker export to a collector."""

    site: Site
    web: WebServer
    collector: Collector

    def post(self, trace: str) -> httpx.Response:
        """Post an event, as a client with its own trace."""
        headers = {
            "Authorization": f"Bearer {self.site.people['north']['token']}",
            "traceparent": f"00-{trace}-{secrets.token_hex(8)}-01",
        }
        body = {"event": "call", "call_id": "a"}
        url = f"http://127.0.0.1:{self.web.port}{EVENTS}"
        return httpx.post(url, json=body, headers=headers, timeout=patient(30))


@pytest.fixture(scope="module")
@starts_processes
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder: Path = tmp_path_factory.mktemp("traced")
    redis = RedisServer(folder / "redis").start()
    try:
        site = Site(folder, redis.url).make()
        site.run("tests/tracing/stage.py", "pool")
        with collecting() as collector:
            traced = collector.environment
            web = WebServer(site, "uvicorn", "poolsite.asgi:application", environment=traced)
            beat = ("-B", "-s", str(folder / "beat"))
            celery = ("celery", "-A", "tests.jobs.worker_app", "worker", *beat, *WORKER)
            worker = site.start(folder / "worker.log", *celery, **traced)
            try:
                yield Running(site, web.start(), collector)
            finally:
                web.stop()
                end(worker)
    finally:
        redis.stop()


def wait_for(find: Callable[[], list[Seen]], collector: Collector) -> Seen:
    """Return the first span that `find` returns, once it has arrived."""
    until(find, evidence=collector.names)
    return find()[0]


async def test_an_event_leads_to_its_script_to_the_drain_and_to_the_push(running: Running) -> None:
    trace, collector = secrets.token_hex(16), running.collector
    async with running.web.client() as page:
        await page.subscribe("numbers.pool:east")
        assert running.post(trace).status_code == 200
        await page.next(topic="numbers.pool:east", op="change")
        name = f"POST {EVENTS.replace('east', '{slug}')}"
        request = wait_for(lambda: collector.named(name, trace), collector)
        assert request.service == "poolsite-web"
        assert request.attributes["http.response.status_code"] == 200
        script = wait_for(lambda: collector.named("numbers/events", trace), collector)
        assert script.parent == request.span
        assert script.attributes["poolsite.aggregate"] == "{east}"
        push = wait_for(lambda: collector.linked("live push", trace), collector)
        assert push.attributes["poolsite.topic"] == "numbers.pool"
        assert push.links == ((trace, request.span),)
    drain = wait_for(lambda: collector.linked("history drain", trace), collector)
    assert drain.service == "poolsite-worker"
    assert drain.attributes["poolsite.aggregate"] == "{east}"
    task = wait_for(
        lambda: [each for each in collector.spans if each.span == drain.parent], collector
    )
    assert task.trace == drain.trace
    children = [each.name for each in collector.spans if each.parent == task.span]
    assert any(name.startswith("history/") for name in children), children


def test_a_task_belongs_to_the_trace_of_who_sent_it(running: Running) -> None:
    trace = running.site.forked(
        *("tests/tracing/stage.py", "task", str(running.site.folder / "note")),
        **running.collector.environment,
    ).stdout.strip()
    collector = running.collector
    task = wait_for(lambda: collector.named("test.note", trace), collector)
    (sender,) = collector.named("who sends", trace)
    assert (sender.service, task.service) == ("poolsite-stage", "poolsite-worker")
    assert task.parent == sender.span


def test_a_collector_that_is_away_costs_the_spans_and_nothing_else(running: Running) -> None:
    away = {"OTEL_EXPORTER_OTLP_ENDPOINT": f"http://127.0.0.1:{free_port()}"}
    note = running.site.folder / "away"
    done = running.site.forked("tests/tracing/stage.py", "task", str(note), **away)
    assert (done.returncode, len(done.stdout.strip())) == (0, 32), done.stderr
    assert "Traceback" not in done.stderr
    until(note.exists)


def test_a_path_with_a_secret_is_told_by_its_pattern_and_probes_not_at_all(
    running: Running,
) -> None:
    base = f"http://127.0.0.1:{running.web.port}"
    for path in (
        "/healthz",
        "/readyz",
        "/nothing-of-ours",
        SECRET_PATH,
        "/login/?next=/secret-of/",
    ):
        httpx.get(base + path, timeout=patient(30))
    until(lambda: running.collector.named("GET /login/"))
    assert running.collector.named("GET")  # a request without a route has no other name
    assert not [name for name in running.collector.names().split() if "healthz" in name]
    sent = b"".join(running.collector.bodies)
    assert b"psi_" not in sent
    assert b"secret-of" not in sent
    assert running.site.people["north"]["token"].encode() not in sent
