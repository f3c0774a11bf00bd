"""The same scripts on Redis 6.2, Redis 7, Valkey 9 and a Cluster, with declared keys."""

import contextlib

import pytest

from poolsite import hotpath
from poolsite.runtime.redis_server import RedisServer
from queueing.admission import gate
from tests.admission.gate_support import SLUG, GateUnderTest, gate_on
from tests.support.calls import calls_of
from tests.support.cluster import RedisCluster

FAR_US = 9_000_000_000_000_000


def walk_through(bench: GateUnderTest) -> None:
    """Run every command once, on the server's own clock."""
    bench.create(cap=3)
    permit = bench.acquire("a")
    assert bench.renew("a", permit.token).granted
    assert bench.incr() == (True, 2)
    assert bench.run(gate.batch_open(SLUG, 1, FAR_US)) == ""
    assert bench.run(
        gate.load(SLUG, 1, [gate.StoredTask(1, "d", "x"), gate.StoredTask(2, "e", "y")])
    ) == (2, 0)
    told = bench.report("d")
    assert told.token is not None
    assert bench.report("e").reason == "full"
    assert bench.decr() == (True, 2)
    assert bench.run(gate.has_work(SLUG, "d")) == "task"
    assert bench.run(gate.batch_open(SLUG, 2, FAR_US, 0)) == ""
    assert bench.run(gate.has_work(SLUG, "f")) == "loading"
    assert bench.report("f").reason == "loading"
    assert bench.run(gate.batch_loaded(SLUG, 2)) == ""
    assert bench.run(gate.batch_loaded(SLUG, 2)) == "repeat"
    assert bench.report("f").reason == ""
    assert bench.run(gate.has_work(SLUG, "f")) == ""
    assert bench.run(gate.states(SLUG, [1, 2, 3])) == {1: "r", 2: "p", 3: ""}
    assert bench.report("d", gate.Result(1, told.token, True)).results == ((1, "accepted"),)
    assert bench.run(gate.free(SLUG, "a", permit.token, "why")).done
    assert bench.run(gate.resize(SLUG, 5)).before == 3
    assert not bench.run(gate.observe(SLUG, 1)).over
    assert bench.run(gate.configure(SLUG, gate.GateSettings(cap=4))) == ""
    assert bench.run(gate.pause(SLUG, "why")) == ""
    assert bench.run(gate.open_now(SLUG, "why")) == "repeat"
    assert bench.sweep().expired == 0
    assert bench.run(gate.holders(SLUG)).total == 0
    assert bench.run(gate.line(SLUG)).total == 1
    figures = bench.show()
    assert (figures.used, figures.waiting, figures.done, figures.cap) == (0, 1, 1, 4)


def test_every_command_works_on_each_server(each_redis: RedisServer) -> None:
    with gate_on(each_redis.url) as bench:
        walk_through(bench)
        bench.check_structure()
        assert bench.run(gate.destroy(SLUG, 1_600_000_000_000_000)) == ""
        assert bench.client.keys("*gate*") == []


def test_every_command_works_on_a_cluster(redis_cluster: RedisCluster) -> None:
    with contextlib.closing(hotpath.HotPath(redis_cluster.url)) as path:
        walk_through(GateUnderTest(path, None))


def test_the_form_that_is_named_is_the_one_that_runs(bench: GateUnderTest, form: str) -> None:
    before = calls_of(bench.client)
    bench.acquire("a")
    assert [told.reason for told in bench.path.run_batch([gate.acquire(SLUG, "a")] * 2)] == [
        *("repeat", "repeat")
    ]
    ran = calls_of(bench.client) - before
    assert (ran["fcall"], ran["evalsha"]) == {"functions": (3, 0), "scripts": (0, 3)}[form]
    assert ran["eval"] == 0


# Valid arguments, so that only the data's version is a reason to refuse.
WORDS: dict[str, list[str]] = {
    "acquire": ["a"],
    "batch": ["pause", "1"],
    "configure": [gate.GateSettings().columns(), gate.GateSettings().adapt()],
    "explain": ["d"],
    "free": ["a", "1"],
    "leave": ["a", "", ""],
    "load": ["1", "1", "d", "", "1", "", "0"],
    "look": ["line", "0", "1"],
    "observe": ["1"],
    "open": ["now"],
    "pause": ["1"],
    "release": ["a", "1"],
    "renew": ["a", "1" * 16],
    "report": ["2", "d", ""],
    "requests": ["acquire\ta"],
    "resize": ["1", "0"],
    "sweep": ["1"],
}
WHOLE = {"create", "destroy"}  # they make and remove the whole data, whatever its version


@pytest.mark.parametrize("script", sorted(set(gate.SCRIPTS) - WHOLE))
def test_a_script_of_two_releases_ago_writes_nothing(clean_redis: RedisServer, script: str) -> None:
    with gate_on(clean_redis.url) as bench:
        bench.create()
        bench.client.hset("{gate.tower}", mapping={"script_version": 9, "script_sha": "abc"})
        before = bench.client.hgetall("{gate.tower}")
        reply = bench.raw(script, *WORDS.get(script, []))
        assert reply == ["-1", "", "", "script outdated abc"]
        assert bench.client.hgetall("{gate.tower}") == before
