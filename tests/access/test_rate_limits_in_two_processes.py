"""Two web processes share the limits: their answers show how much both let through together."""

import asyncio
import time
from collections import Counter
from collections.abc import Iterator

import httpx
import pytest

from poolsite.limits.shares import SHARE_SECONDS
from poolsite.runtime.redis_server import RedisServer
from tests.live.servers import Site, WebServer
from tests.support.parts import starts_processes
from tests.support.waiting import patient

pytestmark = pytest.mark.prove

PER_SECOND, BURST = 2, 4
BAD_TOKENS = 30
PATH = "/api/v1/pools/nowhere/events"


@pytest.fixture
@starts_processes
def servers(
    tmp_path_factory: pytest.TempPathFactory, clean_redis: RedisServer
) -> Iterator[list[WebServer]]:
    site = Site(tmp_path_factory.mktemp("limits"), clean_redis.url)
    site.migrate()
    site.meet("north")
    limits = {
        "POOLSITE_RATE_PER_TOKEN": str(PER_SECOND),
        "POOLSITE_BAD_TOKENS_PER_ADDRESS": str(BAD_TOKENS),
    }
    servers = [
        WebServer(site, "uvicorn", "poolsite.asgi:application", environment=limits)
        for _ in range(2)
    ]
    try:
        for server in servers:
            server.start()
        yield servers
    finally:
        for server in servers:
            server.stop()


async def answers(servers: list[WebServer], token: str, count: int) -> tuple[Counter[int], float]:
    """Send `count` requests, spread over the servers. Return the statuses and the seconds."""
    headers = {"Authorization": f"Bearer {token}"}
    pool = httpx.Limits(max_connections=10)
    async with httpx.AsyncClient(headers=headers, timeout=patient(60), limits=pool) as client:
        urls = [f"http://127.0.0.1:{server.port}{PATH}" for server in servers]
        began = time.monotonic()
        sent = [client.post(urls[number % 2], json={"event": "call"}) for number in range(count)]
        statuses = Counter(answer.status_code for answer in await asyncio.gather(*sent))
        return statuses, time.monotonic() - began


async def test_two_processes_let_no_more_through_than_one_limit_says(
    servers: list[WebServer],
) -> None:
    statuses, seconds = await answers(servers, servers[0].site.people["north"]["token"], 400)
    assert set(statuses) == {404, 429}  # the pool does not exist: a 404 has passed the limit
    assert BURST <= statuses[404] <= BURST + PER_SECOND * (seconds + SHARE_SECONDS)

    statuses, seconds = await answers(servers, "ps_guess", 200)
    assert set(statuses) == {401, 429}
    assert BAD_TOKENS <= statuses[401] <= BAD_TOKENS + BAD_TOKENS / 60 * seconds + 1
