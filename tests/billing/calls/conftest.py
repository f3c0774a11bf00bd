"""Fixtures of the tests of charged calls."""

from collections.abc import AsyncIterator, Iterator

import httpx
import pytest

from poolsite.access.rights.hub import HUB
from poolsite.runtime.redis_server import RedisServer
from tests.billing.calls.call_support import Line, make_line
from tests.numbers.people import in_thread, token_for
from tests.numbers.test_api_events import Caller


@pytest.fixture(autouse=True)
def _quiet_hub() -> Iterator[None]:
    """Ensure that no listener outlives its test."""
    yield
    HUB.stop()


@pytest.fixture
async def line(transactional_db: None, clean_redis: RedisServer) -> Line:
    """A charged pool of three numbers."""
    return await in_thread(make_line)()


@pytest.fixture
async def switch(line: Line) -> AsyncIterator[Caller]:
    """A switch with a token for the pool."""
    from poolsite.asgi import application

    secret = await in_thread(token_for)(line.pool)
    transport = httpx.ASGITransport(app=application)
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
        yield Caller(client, secret)
