"""Fixtures of the gate's tests."""

from collections.abc import Iterator

import pytest

from poolsite.runtime.redis_server import RedisServer
from tests.admission.gate_support import FORMS, GateUnderTest, gate_on
from tests.support.clock import ScriptClock
from tests.support.needs import require


@pytest.fixture(params=FORMS)
def form(request: pytest.FixtureRequest, redis_server: RedisServer) -> str:
    """Run the test with the gate's operations as functions, and with them as scripts."""
    form = str(request.param)
    if form == "functions":
        with redis_server.client() as client:
            if client.info("server")["redis_version"].startswith("6."):
                require("redis-7")
    return form


@pytest.fixture
def bench(form: str, test_clock: ScriptClock, redis_server: RedisServer) -> Iterator[GateUnderTest]:
    """A gate with the defaults (60 permits of 300 s), under a clock that only the test moves."""
    with gate_on(redis_server.url, test_clock, form) as bench:
        yield bench.create()
        bench.check_structure()
