"""A real Cluster of three masters: routing, batches, and a slot that moves under load."""

import asyncio
import threading
from collections.abc import Iterator

import pytest

from poolsite import hotpath
from poolsite.hotpath.library import direct_libraries
from poolsite.hotpath.routing import slot_of
from tests.hotpath.moving import move_under_load
from tests.hotpath.support import TAG, count, fail, pair
from tests.support.cluster import RedisCluster
from tests.support.waiting import patient

TAGS = [f"{{demo{n}}}" for n in range(30)]


@pytest.fixture
def path(redis_cluster: RedisCluster) -> Iterator[hotpath.HotPath]:
    with hotpath.connect(redis_cluster.url) as path:
        yield path


def test_slots_are_counted_as_redis_counts_them(redis_cluster: RedisCluster) -> None:
    for tag in [*TAGS, "{line.desk-1}", "{acct.a}"]:
        assert slot_of(tag) == redis_cluster.slot_of(f"{tag}:log")


async def test_commands_reach_the_node_of_their_aggregate(path: hotpath.HotPath) -> None:
    for tag in TAGS:
        assert path.run(count(tag=tag)) == 1
        assert await path.arun(count(tag=tag)) == 2
    assert len(path.router.nodes()) == 3
    assert path.client().hget(TAGS[0], "count") == "2"
    assert await path.aclient().hget(TAGS[1], "count") == "2"


@pytest.mark.parametrize("how", ["sync", "async"])
async def test_a_batch_over_all_nodes_is_answered_in_order_and_item_by_item(
    path: hotpath.HotPath, how: str
) -> None:
    commands = [count(str(n), tag=tag) for n in range(3) for tag in TAGS] + [fail(TAGS[0])]
    outcomes = path.run_batch(commands) if how == "sync" else await path.arun_batch(commands)
    assert outcomes[:-1] == [1] * 30 + [2] * 30 + [3] * 30
    assert isinstance(outcomes[-1], hotpath.ScriptFailed)
    for tag in TAGS:
        logged = [fields["label"] for _, fields in path.client().xrange(f"{tag}:log")]
        assert logged == ["0", "1", "2"]


async def test_a_wrong_map_is_mended_by_moved(
    path: hotpath.HotPath, redis_cluster: RedisCluster
) -> None:
    path.run(count())
    owner = redis_cluster.owner_of(slot_of(TAG))
    wrong = f"127.0.0.1:{redis_cluster.other_than(owner).port}"
    path.router.moved(slot_of(TAG), wrong)
    assert await path.arun(count()) == 2
    path.router.moved(slot_of(TAG), wrong)
    assert path.run_batch([count()] * 3) == [3, 4, 5]
    assert path.router.node_of(TAG) == f"127.0.0.1:{owner.port}"


def test_half_an_aggregate_is_never_written_while_its_slot_moves(
    path: hotpath.HotPath, redis_cluster: RedisCluster
) -> None:
    """Two of three keys have moved: declared keys wait for the third, undeclared keys are split."""
    path.run(pair("one"))
    slot = slot_of(TAG)
    source = redis_cluster.owner_of(slot)
    target = redis_cluster.other_than(source)
    redis_cluster.begin_move(slot, target)
    with source.client() as client:
        keys = (TAG, f"{TAG}:a")
        client.execute_command("MIGRATE", "127.0.0.1", target.port, "", 0, 5000, "KEYS", *keys)
        assert client.get(f"{TAG}:b") == "1"
    with target.client() as client, client.pipeline(transaction=False) as undeclared:
        undeclared.execute_command("ASKING")
        undeclared.eval("return redis.call('INCR', KEYS[1] .. ':b')", 1, TAG)
        assert undeclared.execute()[1] == 1  # a second counter: the aggregate is split
        undeclared.execute_command("ASKING")
        undeclared.delete(f"{TAG}:b")
        assert undeclared.execute()[1] == 1

    outcomes: list[tuple[str, ...]] = []
    waiting = threading.Thread(target=lambda: outcomes.append(path.run(pair("two"))))
    waiting.start()
    waiting.join(timeout=0.1)  # it retries silently: nothing shows that it waits
    assert outcomes == []
    while redis_cluster.move_keys(slot, source, target, batch=1):
        pass
    waiting.join()
    assert outcomes == [("2", "2")]  # by ASK, at the target, before it owns the slot
    redis_cluster.finish_move(slot, target)
    assert path.run(pair("three")) == ("3", "3")
    redis_cluster.move_slot(slot, source)
    assert path.run(pair("four")) == ("4", "4")


async def test_a_slot_moves_to_and_fro_under_load_and_nothing_is_lost_or_doubled(
    path: hotpath.HotPath, redis_cluster: RedisCluster
) -> None:
    done = await move_under_load(path, redis_cluster, slot_of(TAG), pair)
    assert path.run(pair(done[0])) == (str(len(done)), str(len(done)))


async def test_commands_without_operation_id_are_executed_once_while_a_slot_moves(
    path: hotpath.HotPath, redis_cluster: RedisCluster
) -> None:
    """MOVED, ASK and TRYAGAIN mean "not executed": a retry needs no operation ID."""
    path.run(count())
    source = redis_cluster.owner_of(slot_of(TAG))
    target = redis_cluster.other_than(source)
    outcomes: list[int | hotpath.HotPathError] = []
    moved = asyncio.Event()

    async def load() -> None:
        while not moved.is_set():
            outcomes.extend(await path.arun_batch([count()] * 20))
            outcomes.append(await path.arun(count()))

    def move() -> None:
        for _ in range(4):
            redis_cluster.move_slot(slot_of(TAG), target)
            redis_cluster.move_slot(slot_of(TAG), source)

    loading = asyncio.create_task(load())
    await asyncio.to_thread(move)
    moved.set()
    await loading
    assert [o for o in outcomes if isinstance(o, hotpath.HotPathError)] == []
    assert sorted(map(str, outcomes)) == sorted(str(n) for n in range(2, len(outcomes) + 2))


async def test_scripts_flushed_on_one_node_are_loaded_there_again(
    path: hotpath.HotPath, redis_cluster: RedisCluster
) -> None:
    commands = [count(tag=tag) for tag in TAGS]
    path.run_batch(commands)
    with redis_cluster.nodes[1].client() as client:
        client.script_flush()
    assert await path.arun_batch(commands) == [2] * 30
    with redis_cluster.nodes[2].client() as client:
        client.script_flush()
    assert path.run_batch(commands) == [3] * 30


def test_scripts_are_loaded_on_every_master(
    path: hotpath.HotPath, redis_cluster: RedisCluster
) -> None:
    for node in redis_cluster.nodes:
        with node.client() as client:
            client.script_flush()
            client.function_flush()
    titles = set(hotpath.registered()) | {each.name for each in direct_libraries()}
    assert {title for _, title in path.missing_scripts()} == titles
    assert len(path.missing_scripts()) == 3 * len(titles)
    path.load_scripts()
    assert path.missing_scripts() == []


def test_one_master_that_takes_no_writes_is_named(
    path: hotpath.HotPath, redis_cluster: RedisCluster
) -> None:
    assert path.write_refusals() == {}
    full = redis_cluster.nodes[1]
    with full.client() as client:
        client.config_set("maxmemory", "1")
        try:
            (refused,) = path.write_refusals().items()
        finally:
            client.config_set("maxmemory", "0")
    assert refused[0].endswith(f":{full.port}")
    assert refused[1].startswith("OOM")
    assert path.write_refusals() == {}


def test_marks_are_compared_by_the_clock_of_the_first_master_by_name(
    path: hotpath.HotPath, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(path, "times", lambda: {"b:1": 5.0, "a:2": 7.0})
    assert path.now() == 7.0


def test_a_cluster_that_is_not_there_is_unavailable() -> None:
    limits = hotpath.Limits(attempts=2)
    with hotpath.connect("redis+cluster://127.0.0.1:1,127.0.0.1:2", limits) as path:
        with pytest.raises(hotpath.Unavailable):
            path.run(count())
        with pytest.raises(hotpath.Unavailable):
            path.load_scripts()
        with pytest.raises(hotpath.Unavailable):
            asyncio.run(path.arun(count()))


async def test_any_node_of_a_cluster_hears_what_is_published(path: hotpath.HotPath) -> None:
    subscriber = await path.pubsub_client()
    async with subscriber.pubsub() as channel:
        await channel.subscribe(f"{TAG}:wake")
        await channel.get_message(timeout=patient(1))
        for tag in TAGS[:6]:
            await path.aclient().publish(f"{TAG}:wake", tag)
        heard = [
            (await channel.get_message(ignore_subscribe_messages=True, timeout=patient(1)))["data"]
            for _ in range(6)
        ]
    await subscriber.aclose()
    assert sorted(heard) == sorted(TAGS[:6])
