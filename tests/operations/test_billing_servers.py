"""Each Redis for heavy accounts is part of the platform's health, and stops nothing else."""

import signal
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from billing import health as billing_health
from poolsite.operations import health, watch
from poolsite.operations.models import Incident
from poolsite.operations.registry import CHECKS
from poolsite.runtime.redis_server import RedisServer
from tests.access.world import make_world
from tests.operations.marks import set_running
from tests.operations.probing import ask
from tests.operations.test_health import everywhere_wrong
from tests.support.parts import starts_processes

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
@starts_processes
def heavy(
    tmp_path_factory: pytest.TempPathFactory, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> Iterator[RedisServer]:
    """A second Redis, named `heavy`. All other parts of the platform are running."""
    monkeypatch.setattr(watch, "SETTLED_SECONDS", 0.0)
    set_running()
    server = RedisServer(tmp_path_factory.mktemp("heavy"), append_only=False).start()
    settings.BILLING_REDIS_URLS = {"heavy": server.url}
    billing_health.register()
    yield server
    server.stop()


def judged() -> health.Health:
    health.forget()
    return health.read()


def full(server: RedisServer) -> None:
    with server.client() as client:
        client.config_set("maxmemory", "1")


@pytest.mark.parametrize(
    ("fault", "title"),
    [
        (full, "Redis server heavy refuses writes"),
        (RedisServer.kill, "Redis server heavy can&#x27;t be reached"),
    ],
)
def test_a_server_in_trouble_is_told_everywhere_and_keeps_nobody_from_being_served(
    heavy: RedisServer, fault: Callable[[RedisServer], None], title: str
) -> None:
    operator = make_world().client("operate")
    assert everywhere_wrong(operator, "All is well") == set()
    fault(heavy)
    found = judged()
    assert everywhere_wrong(operator, title) == {"redis:heavy"}
    assert found.ready
    assert ask("/readyz").status_code == 200
    assert watch.keep(found) == 1
    row = Incident.objects.get()
    assert (row.type, row.object) == (billing_health.INCIDENT, "heavy")
    heavy.kill()
    heavy.start()
    assert watch.keep(judged()) == 0
    row.refresh_from_db()
    assert row.until is not None


def test_a_server_that_hangs_is_not_taken_for_the_common_one(
    heavy: RedisServer,
) -> None:
    assert heavy.process is not None
    heavy.process.send_signal(signal.SIGSTOP)
    try:
        found = {row.object: row.title for row in judged().incidents()}
    finally:
        heavy.process.send_signal(signal.SIGCONT)
    assert found["heavy"] == "Redis server heavy can't be reached"
    assert "redis" not in found


def test_a_server_in_order_is_shown_among_the_others(heavy: RedisServer) -> None:
    found = judged()
    assert found.ready
    assert (found.of("redis:heavy").severity, str(found.of("redis:heavy").check.label)) == (
        "",
        "Redis heavy",
    )


def test_without_further_servers_there_is_no_further_check(settings: Any) -> None:
    settings.BILLING_REDIS_URLS = {}
    before = dict(CHECKS)
    billing_health.register()
    assert before == CHECKS
