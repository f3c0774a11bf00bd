"""The desk of each test of this folder."""

from collections.abc import Iterator

import pytest

from poolsite.runtime.redis_server import RedisServer
from tests.line.desk.desk_support import DeskUnderTest, desk_on
from tests.support.clock import ScriptClock


@pytest.fixture
def line(clean_redis: RedisServer, test_clock: ScriptClock) -> Iterator[DeskUnderTest]:
    with desk_on(clean_redis.url, test_clock) as bench:
        bench.create()
        bench.queue(1)
        bench.queue(2)
        yield bench
        assert bench.wrong() == []
