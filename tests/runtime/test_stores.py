"""Cache and broker by URL: one server or Sentinel, on real servers."""

import os
import pickle
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from poolsite.runtime import stores
from tests.support import forking
from tests.support.sentinel import RedisSentinel

pytestmark = pytest.mark.processes

USE_BOTH = """
import django
django.setup()
from django.core.cache import cache
from poolsite.celery import app

cache.set("greeting", "hello", 60)
print(cache.get("greeting"))
with app.connection_for_write() as connection:
    queue = connection.SimpleQueue("errands")
    queue.put("hello")
    print(queue.get(timeout=60).payload)
    queue.close()
"""


class Planted:
    """An object that creates the file `trace` when it is unpickled."""

    def __init__(self, trace: Path) -> None:
        self.trace = trace

    def __reduce__(self) -> tuple[Callable[[Path], None], tuple[Path]]:
        return Path.touch, (self.trace,)


@pytest.fixture(scope="module")
def sentinel(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisSentinel]:
    group = RedisSentinel(tmp_path_factory.mktemp("sentinel")).start()
    yield group
    group.stop()


def python(program: str, **variables: str) -> "subprocess.CompletedProcess[str]":
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "poolsite.settings", **variables}
    return forking.run(["-c", program], environment)


def test_both_work_behind_a_sentinel(sentinel):
    answer = python(USE_BOTH, REDIS_URL=sentinel.url.removesuffix("0") + "1")
    assert answer.stdout == "hello\nhello\n", answer.stderr
    with sentinel.servers[0].client() as client:
        keyspace = client.info("keyspace")
    assert "db0" not in keyspace  # the URL names database 1, for both
    assert keyspace["db1"]["keys"] > 0


def test_both_work_on_a_unix_socket(tmp_path, clean_redis):
    answer = python(USE_BOTH, REDIS_URL=f"unix://{clean_redis.socket}?db=1&socket_timeout=20")
    assert answer.stdout == "hello\nhello\n", answer.stderr
    with clean_redis.client() as client:
        assert set(client.info("keyspace")) == {"db1"}


def test_each_use_may_have_a_server_of_its_own(sentinel, clean_redis):
    answer = python(USE_BOTH, REDIS_URL=clean_redis.url, CACHE_URL=sentinel.url)
    assert answer.stdout == "hello\nhello\n", answer.stderr
    with clean_redis.client() as client:
        assert not [key for key in client.keys("*") if key.startswith("cache:")]


def test_nothing_that_lies_in_the_cache_is_run(clean_redis, tmp_path):
    trace = tmp_path / "trace"
    with clean_redis.client() as client:
        client.set("cache:2:greeting", pickle.dumps(Planted(trace)))
    answer = python(
        "from django.core.cache import cache; cache.get('greeting')", CACHE_URL=clean_redis.url
    )
    assert "UnicodeDecodeError" in answer.stderr
    assert not trace.exists()


@pytest.mark.parametrize(
    ("make", "name"),
    [(stores.cache, "CACHE_URL"), (stores.broker, "CELERY_BROKER_URL")],
)
def test_a_cluster_is_refused_with_the_remedy(make, name):
    with pytest.raises(ImproperlyConfigured) as caught:
        make("redis+cluster://127.0.0.1:7000")
    assert str(caught.value) == (
        f"{name} names a Redis Cluster, which only the hot path (REDIS_URL) can use: set {name} "
        "to one server (redis://…) or a Sentinel group (redis+sentinel://…)."
    )


def test_a_hot_path_on_a_cluster_does_not_lend_its_address():
    assert stores.one_server_of("redis+cluster://127.0.0.1:7000") == ""
    assert stores.one_server_of("redis://127.0.0.1:6379/2") == "redis://127.0.0.1:6379/2"


def test_a_password_is_never_part_of_a_refusal():
    with pytest.raises(ImproperlyConfigured) as caught:
        stores.cache("redis+cluster://user:hunter2@127.0.0.1:7000")
    assert "hunter2" not in str(caught.value)


def test_the_login_of_a_sentinel_group_reaches_both():
    url = "redis+sentinel://user:secret@s1:1,s2:2/main/3?sentinel_password=other"
    cache = stores.cache(url)
    broker, options = stores.broker(url)
    assert cache["LOCATION"] == "redis://main/3"
    assert cache["OPTIONS"]["CONNECTION_POOL_KWARGS"] == {"username": "user", "password": "secret"}
    assert broker == "sentinel://user:secret@s1:1/3;sentinel://user:secret@s2:2/3"
    assert options["master_name"] == "main"
    assert options["sentinel_kwargs"]["password"] == "other"


def test_options_of_one_server_go_beside_celerys_url():
    own = {"socket_timeout": 5.0, "max_connections": 9}
    secure = "rediss://u:p@h:1/2?ssl_ca_certs=/ca.pem&socket_timeout=5&max_connections=9"
    assert stores.broker(secure) == ("rediss://u:p@h:1/2?ssl_ca_certs=%2Fca.pem", own)
    assert stores.broker("redis://h?db=3") == ("redis://h/3", {})


def test_a_folder_of_the_project_is_not_needed_to_read_settings(tmp_path):
    answer = python(
        "from django.conf import settings; print(settings.DATA_DIR.exists())",
        POOLSITE_DATA_DIR=str(tmp_path / "not yet"),
    )
    assert answer.stdout == "False\n"
    assert not Path(tmp_path / "not yet").exists()
