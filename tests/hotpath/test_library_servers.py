"""Libraries on several servers and releases: replicas, clusters, two releases at once."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import redis

from poolsite import hotpath
from poolsite.hotpath.routing import slot_of
from poolsite.runtime.redis_server import RedisServer
from queueing.admission import gate
from tests.admission.gate_support import GENERATION, KEYS, SLUG, GateUnderTest, gate_on
from tests.hotpath.moving import move_under_load
from tests.hotpath.test_library import (
    READING,
    counting,
    function,
    granted,
    libraries_on,
    with_functions,
)
from tests.support.calls import Calls, calls_of
from tests.support.cluster import RedisCluster
from tests.support.ports import free_port
from tests.support.processes import end
from tests.support.releases import other_prelude
from tests.support.waiting import until

ROOT = Path(__file__).resolve().parents[2]
ROUNDS = 40


# -- two releases --------------------------------------------------------------------------------


@pytest.mark.processes
@with_functions
def test_two_releases_work_at_one_gate_each_by_its_own_library(
    each_redis: RedisServer, tmp_path: Path
) -> None:
    prelude = other_prelude(tmp_path)
    with gate_on(each_redis.url) as bench:
        bench.client.function_flush()
        bench.create(cap=20)
        with counting(bench.client) as ran:
            told = _run_together(
                each_redis.url, [["old", str(ROUNDS), str(prelude)], ["new", str(ROUNDS)]]
            )
        assert told == ["[]\n", "[]\n"]
        assert len(libraries_on(bench.client)) == 2
        assert ran["fcall"] == 2 * 11 * (ROUNDS + 1)
        assert (ran["evalsha"], ran["eval"]) == (0, 0)
        figures = bench.show()
        assert (figures.used, figures.granted) == (0, 2 * 5 * (ROUNDS + 1))
        assert granted(bench) == figures.granted == figures.released
        bench.check_structure()


def _run_together(url: str, callers: list[list[str]]) -> list[str]:
    """Start a process for each caller, let all begin at the same time, and return their output."""
    processes = [
        subprocess.Popen(
            [sys.executable, "-m", "tests.hotpath.gate_caller", url, *words],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for words in callers
    ]
    try:
        for process in processes:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
        for process in processes:
            assert process.stdin is not None
            process.stdin.write("go\n")
            process.stdin.flush()
        return [process.communicate()[0] for process in processes]
    finally:
        end(*processes)


# -- a replica -----------------------------------------------------------------------------------


@pytest.fixture
def pair(each_redis: RedisServer, tmp_path: Path) -> Iterator[tuple[RedisServer, RedisServer]]:
    """A primary that runs the same program, and its replica."""
    options = ["--repl-diskless-sync-delay", "0"]
    servers = []
    for name in ("a", "b"):
        port = free_port()
        server = RedisServer(
            tmp_path / name, each_redis.program, port, append_only=False, extra=options
        )
        servers.append(server.start())
        options = [*options, "--replicaof", "127.0.0.1", str(port)]
    yield servers[0], servers[1]
    for server in servers:
        server.kill()


@pytest.mark.processes
@with_functions
def test_a_replica_is_read_and_refuses_all_else_before_its_first_line(
    pair: tuple[RedisServer, RedisServer],
) -> None:
    primary, replica = pair
    with gate_on(primary.url) as bench, gate_on(replica.url) as copy:
        bench.create()
        bench.acquire("a")
        until(lambda: copy.client.hget(KEYS.tag, "=a"))
        assert libraries_on(copy.client) == libraries_on(bench.client)
        before = calls_of(copy.client)
        assert copy.show().used == 1
        assert copy.run(gate.holders(SLUG)).rows[0].holder == "a"
        assert copy.run(gate.states(SLUG, [1])) == {1: ""}
        assert copy.run(gate.has_work(SLUG, "d")) == ""
        ran = calls_of(copy.client) - before
        assert (ran["fcall"], ran["evalsha"], ran["eval"]) == (4, 0, 0)
        for name in set(gate.SCRIPTS) - READING:
            with pytest.raises(redis.exceptions.ReadOnlyError):  # refused before it runs
                copy.client.execute_command("FCALL", function(name), 1, KEYS.tag)


# -- a cluster -----------------------------------------------------------------------------------


@pytest.fixture
def path(redis_cluster: RedisCluster) -> Iterator[hotpath.HotPath]:
    with hotpath.connect(redis_cluster.url) as path:
        yield path


def words_of(path: hotpath.HotPath, command: hotpath.Command[object]) -> tuple[object, ...]:
    """Return the arguments sent for a command once its node is known to have the library."""
    path.run(command)
    ready = path.planner.ready(command)
    assert ready is not None
    return ready[1]


@with_functions
def test_one_server_is_told_the_tag_alone(each_redis: RedisServer) -> None:
    command = gate.acquire(SLUG, "a")
    with gate_on(each_redis.url) as bench:
        words = words_of(bench.create().path, command)
    assert words == ("FCALL", function("acquire"), 1, KEYS.tag, "a")


def test_a_cluster_is_told_every_key(path: hotpath.HotPath) -> None:
    command = gate.acquire(SLUG, "a")
    path.run(gate.create(SLUG, GENERATION, gate.GateSettings()))
    words = words_of(path, command)
    assert words == ("FCALL", function("acquire"), len(command.keys), *command.keys, "a")
    assert len(command.keys) > 1


async def test_a_slot_moves_under_load_and_no_function_is_lost_or_doubled(
    path: hotpath.HotPath, redis_cluster: RedisCluster
) -> None:
    path.run(gate.create(SLUG, GENERATION, gate.GateSettings(cap=gate.CAP_LIMIT)))
    before = [calls_of_node(node) for node in redis_cluster.nodes]
    done = await move_under_load(
        path, redis_cluster, slot_of(KEYS.tag), lambda name: gate.acquire(SLUG, name)
    )
    after = [calls_of_node(node) for node in redis_cluster.nodes]
    bench = GateUnderTest(path, path.client())
    assert bench.show().used == len(done)
    assert sorted(c.holder for c in bench.changes() if c.event == "granted") == sorted(done)
    bench.check_structure()
    ran = [now - then for now, then in zip(after, before, strict=True)]
    assert sum(each["fcall"] > 0 for each in ran) == 2  # both owners
    assert sum(each["evalsha"] + each["eval"] for each in ran) == 0


def calls_of_node(node: RedisServer) -> Calls:
    with node.client() as client:
        return calls_of(client)
