"""Fixtures of the tests about pools."""

from collections.abc import Iterator

import pytest

from poolsite.runtime.redis_server import RedisServer
from tests.numbers.pool_support import PoolUnderTest, pool_on
from tests.support.clock import ScriptClock


@pytest.fixture
def bench(test_clock: ScriptClock, redis_server: RedisServer) -> Iterator[PoolUnderTest]:
    """An empty pool under a clock that the test moves. At the end its keys must agree."""
    with pool_on(redis_server.url, test_clock) as bench:
        yield bench.create()
        assert bench.problems() == []
