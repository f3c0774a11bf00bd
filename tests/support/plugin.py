"""What every test builds on: a private Redis and a database for each worker process."""

import atexit
import gc
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import hypothesis
import pytest

from poolsite.hotpath.scripts import preluded_with
from poolsite.runtime.redis_server import RedisServer, find_server_program
from tests.support import programs
from tests.support.clock import TEST_PRELUDE, ScriptClock
from tests.support.cluster import RedisCluster
from tests.support.durations import DurationsPlugin
from tests.support.environment import SAFE
from tests.support.flushing import make_flush_cheap
from tests.support.matrix import MatrixPlugin
from tests.support.needs import NeedsPlugin, require
from tests.support.parts import PartsPlugin, starts_processes
from tests.support.postgres import PostgresServer
from tests.support.progress import ProgressPlugin
from tests.support.rates import GENEROUS
from tests.support.repeating import RepeatingPlugin

# The servers start before Django reads its settings, so that every client that the
# settings configure (SQL, hot path, cache, channel layer, broker) reaches this worker's own.
_FOLDER = Path(tempfile.mkdtemp(prefix="poolsite-test-", dir="/tmp"))  # short: socket paths
os.environ["TMPDIR"] = tempfile.tempdir = str(_FOLDER)  # interrupted browsers leave files
_SERVER = RedisServer(_FOLDER / "redis", program=find_server_program(), append_only=False)
_POSTGRES: list[PostgresServer] = []  # the worker's own, once a test has used it


@atexit.register
def _clean_up() -> None:
    while _POSTGRES:
        _POSTGRES.pop().remove()
    _SERVER.stop()
    shutil.rmtree(_FOLDER, ignore_errors=True)


def _postgres() -> PostgresServer:
    if not _POSTGRES:
        _POSTGRES.append(PostgresServer())  # listed before it starts: so it is removed
        _POSTGRES[0].start()
    return _POSTGRES[0]


_SERVER.start()
for _name in ("CACHE_URL", "CELERY_BROKER_URL"):
    os.environ.pop(_name, None)
os.environ["REDIS_URL"] = _SERVER.url
os.environ["POOLSITE_DATA_DIR"] = str(_FOLDER)
os.environ.update(GENEROUS)
os.environ.update(SAFE)


if os.environ.get("TEST_DATABASE") == "postgres":
    os.environ["DATABASE_URL"] = _postgres().url("poolsite")


# No deadline for Hypothesis' examples: no test measures time, and the first one imports modules.
hypothesis.settings.register_profile("poolsite", hypothesis.settings.default, deadline=None)
hypothesis.settings.load_profile("poolsite")


@pytest.hookimpl(tryfirst=True)  # Hypothesis and pytest's folders read what is set here
def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "needs(name, …): what the machine must have: support/needs")
    config.option.basetemp = config.option.basetemp or str(_FOLDER / "t")  # removed at the end
    kinds = (NeedsPlugin, PartsPlugin, RepeatingPlugin, DurationsPlugin, MatrixPlugin)
    for plugin in (kind() for kind in kinds):
        config.pluginmanager.register(plugin)
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(ProgressPlugin(), "progress")  # -p no:progress


def pytest_collection_finish() -> None:
    """Exclude what was imported and collected, and stays anyway, from garbage collection."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True, scope="session")
def _cheap_flush() -> None:
    make_flush_cheap()


def pytest_unconfigure() -> None:
    """End this worker's servers and remove their folders."""
    _clean_up()


@pytest.fixture(scope="session")
def redis_server() -> RedisServer:
    """This worker's own Redis."""
    return _SERVER


@pytest.fixture
def clean_redis(redis_server: RedisServer) -> Iterator[RedisServer]:
    """This worker's own Redis, emptied before and after the test."""
    with redis_server.client() as client:
        client.flushall()
        yield redis_server
        client.flushall()


@pytest.fixture
def test_clock(clean_redis: RedisServer) -> Iterator[ScriptClock]:
    """A clock for every script on the empty Redis. It stands still until the test moves it."""
    with preluded_with(TEST_PRELUDE), clean_redis.client() as client:
        yield ScriptClock(client)


REDIS_PROGRAMS: dict[str, Callable[[], str]] = {
    "redis-6.2": programs.redis_62,
    "redis-7": programs.redis_7,
    "valkey-9": programs.valkey_9,
}


def _redis_params(*names: str) -> list[object]:
    """Use the worker's own server for its kind. The other kinds need more processes."""
    others = [name for name, find in REDIS_PROGRAMS.items() if find() != _SERVER.program]
    return [
        pytest.param(name, marks=pytest.mark.processes if name in others else ())
        for name in names or REDIS_PROGRAMS
    ]


@pytest.fixture(scope="session", params=_redis_params())
def _each_redis_server(request: pytest.FixtureRequest) -> Iterator[RedisServer]:
    program = REDIS_PROGRAMS[request.param]()
    if not program:
        require(request.param)
    if program == _SERVER.program:
        yield _SERVER
        return
    folder = Path(tempfile.mkdtemp(prefix=f"{request.param}-", dir=_FOLDER))
    server = RedisServer(folder, program=program, append_only=False).start()
    yield server
    server.stop()


def on_servers(*names: str) -> pytest.MarkDecorator:
    """Run a test that uses `each_redis` on these servers only."""
    return pytest.mark.parametrize("_each_redis_server", _redis_params(*names), indirect=True)


@pytest.fixture
def each_redis(_each_redis_server: RedisServer) -> RedisServer:
    """Run the test on Redis 6.2, on Redis 7 and on Valkey 9. The server is empty."""
    with _each_redis_server.client() as client:
        client.flushall()
        client.script_flush()
    return _each_redis_server


@pytest.fixture(scope="session")
@starts_processes
def _cluster_of_session() -> Iterator[RedisCluster]:
    cluster = RedisCluster(_FOLDER / "cluster").start()
    yield cluster
    cluster.stop()


@pytest.fixture
def redis_cluster(_cluster_of_session: RedisCluster) -> RedisCluster:
    """Three real masters with all slots assigned, emptied.

    A test that moves a slot must move it back.
    """
    for node in _cluster_of_session.nodes:
        with node.client() as client:
            client.flushall()
    return _cluster_of_session


@pytest.fixture(scope="session")
@starts_processes
def postgres_server() -> PostgresServer:
    """This worker's own PostgreSQL. It starts when the first test uses it."""
    require("postgres")
    return _postgres()


@pytest.fixture(scope="session")
def postgres_url(postgres_server: PostgresServer) -> str:
    """DATABASE_URL of this worker's one empty database, for subprocesses."""
    return postgres_server.create_database()
