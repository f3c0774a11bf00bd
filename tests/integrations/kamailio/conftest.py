"""Fixtures of the tests with a real Kamailio."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from poolsite.runtime.redis_server import RedisServer
from tests.integrations.kamailio.phone import Phone
from tests.integrations.kamailio.stage import Stage, make_admin
from tests.numbers.pool_support import pool_on
from tests.support.needs import require
from tests.support.parts import starts_processes

NUMBERS = ("13800000001", "13800000002")
MakeStage = Callable[..., Stage]


@pytest.fixture
@starts_processes
def make_stage(tmp_path: Path) -> Iterator[MakeStage]:
    """A function that makes a pool of numbers on its own Redis, with a Kamailio in front."""
    require("kamailio")
    with ExitStack() as ends:

        def make(*numbers: str, up: bool = True, program: str = "", **options: Any) -> Stage:
            redis = RedisServer(tmp_path / "redis", program, appendfsync="always").start()
            ends.callback(redis.stop)
            bench = ends.enter_context(pool_on(make_admin(redis)))
            bench.create().add(*(numbers or NUMBERS), up=up)
            stage = Stage(tmp_path / "kamailio", redis, bench, **options)
            ends.callback(stage.stop)
            return stage.prepare().start()

        yield make


@pytest.fixture
def stage(make_stage: MakeStage) -> Stage:
    """Two numbers that are up, and a Kamailio."""
    return make_stage()


@pytest.fixture
def agent(stage: Stage) -> Iterator[Phone]:
    """A registered agent's phone."""
    with Phone(stage.sip_port, "alice") as phone:
        assert phone.register().status == 200
        yield phone


@pytest.fixture
def callee(stage: Stage) -> Iterator[Phone]:
    """The phone behind the gateway."""
    with Phone(stage.sip_port, "callee", stage.callee_port) as phone:
        yield phone
