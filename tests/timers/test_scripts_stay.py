"""Every script stays on every master: switches call scripts by their SHA without loading them."""

import asyncio
import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import redis

from numbers import pool
from poolsite import hotpath
from poolsite.hotpath.library import direct_libraries
from poolsite.hotpath.scripts import preluded_with
from poolsite.runtime.redis_server import RedisServer
from poolsite.timers.process import Timers
from poolsite.timers.server import Server
from tests.support.cluster import RedisCluster
from tests.support.parts import starts_processes
from tests.support.plugin import on_servers
from tests.support.releases import other_prelude
from tests.support.waiting import eventually

SHA = pool.SCRIPTS["event"].sha1


def server_at(path: hotpath.HotPath) -> Server:
    return Server("test", lambda: path)


EVENT = "numbers_event"  # how switches call it as a function, in any release
# The count of a complete check: each script, and the library that switches call.
ALL = len(hotpath.registered()) + 1


def held(client: Any) -> set[bool]:
    """Return whether the server has the scripts of all apps: {True}, {False}, or both."""
    return set(client.script_exists(*(script.sha1 for script in hotpath.registered().values())))


def flush(client: Any) -> None:
    client.script_flush()
    client.function_flush()


def answers(client: Any) -> set[str]:
    """Return the answers to an event sent by its SHA only, and to one sent to the function."""
    said = set()
    for verb, what in (("EVALSHA", SHA), ("FCALL", EVENT)):
        try:
            said.add(client.execute_command(verb, what, 1, "{numpool}", "call")[3])
        except redis.exceptions.ResponseError as error:
            said.add(type(error).__name__ if verb == "EVALSHA" else str(error))
    return said


LOST = {"NoScriptError", "Function not found"}


def test_scripts_of_every_app_are_among_them() -> None:
    apps = {script.app for script in hotpath.registered().values()}
    assert apps >= {"numbers", "line", "admission", "dispatch", "billing", "hotpath", "jobs"}


async def test_after_a_flush_one_check_brings_all_of_them_back(clean_redis: RedisServer) -> None:
    with (
        clean_redis.client() as client,
        contextlib.closing(hotpath.HotPath(clean_redis.url)) as path,
    ):
        flush(client)
        assert (held(client), answers(client)) == ({False}, LOST)
        assert await server_at(path).check_scripts() == ALL
        assert (held(client), answers(client)) == ({True}, {"no such pool"})
        assert await server_at(path).check_scripts() == 0
        client.function_flush()
        assert await server_at(path).check_scripts() == 1
        assert answers(client) == {"no such pool"}


def is_of_this_release(client: Any) -> bool:
    (library,) = direct_libraries()
    ((*_, text),) = client.function_list(library.name, withcode=True)
    return bool(text == library.text)


async def test_two_releases_side_by_side_leave_switches_served_and_the_last_one_stays(
    clean_redis: RedisServer, tmp_path: Path
) -> None:
    """Each release's timers install their own text, and no name is ever missing in between."""
    other = other_prelude(tmp_path)
    with (
        clean_redis.client() as client,
        contextlib.closing(hotpath.HotPath(clean_redis.url)) as path,
    ):
        flush(client)
        await server_at(path).check_scripts()
        for _ in range(2):
            with preluded_with(other):
                assert not is_of_this_release(client)
                assert await server_at(path).check_scripts() > 0
                assert is_of_this_release(client)
                path.prune_libraries()
                path.run(pool.create("numpool", 1, pool.PoolSettings()))
                reply = client.execute_command("FCALL", EVENT, 1, "{numpool}", "add", "1001")
                assert reply == ["1", "1001", "idle+down", ""]
            assert not is_of_this_release(client)
            assert await server_at(path).check_scripts() == 1
            assert is_of_this_release(client)
            path.prune_libraries()
            reply = client.execute_command("FCALL", EVENT, 1, "{numpool}", "del", "1001")
            assert reply == ["1", "1001", "nodata", ""]


async def test_a_server_without_functions_lacks_none(each_redis: RedisServer) -> None:
    with contextlib.closing(hotpath.HotPath(each_redis.url)) as path:
        path.load_scripts()
        assert path.missing_scripts() == []
        assert await server_at(path).check_scripts() == 0


@on_servers("redis-7", "valkey-9")
def test_who_may_not_look_for_libraries_lacks_none(each_redis: RedisServer) -> None:
    with each_redis.client() as client:
        client.execute_command(
            "ACL", "SETUSER", "narrow", "on", ">secret", "~*", "+@all", "-function"
        )
        with contextlib.closing(
            hotpath.HotPath(f"unix://narrow:secret@{each_redis.socket}")
        ) as path:
            path.load_scripts()
            assert path.missing_scripts() == []
        client.acl_deluser("narrow")


async def test_a_master_of_a_cluster_that_lost_them_gets_them_again(
    redis_cluster: RedisCluster,
) -> None:
    with contextlib.closing(hotpath.HotPath(redis_cluster.url)) as path:
        await server_at(path).check_scripts()
        for node in redis_cluster.nodes:
            with node.client() as client:
                flush(client)
                assert held(client) == {False}
                assert await server_at(path).check_scripts() == ALL
                assert held(client) == {True}
                assert is_of_this_release(client)


@pytest.fixture
@starts_processes
def heavy(tmp_path: Path, settings: Any, clean_redis: RedisServer) -> Iterator[RedisServer]:
    """A server for heavy accounts, next to the common one."""
    hotpath.reset()
    server = RedisServer(tmp_path / "heavy", append_only=False).start()
    settings.BILLING_REDIS_URLS = {"heavy": server.url}
    settings.REDIS_URL = clean_redis.url
    yield server
    server.stop()


async def test_after_a_restart_of_redis_a_call_by_its_sha_works_again(heavy: RedisServer) -> None:
    """The lost connection triggers a check, without a wait for the next round."""

    async def served() -> bool:
        with heavy.client() as client:
            return held(client) == {True} and answers(client) == {"no such pool"}

    timers = Timers()
    running = asyncio.create_task(timers.run())
    try:
        await eventually(served)
        heavy.kill()
        heavy.start()
        await eventually(served)
    finally:
        timers.stop()
        await running
