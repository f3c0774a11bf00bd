"""What every test stands on: a private Redis and a database for each worker process."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import poolsite  # noqa: F401  first: see poolsite/__init__.py
from poolsite.runtime.redis_server import RedisServer

# The server starts before Django reads its settings, so that every client that the
# settings configure (hot path, cache, channel layer, broker) reaches this worker's own.
_FOLDER = Path(tempfile.mkdtemp(prefix="poolsite-test-", dir="/tmp"))  # short: socket paths are
_SERVER = RedisServer(folder=_FOLDER / "redis", append_only=False).start()
os.environ["REDIS_URL"] = _SERVER.url
os.environ["POOLSITE_DATA_DIR"] = str(_FOLDER)
os.environ.setdefault("POOLSITE_SECRET_KEY", "a key for tests only")

import pytest


def pytest_unconfigure() -> None:
    """End this worker's server and remove its folder."""
    _SERVER.stop()
    shutil.rmtree(_FOLDER, ignore_errors=True)


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
