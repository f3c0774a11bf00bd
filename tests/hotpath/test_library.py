"""Operations as functions of a library: loaded on demand, called by FCALL, never run twice."""

import asyncio
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from typing import Any

import pytest
import redis

from poolsite import hotpath
from poolsite.hotpath.library import Library, libraries, library_of
from poolsite.runtime.redis_server import RedisServer
from queueing.admission import gate
from tests.admission.gate_support import KEYS, SLUG, GateUnderTest, gate_on
from tests.support.calls import Calls, calls_of
from tests.support.plugin import on_servers

CAP = 5_000
READING = {"explain", "has", "look", "show", "states"}
GIVING_BACK = {"decr", "destroy", "free", "leave", "release", "renew", "report", "sweep"}
with_functions = on_servers("redis-7", "valkey-9")


@pytest.fixture
def bench(each_redis: RedisServer) -> Iterator[GateUnderTest]:
    """A gate on a server that has no library and no script yet."""
    with gate_on(each_redis.url) as bench:
        with suppress(redis.ResponseError):  # Redis 6.2 has no libraries
            bench.client.function_flush()
        yield bench.create(cap=CAP)
        bench.check_structure()


def libraries_on(client: Any) -> dict[str, dict[str, set[str]]]:
    """Return each library of a server: its functions and their flags."""
    found = {}
    for row in client.function_list():
        library = dict(zip(row[::2], row[1::2], strict=True))
        functions = [dict(zip(f[::2], f[1::2], strict=True)) for f in library["functions"]]
        found[library["library_name"]] = {f["name"]: set(f["flags"]) for f in functions}
    return found


def the_library() -> Library:
    library = library_of(gate.SCRIPTS["show"])
    assert library is not None
    return library


def function(operation: str) -> str:
    return the_library().function(gate.SCRIPTS[operation])


@contextmanager
def counting(client: Any) -> Iterator[Calls]:
    """Yield a counter of the server's commands in the block. It is filled at the end."""
    ran: Calls = Calls()
    before = calls_of(client)
    yield ran
    ran.update(calls_of(client) - before)


async def grant_ten(bench: GateUnderTest) -> None:
    """Grant ten slots in every way that commands run.

    `incr` may not be repeated, so each call counts exactly once.
    """
    path, command = bench.path, gate.incr(SLUG)
    outcomes = [path.run(command), await path.arun(command)]
    outcomes += path.run_batch([command] * 3) + await path.arun_batch([command] * 3)
    outcomes += await asyncio.gather(path.arun(command), path.arun(command))
    assert [each for each in outcomes if isinstance(each, hotpath.HotPathError)] == []
    assert len(outcomes) == 10


def granted(bench: GateUnderTest) -> int:
    return sum(change.event == "granted" for change in bench.changes())


@with_functions
async def test_the_library_is_loaded_once_and_called(bench: GateUnderTest) -> None:
    with counting(bench.client) as ran:
        await grant_ten(bench)
    assert (ran["fcall"], ran["evalsha"], ran["eval"]) == (10, 0, 0)
    assert (ran["function|load"], ran["script|load"]) == (0, 0)  # loaded for creating the gate
    assert list(libraries_on(bench.client)) == [the_library().name]
    assert granted(bench) == 10


@with_functions
def test_another_process_takes_the_library_that_is_there(
    bench: GateUnderTest, each_redis: RedisServer
) -> None:
    with gate_on(each_redis.url) as other:
        assert other.acquire("a").granted
        assert other.acquire("b").granted
    assert list(libraries_on(bench.client)) == [the_library().name]


async def test_a_server_runs_functions_where_it_knows_them_and_scripts_elsewhere(
    bench: GateUnderTest,
) -> None:
    knows = not bench.client.info("server")["redis_version"].startswith("6.")
    with counting(bench.client) as ran:
        await grant_ten(bench)
    assert (ran["fcall"], ran["evalsha"]) == ((10, 0) if knows else (0, 10))
    assert granted(bench) == 10


def delete_library(client: Any) -> None:
    with suppress(redis.ResponseError):  # it is gone already
        client.function_delete(the_library().name)


FORGETTING: dict[str, Callable[[Any], object]] = {
    "flush": lambda client: client.function_flush(),
    "delete": delete_library,
}
each_forgetting = pytest.mark.parametrize("forget", FORGETTING.values(), ids=FORGETTING)


@with_functions
@each_forgetting
async def test_a_library_that_is_gone_between_two_calls_is_loaded_again(
    bench: GateUnderTest, forget: Callable[[Any], object]
) -> None:
    path, command = bench.path, gate.incr(SLUG)
    forget(bench.client)
    assert path.run(command).count == 1
    forget(bench.client)
    assert (await path.arun(command)).count == 2
    forget(bench.client)
    assert [each.count for each in path.run_batch([command] * 20)] == list(range(3, 23))
    forget(bench.client)
    assert [each.count for each in await path.arun_batch([command] * 20)] == list(range(23, 43))
    assert list(libraries_on(bench.client)) == [the_library().name]
    assert granted(bench) == 42


@with_functions
@each_forgetting
async def test_a_library_that_vanishes_under_load_loses_and_repeats_nothing(
    bench: GateUnderTest, each_redis: RedisServer, forget: Callable[[Any], object]
) -> None:
    ended = threading.Event()
    forgotten = 0

    def go_on_forgetting() -> None:
        nonlocal forgotten
        with each_redis.client() as client:
            while not ended.is_set():
                forget(client)
                forgotten += 1

    thread = threading.Thread(target=go_on_forgetting)
    thread.start()
    try:
        for _ in range(30):
            await grant_ten(bench)
    finally:
        ended.set()
        thread.join()
    assert forgotten > 30
    assert bench.show().used == granted(bench) == 300


@with_functions
async def test_flushing_scripts_leaves_the_library(bench: GateUnderTest) -> None:
    bench.client.script_flush()
    with counting(bench.client) as ran:
        await grant_ten(bench)
    assert (ran["fcall"], ran["function|load"]) == (10, 0)


@pytest.mark.processes
@with_functions
async def test_a_restart_keeps_the_library(each_redis: RedisServer, tmp_path: Any) -> None:
    server = RedisServer(tmp_path / "redis", program=each_redis.program, append_only=True).start()
    try:
        with gate_on(server.url) as bench:
            bench.create(cap=CAP)
            await grant_ten(bench)
            server.stop()
            server.start()
            with counting(bench.client) as ran:
                assert bench.acquire("a").granted  # may be repeated, so it meets the new server
                await grant_ten(bench)
            assert (ran["fcall"], ran["function|load"]) == (11, 0)
            assert granted(bench) == 21
    finally:
        server.kill()


# -- users who may not ---------------------------------------------------------------------------


@contextmanager
def user_without(bench: GateUnderTest, server: RedisServer, *rules: str) -> Iterator[GateUnderTest]:
    """Yield the same gate, used by a user who lacks a right."""
    words = ("on", ">secret", "~*", "&*", "+@all", *rules)
    bench.client.execute_command("ACL", "SETUSER", "narrow", *words)
    url = f"unix://narrow:secret@{server.socket}"
    try:
        path = hotpath.HotPath(url)
        yield GateUnderTest(path, bench.client)
        path.close()
    finally:
        bench.client.execute_command("ACL", "DELUSER", "narrow")


@with_functions
@pytest.mark.parametrize("rules", [["-function"], ["-fcall"], ["-function", "-fcall"]])
@pytest.mark.parametrize("first", ["one", "batch", "async", "async batch"])
async def test_a_user_without_functions_works_by_scripts(
    bench: GateUnderTest, each_redis: RedisServer, rules: list[str], first: str
) -> None:
    bench.client.function_flush()
    with user_without(bench, each_redis, *rules) as narrow, counting(bench.client) as ran:
        path, command = narrow.path, gate.incr(SLUG)
        outcomes: list[Any]
        if first == "one":
            outcomes = [path.run(command)]
        elif first == "async":
            outcomes = [await path.arun(command)]
        elif first == "batch":
            outcomes = path.run_batch([command] * 20)
        else:
            outcomes = await path.arun_batch([command] * 20)
        assert [each.count for each in outcomes] == list(range(1, len(outcomes) + 1))
        await grant_ten(narrow)
    assert ran["evalsha"] == granted(bench) == len(outcomes) + 10


@with_functions
async def test_a_right_that_is_taken_away_under_way_costs_no_command(
    bench: GateUnderTest, each_redis: RedisServer
) -> None:
    with user_without(bench, each_redis) as narrow, counting(bench.client) as ran:
        await grant_ten(narrow)
        bench.client.execute_command("ACL", "SETUSER", "narrow", "-fcall")
        await grant_ten(narrow)
    assert (ran["fcall"], ran["evalsha"]) == (10, 10)
    assert granted(bench) == 20


# -- flags ---------------------------------------------------------------------------------------


@with_functions
def test_functions_that_only_read_or_give_back_say_so(bench: GateUnderTest) -> None:
    (functions,) = libraries_on(bench.client).values()
    expected = {
        function(name): {
            flag
            for flag, names in (("no-writes", READING), ("allow-oom", GIVING_BACK))
            if name in names
        }
        for name in gate.SCRIPTS
    }
    requests = the_library().function(gate.SCRIPTS["requests"], gives_back=True)
    assert functions == {**expected, requests: {"allow-oom"}}


@with_functions
def test_a_full_server_is_read_and_refuses_what_takes_before_its_first_line(
    bench: GateUnderTest,
) -> None:
    bench.acquire("a")
    bench.client.config_set("maxmemory", 1)
    try:
        assert bench.show().used == 1
        assert bench.run(gate.holders(SLUG)).total == 1
        assert bench.run(gate.states(SLUG, [1])) == {1: ""}
        assert bench.run(gate.has_work(SLUG, "d")) == ""
        for name in set(gate.SCRIPTS) - READING - GIVING_BACK:
            with pytest.raises(redis.exceptions.OutOfMemoryError):  # refused before it runs
                bench.client.execute_command("FCALL", function(name), 1, KEYS.tag)
        with pytest.raises(hotpath.Unavailable, match="OOM"):
            hotpath.HotPath(f"unix://{bench.path.address.path}", hotpath.Limits(attempts=1)).run(
                gate.acquire(SLUG, "b")
            )
    finally:
        bench.client.config_set("maxmemory", 0)
    assert [change.holder for change in bench.changes()] == ["", "a"]


def test_every_app_with_modules_has_one_library() -> None:
    assert the_library() in libraries()
    apps = {script.app for script in hotpath.registered().values() if script.modules.names}
    names = [each.name.rpartition("_")[0] for each in libraries() if each.suffix]
    assert sorted(names) == sorted(f"poolsite_{app}" for app in apps)


def test_redis_takes_every_library(clean_redis: RedisServer) -> None:
    """Lua has a limit of 200 local variables. A server that can't load a library runs scripts."""
    with closing(redis.Redis.from_url(clean_redis.url)) as client:
        for library in libraries():
            client.function_load(library.text, replace=True)
