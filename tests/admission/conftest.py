"""Fixtures of the gate's tests."""

from collections.abc import Iterator

import pytest

from poolsite.runtime.redis_server import RedisServer
from tests.admission.gate_support import GateUnderTest, gate_on
from tests.support.clock import ScriptClock


@pytest.fixture
def bench(test_clock: ScriptClock, redis_server: RedisServer) -> Iterator[GateUnderTest]:
    """A gate with the defaults (60 permits of 300 s), under a clock that stands still."""
    with gate_on(redis_server.url, test_clock) as bench:
        yield bench.create()
        bench.check_structure()
