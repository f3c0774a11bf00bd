"""Every script stays on every master: a switch that calls one by its SHA need not load it."""

import asyncio
import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import redis

from numbers import pool
from poolsite import hotpath
from poolsite.runtime.redis_server import RedisServer
from poolsite.timers.process import Timers
from poolsite.timers.server import Server
from tests.support.cluster import RedisCluster
from tests.support.parts import starts_processes
from tests.support.waiting import eventually

SHA = pool.SCRIPTS["event"].sha1


def server_at(path: hotpath.HotPath) -> Server:
    return Server("test", lambda: path)


def held(client: Any) -> set[bool]:
    """Whether the server has the scripts of all apps: {True}, {False}, or both."""
    return set(client.script_exists(*(script.sha1 for script in hotpath.registered().values())))


def answers(client: Any) -> str:
    """What a switch hears that sends an event by its SHA alone."""
    try:
        reply: list[str] = client.evalsha(SHA, 1, "{numpool}", "call")
    except redis.exceptions.NoScriptError:
        return "NOSCRIPT"
    return reply[3]


def test_scripts_of_every_app_are_among_them() -> None:
    apps = {script.app for script in hotpath.registered().values()}
    assert apps >= {"numbers", "line", "admission", "dispatch", "billing", "hotpath", "jobs"}


async def test_after_a_flush_one_check_brings_all_of_them_back(clean_redis: RedisServer) -> None:
    with (
        clean_redis.client() as client,
        contextlib.closing(hotpath.HotPath(clean_redis.url)) as path,
    ):
        client.script_flush()
        assert (held(client), answers(client)) == ({False}, "NOSCRIPT")
        assert await server_at(path).check_scripts() == len(hotpath.registered())
        assert (held(client), answers(client)) == ({True}, "no such pool")
        assert await server_at(path).check_scripts() == 0


async def test_a_master_of_a_cluster_that_lost_them_gets_them_again(
    redis_cluster: RedisCluster,
) -> None:
    with contextlib.closing(hotpath.HotPath(redis_cluster.url)) as path:
        await server_at(path).check_scripts()
        for node in redis_cluster.nodes:
            with node.client() as client:
                client.script_flush()
                assert held(client) == {False}
                assert await server_at(path).check_scripts() == len(hotpath.registered())
                assert held(client) == {True}


@pytest.fixture
@starts_processes
def heavy(tmp_path: Path, settings: Any, clean_redis: RedisServer) -> Iterator[RedisServer]:
    """A server for heavy accounts beside the common one."""
    hotpath.reset()
    server = RedisServer(tmp_path / "heavy", append_only=False).start()
    settings.BILLING_REDIS_URLS = {"heavy": server.url}
    settings.REDIS_URL = clean_redis.url
    yield server
    server.stop()


async def test_after_a_restart_of_redis_a_call_by_its_sha_works_again(heavy: RedisServer) -> None:
    """The lost connection is heard: nobody waits for the next round."""

    async def served() -> bool:
        with heavy.client() as client:
            return held(client) == {True} and answers(client) == "no such pool"

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
