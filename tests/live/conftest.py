"""Two server processes of each kind on one database and one Redis."""

from collections.abc import AsyncIterator, Iterator

import pytest
import redis.asyncio

from poolsite.runtime.redis_server import RedisServer
from tests.live.servers import Site, WebServer
from tests.support.parts import starts_processes


@pytest.fixture(scope="session")
@starts_processes
def live_site(tmp_path_factory: pytest.TempPathFactory, redis_server: RedisServer) -> Site:
    """A database with people, on this worker's own Redis."""
    return Site(tmp_path_factory.mktemp("live"), redis_server.url).make()


@pytest.fixture(scope="session", params=["uvicorn", "daphne"])
@starts_processes
def web(request: pytest.FixtureRequest, live_site: Site) -> Iterator[WebServer]:
    """A server process. Each test that uses it runs on both kinds."""
    brisk = {"TEST_BEAT_SECONDS": "1"}
    server = WebServer(live_site, request.param, environment=brisk).start()
    yield server
    server.stop()


@pytest.fixture(scope="session")
@starts_processes
def other_web(live_site: Site) -> Iterator[WebServer]:
    """A second server process."""
    server = WebServer(live_site, "uvicorn").start()
    yield server
    server.stop()


@pytest.fixture
async def redis_client(clean_redis: RedisServer) -> AsyncIterator[redis.asyncio.Redis]:
    """A client of the servers' Redis, which is emptied before and after."""
    client = redis.asyncio.Redis.from_url(clean_redis.url, decode_responses=True)
    yield client
    await client.aclose()
