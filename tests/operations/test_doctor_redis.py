"""What `manage.py doctor` reports about Redis servers in every state: all are real, or down."""

import os
import re
import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from poolsite import hotpath
from poolsite.operations import DoctorLine, health
from poolsite.operations.doctor import running
from poolsite.operations.registry import EXAMINATIONS
from poolsite.runtime.redis_server import RedisServer
from tests.chaos.redis_node import faketime_library
from tests.operations.marks import set_running
from tests.support import programs
from tests.support.cluster import RedisCluster
from tests.support.old_redis import old_redis
from tests.support.parts import starts_processes
from tests.support.plugin import on_servers
from tests.support.ports import free_port
from tests.support.waiting import patient, until

pytestmark = pytest.mark.django_db(transaction=True)

USES = ("REDIS_URL", "CACHE_URL", "BROKER_ADDRESS")
ALL = (
    *("redis.servers", "redis.memory", "redis.aof", "redis.replicas", "redis.rights"),
    *("redis.users", "scripts", "releases", "clocks"),
)


@pytest.fixture(autouse=True)
def _only_what_depends_on_redis(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "CHECK_SECONDS", patient(10))
    for name in ("deploy", "static"):
        monkeypatch.delitem(EXAMINATIONS, name)


@pytest.fixture(scope="module")
@starts_processes
def one_server() -> Iterator[RedisServer]:
    """A correctly configured server with a port."""
    with tempfile.TemporaryDirectory(prefix="doctor-", dir="/tmp") as folder:
        extra = ["--maxmemory", "1gb"]
        server = RedisServer(Path(folder), port=free_port(), extra=extra).start()
        yield server
        server.stop()


@pytest.fixture
def server(one_server: RedisServer, settings: Any) -> Iterator[RedisServer]:
    """`one_server` as the site's only Redis, with all scripts loaded. It is restored at the end."""
    use(settings, one_server.url)
    hotpath.default().load_scripts()
    yield one_server
    with one_server.client() as client:
        client.config_set("maxmemory-policy", "noeviction")
        client.config_set("maxmemory", "1gb")
        client.config_set("appendonly", "yes")
        client.config_set("appendfsync", "everysec")
        client.flushall()


def use(settings: Any, url: str) -> None:
    for name in USES:
        setattr(settings, name, url)
    hotpath.reset()
    health.forget()


def lines(*names: str) -> dict[str, DoctorLine]:
    """Return the first line of each check: Redis' own. "clocks" has one of PostgreSQL, too."""
    return {row.name: row.line for row in reversed(running.examine(names).rows)}


def line(name: str) -> DoctorLine:
    return lines(name)[name]


def test_a_server_as_it_should_be(server):
    found = lines(*ALL)
    assert {each.mark for name, each in found.items() if name != "clocks"} == {"ok"}, found
    assert found["redis.servers"].found.startswith(
        f"REDIS_URL, CACHE_URL, CELERY_BROKER_URL (single 127.0.0.1:{server.port}): "
    )
    assert "of 1.07 GB used" in found["redis.memory"].found
    assert found["redis.aof"].found == "REDIS_URL: appendonly yes, appendfsync everysec"
    assert found["clocks"].mark == "ok"


@pytest.mark.parametrize(
    ("name", "value", "check", "mark", "told"),
    [
        ("maxmemory-policy", "allkeys-lru", "redis.memory", "fail", "drops data when its memory"),
        ("maxmemory", "0", "redis.memory", "warn", "no maxmemory"),
        ("maxmemory", "1", "redis.memory", "fail", "of 1 B used"),
        ("appendonly", "no", "redis.aof", "fail", "appendonly no"),
        ("appendfsync", "no", "redis.aof", "warn", "appendfsync no"),
    ],
)
def test_each_setting_that_loses_data_has_a_line(server, name, value, check, mark, told):
    with server.client() as client:
        client.config_set(name, value)
    found = line(check)
    assert (found.mark, bool(found.remedy)) == (mark, True)
    assert told in found.found


def test_a_cache_with_a_server_of_its_own_may_evict(server, settings, redis_server):
    use(settings, redis_server.url)
    settings.CACHE_URL = server.url
    with server.client() as client:
        client.config_set("maxmemory-policy", "allkeys-lru")
        client.config_set("appendonly", "no")
    hot, cache = (row.line for row in running.examine(["redis.memory"]).rows)
    assert cache.mark == "ok"
    assert cache.found.startswith("CACHE_URL: allkeys-lru")
    assert hot.mark == "ok"
    assert running.examine(["redis.aof"]).rows[1].line.mark == "skip"


def test_scripts_that_were_flushed_and_libraries_of_another_release(server):
    with server.client() as client:
        client.script_flush()
        assert line("scripts").mark == "warn"
        assert "Run manage.py scripts" in line("scripts").remedy
        if hotpath.default().knows_functions():
            client.function_load(
                "#!lua name=poolsite_x_0 \nredis.register_function('x', function() end)"
            )
            assert "1 libraries of other releases" in line("releases").found
            client.function_delete("poolsite_x_0")


def test_a_user_without_rights_is_told_which_and_its_password_is_not_shown(server, settings):
    with server.client() as client:
        client.execute_command(
            *("ACL", "SETUSER", "console", "reset", "on", ">known-to-few"),
            *("~numbers*", "&*", "+@all", "-xadd", "-function|load"),
        )
        use(settings, f"redis://console:known-to-few@127.0.0.1:{server.port}/0")
        found = line("redis.rights")
        assert found.mark == "fail"
        assert {"xadd", "function|load", "all keys (~*)"} <= set(
            found.found.partition("may not use ")[2].split(", ")
        )
        assert found.remedy == "Run ACL SETUSER console +@all ~* &*, then ACL SAVE."
        client.execute_command("ACL", "SETUSER", "console", "reset", "on", ">known-to-few", "+info")
        assert line("redis.rights").mark == "fail"  # it may not even read its own rights
        told = " ".join(f"{each.found} {each.remedy}" for each in lines().values())
        assert "known-to-few" not in told
        use(settings, f"redis://console:guessed-wrong@127.0.0.1:{server.port}/0")
        refused = line("redis.servers")
        assert refused.mark == "fail"
        assert "invalid username-password pair" in refused.found
        client.execute_command("ACL", "DELUSER", "console")


def test_users_of_switches_that_a_restart_would_forget(server):
    assert line("redis.users").mark == "ok"
    with server.client() as client:
        client.execute_command("ACL", "SETUSER", "east.pbx1", "on", "nopass")
        found = line("redis.users")
        client.execute_command("ACL", "DELUSER", "east.pbx1")
    assert found.mark == "warn"
    assert "may forget east.pbx1" in found.found


@starts_processes
@pytest.fixture
def replica(server: RedisServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisServer]:
    folder = tmp_path_factory.mktemp("replica")
    extra = ["--replicaof", "127.0.0.1", str(server.port)]
    second = RedisServer(folder, port=free_port(), extra=extra).start()
    yield second
    second.stop()


def test_a_primary_with_replicas_should_refuse_when_it_has_none_and_a_replica_is_no_primary(
    server, replica, settings
):
    with server.client() as client:
        until(lambda: client.info("replication")["connected_slaves"] == 1)
        assert line("redis.replicas").mark == "warn"
        client.config_set("min-replicas-to-write", 1)
        assert line("redis.replicas").mark == "ok"
        client.config_set("min-replicas-to-write", 0)
    use(settings, replica.url)
    found = line("redis.replicas")
    assert found.mark == "fail"
    assert found.found == f"REDIS_URL: a replica of 127.0.0.1:{server.port}"


@on_servers("redis-6.2")
def test_redis_6_2_is_new_enough_and_cannot_tell_of_rights(each_redis, settings):
    use(settings, each_redis.url)
    assert line("redis.servers").mark == "ok"
    assert "Redis 6.2" in line("redis.servers").found
    assert line("redis.rights").mark == "skip"
    assert line("releases").mark == "ok"


@on_servers("valkey-9")
def test_valkey_is_named_as_such(each_redis, settings):
    use(settings, each_redis.url)
    assert "Valkey 9" in line("redis.servers").found
    assert line("redis.rights").mark == "ok"


def test_a_redis_that_is_too_old_is_asked_no_more(settings):
    with old_redis() as url:
        use(settings, url)
        found = line("redis.servers")
        assert found.mark == "fail"
        assert "Redis 6.0.16 at REDIS_URL" in found.found
        assert found.remedy.startswith("Install Redis 6.2 or newer")
        assert lines()["redis.aof"].mark == "skip"


def test_a_redis_that_is_away_has_one_failure_and_hides_the_rest(settings):
    use(settings, f"redis://:known-to-few@127.0.0.1:{free_port()}/0")
    found = lines()
    failed = {name for name, each in found.items() if each.mark == "fail"}
    assert failed == {"redis", "redis.servers"}
    assert {found[name].mark for name in ("timers", "redis.memory", "scripts", "clocks")} == {
        "skip"
    }
    assert "Connection refused" in found["redis.servers"].found
    assert found["sql"].mark == found["disk"].mark == "ok"
    assert "known-to-few" not in " ".join(each.found for each in found.values())
    assert line("redis.aof").mark == "fail"  # checked alone, no other line reports it


def test_a_redis_that_hangs_does_not_hang_doctor(server, settings):
    assert server.process is not None
    os.kill(server.process.pid, signal.SIGSTOP)
    try:
        found = line("redis.servers")
    finally:
        os.kill(server.process.pid, signal.SIGCONT)
    assert found.mark == "fail"
    assert "Timeout" in found.found


def test_a_heavy_accounts_server_is_looked_at_like_the_hot_path(server, settings, redis_server):
    use(settings, redis_server.url)
    settings.BILLING_REDIS_URLS = {"heavy": server.url}
    with server.client() as client:
        client.config_set("appendonly", "no")
    rows = running.examine(["redis.aof"]).rows
    assert rows[1].line.mark == "fail"
    assert rows[1].line.found.startswith("POOLSITE_BILLING_REDIS_URLS heavy: appendonly no")


def test_every_master_of_a_cluster_is_looked_at(redis_cluster: RedisCluster, settings, server):
    settings.REDIS_URL = redis_cluster.url
    hotpath.reset()
    for node in redis_cluster.nodes:
        with node.client() as client:  # another test may have loaded them
            client.script_flush()
            client.function_flush()
    assert [row.line.found.split(":")[0] for row in running.examine(["redis.aof"]).rows] == [
        *["REDIS_URL 127.0.0.1"] * 3,
        "CACHE_URL",
    ]
    (scripts,) = running.examine(["scripts"]).rows
    assert scripts.line.mark == "warn"
    hotpath.default().load_scripts()
    assert line("scripts").mark == "ok"


@pytest.mark.needs("faketime")
@pytest.mark.processes
def test_a_redis_whose_clock_is_off_is_told_with_the_difference(settings, tmp_path):
    for ahead, mark in ((4, "warn"), (-60, "fail")):
        shifted = {
            "LD_PRELOAD": faketime_library(),
            "FAKETIME": f"{ahead:+d}s",
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",
        }
        # Only Valkey's allocator works with the library.
        server = RedisServer(tmp_path / mark, programs.valkey_9(), environment=shifted).start()
        use(settings, server.url)
        found = line("clocks")
        server.stop()
        assert found.mark == mark, found
        told = re.match(r"REDIS_URL: (\S+) s from this machine's clock \(± (\S+) s\)", found.found)
        assert told is not None, found
        assert abs(float(told[1]) - ahead) <= float(told[2]) + 0.002, found  # rounded


def test_the_worst_of_a_whole_run_is_what_is_wrong(server):
    set_running()
    with server.client() as client:
        client.config_set("maxmemory", "1")
        health.forget()
        found = lines()
    assert found["redis"].mark == "fail"
    assert "Redis refuses writes" in found["redis"].found
    assert found["redis.memory"].mark == "fail"
    assert found["redis.aof"].mark == "ok"
