"""The HTTP lane: the same calls, through a real web process."""

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from poolsite.runtime.redis_server import RedisServer
from tests.integrations.kamailio.phone import Phone
from tests.integrations.kamailio.stage import Stage
from tests.integrations.kamailio.test_kamailio_calls import CALLEE, connected
from tests.live.servers import Site, WebServer
from tests.numbers.pool_support import KEYS, SLUG, pool_on
from tests.support.parts import starts_processes
from tests.support.waiting import patient, until

pytestmark = [pytest.mark.prove, pytest.mark.needs("kamailio")]
SETUP, TOKEN_OF = "tests/bench/hot_setup.py", "fs-01"  # the switch that the set-up makes


@pytest.fixture
@starts_processes
def stage(tmp_path: Path) -> Iterator[Stage]:
    """Two numbers, a web process, and a Kamailio without access to Redis."""
    redis = RedisServer(folder=tmp_path / "redis", append_only=False).start()
    server = stage = None
    try:
        site = Site(tmp_path / "site", redis.url)
        site.migrate()
        token = site.run(SETUP, SLUG, "2").strip()
        server = WebServer(site, "uvicorn", "poolsite.asgi:application").start()
        settings = {
            "HTTP_BASE": f"http://127.0.0.1:{server.port}",
            "HTTP_TOKEN": token,
            "SWITCH_NAME": TOKEN_OF,
        }
        with pool_on(redis.url) as bench:
            _ask_once(server, token)
            folder = tmp_path / "kamailio"
            stage = Stage(folder, redis, bench, settings=settings, defines=("LANE_HTTP",))
            yield stage.prepare().start()
    finally:
        if stage is not None:
            stage.stop()
        if server is not None:
            server.stop()
        redis.stop()


def _ask_once(server: WebServer, token: str) -> None:
    """Send one event, so that a process opens its connections: Kamailio waits only a second."""
    answer = httpx.post(
        f"http://127.0.0.1:{server.port}/api/v1/pools/{SLUG}/events",
        json={"event": "renew", "call_id": "none"},
        headers={"Authorization": f"Bearer {token}"},
        timeout=patient(60),
    )
    assert answer.json()["type"] == "unknown-call", answer.text


def test_calls_are_made_counted_listed_and_ended(stage: Stage, agent: Phone, callee: Phone) -> None:
    mine, _, first = connected(agent, callee)
    _, _, second = connected(agent, callee)
    assert {first.number(), second.number()} == {"+8613000000000", "+8613000000001"}
    agent.invite(CALLEE)
    assert "All Numbers Busy" in agent.wait(503).start
    client, number = stage.bench.client, second.number()
    lease = client.zscore(KEYS.timers, number)
    until(lambda: client.zscore(KEYS.timers, number) > lease, evidence=stage.said)
    agent.bye(mine)
    callee.reply(callee.wait("BYE"), 200, "OK")
    agent.wait(200)
    until(lambda: stage.bench.figures().idle_up == 1, evidence=stage.said)


def test_a_phone_moves_its_number(stage: Stage) -> None:
    number = "+8613000000000"
    stage.bench.event("unreg", number)
    with Phone(stage.sip_port, number) as phone:
        phone.register()
        until(lambda: stage.bench.figures().idle_up == 2, evidence=stage.said)
        phone.register(expires=0)
        until(lambda: stage.bench.figures().idle_up == 1, evidence=stage.said)


def test_a_server_that_is_away_is_503(stage: Stage, agent: Phone) -> None:
    stage.bench.client.delete(KEYS.tag)
    agent.invite(CALLEE)
    assert "No Number Available" in agent.wait(503).start
