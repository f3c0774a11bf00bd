"""Fixtures of the dispatcher's tests."""

from collections.abc import Iterator

import pytest

from poolsite.runtime.redis_server import RedisServer
from tests.dispatch.dispatcher.group_support import GroupUnderTest, group_on
from tests.support.clock import ScriptClock


@pytest.fixture
def group(test_clock: ScriptClock, clean_redis: RedisServer) -> Iterator[GroupUnderTest]:
    """A group with the defaults, under a clock that only the test moves.

    At the end its laws are checked.
    """
    with group_on(clean_redis.url, test_clock) as bench:
        yield bench.create()
        bench.check_structure()
