"""What every test stands on: a private Redis and a database for each worker process."""

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
_FOLDER = Path(tempfile.mkdtemp(prefix="poolsite-test-", dir="/tmp"))  # short: socket paths are
os.environ["TMPDIR"] = tempfile.tempdir = str(_FOLDER)  # what an interrupted browser leaves goes
_SERVER = RedisServer(_FOLDER / "redis", program=find_server_program(), append_only=False)
_POSTGRES: list[PostgresServer] = []  # the worker's own, from the first test that asks for it


@atexit.register
def _clean_up() -> None:
    while _POSTGRES:
        _POSTGRES.pop().remove()
    _SERVER.stop()
    shutil.rmtree(_FOLDER, ignore_errors=True)


def _postgres() -> PostgresServer:
    if not _POSTGRES:
        _POSTGRES.append(PostgresServer())  # known before it starts, so that it is removed
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


# No test measures time, Hypothesis' own limit for one example neither: the first imports modules.
hypothesis.settings.register_profile("poolsite", hypothesis.settings.default, deadline=None)
hypothesis.settings.load_profile("poolsite")


@pytest.hookimpl(tryfirst=True)  # Hypothesis and pytest's folders read what is set here
def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "needs(name, …): what the machine must have: support/needs")
    config.option.basetemp = config.option.basetemp or str(_FOLDER / "t")  # gone at the end
    kinds = (NeedsPlugin, PartsPlugin, RepeatingPlugin, DurationsPlugin, MatrixPlugin)
    for plugin in (kind() for kind in kinds):
        config.pluginmanager.register(plugin)
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(ProgressPlugin(), "progress")  # -p no:progress


def pytest_collection_finish() -> None:
    """Take what was imported and collected, which stays, out of each search for garbage."""
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
    """The same, emptied before and after."""
    with redis_server.client() as client:
        client.flushall()
        yield redis_server
        client.flushall()


@pytest.fixture
def test_clock(clean_redis: RedisServer) -> Iterator[ScriptClock]:
    """A clock that stands still until the test moves it, for every script on the empty Redis."""
    with preluded_with(TEST_PRELUDE), clean_redis.client() as client:
        yield ScriptClock(client)


REDIS_PROGRAMS: dict[str, Callable[[], str]] = {
    "redis-6.2": programs.redis_62,
    "redis-7": programs.redis_7,
    "valkey-9": programs.valkey_9,
}


def _redis_params(*names: str) -> list[object]:
    """The worker's own server serves for the kind that it is of; others are processes more."""
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
    """Run a test that uses `each_redis` on these servers alone."""
    return pytest.mark.parametrize("_each_redis_server", _redis_params(*names), indirect=True)


@pytest.fixture
def each_redis(_each_redis_server: RedisServer) -> RedisServer:
    """Run the test on Redis 6.2, on Redis 7 and on Valkey 9; the server is empty."""
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
    """Three real masters, all slots assigned; emptied. A moved slot must be moved back."""
    for node in _cluster_of_session.nodes:
        with node.client() as client:
            client.flushall()
    return _cluster_of_session


@pytest.fixture(scope="session")
@starts_processes
def postgres_server() -> PostgresServer:
    """This worker's own PostgreSQL, started when the first test asks for it."""
    require("postgres")
    return _postgres()


@pytest.fixture(scope="session")
def postgres_url(postgres_server: PostgresServer) -> str:
    """DATABASE_URL of one empty database of this worker; start subprocesses with it."""
    return postgres_server.create_database()
