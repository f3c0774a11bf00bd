"""Replies that a Cluster's node loses: the nodes announce a proxy as its address."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Iterator

import pytest
import redis

from poolsite import hotpath
from poolsite.hotpath.routing import slot_of
from poolsite.runtime.redis_server import RedisServer
from tests.hotpath.support import TAG, count
from tests.support.cluster import RedisCluster
from tests.support.proxy import FaultyProxy
from tests.support.waiting import patient, until

TAGS = [f"{{demo{n}}}" for n in range(30)]


@contextlib.contextmanager
def announced(cluster: RedisCluster, node: RedisServer) -> Iterator[FaultyProxy]:
    """Put a proxy in front of a node, and have the Cluster announce the proxy to clients."""
    with FaultyProxy(("127.0.0.1", node.port)) as proxy, node.client() as client:
        client.config_set("cluster-announce-bus-port", node.port + 10_000)
        client.config_set("cluster-announce-port", proxy.port)
        until(lambda: all(proxy.port in ports_seen_by(one) for one in cluster.nodes))
        try:
            yield proxy
        finally:
            client.config_set("cluster-announce-port", 0)
            client.config_set("cluster-announce-bus-port", 0)
            until(lambda: all(node.port in ports_seen_by(one) for one in cluster.nodes))


def ports_seen_by(node: RedisServer) -> set[int]:
    with node.client() as client:
        rows = client.execute_command("CLUSTER SLOTS")
    return {int(master[1]) for _first, _last, master, *_replicas in rows}


@pytest.fixture(scope="module")
def proxy(_cluster_of_session: RedisCluster) -> Iterator[FaultyProxy]:
    """A proxy in front of TAG's node, for the whole module: announcing it takes a second."""
    cluster = _cluster_of_session
    with announced(cluster, cluster.owner_of(slot_of(TAG))) as proxy:
        yield proxy


@pytest.fixture
async def behind_proxy(
    redis_cluster: RedisCluster, proxy: FaultyProxy
) -> AsyncIterator[tuple[hotpath.HotPath, FaultyProxy]]:
    """A hot path that reaches TAG's node through the proxy, with all connections open."""
    url = f"redis+cluster://127.0.0.1:{proxy.port}?socket_timeout={patient(0.3)}"
    with hotpath.connect(url) as path:
        path.run(count())
        await path.arun(count())
        yield path, proxy
        proxy.set("pass")


@pytest.mark.parametrize("how", ["sync", "async"])
async def test_a_lost_reply_on_a_cluster_is_an_unknown_outcome_after_one_execution(
    behind_proxy: tuple[hotpath.HotPath, FaultyProxy], how: str
) -> None:
    path, proxy = behind_proxy
    proxy.set("cut-reply", faults=1)
    running = asyncio.to_thread(path.run, count()) if how == "sync" else path.arun(count())
    with pytest.raises(hotpath.UnknownOutcome):
        await running
    assert path.run(count()) == 4


@pytest.mark.parametrize("how", ["sync", "async"])
async def test_a_lost_reply_on_a_cluster_is_repeated_with_an_operation_id(
    behind_proxy: tuple[hotpath.HotPath, FaultyProxy], how: str
) -> None:
    path, proxy = behind_proxy
    command = count(operation_id="op-1")
    proxy.set("cut-reply", faults=1)
    running = asyncio.to_thread(path.run, command) if how == "sync" else path.arun(command)
    assert await running == 3
    assert path.run(count()) == 4


@pytest.mark.parametrize("how", ["sync", "async"])
async def test_a_lost_reply_in_a_batch_on_a_cluster_spoils_one_node_only(
    behind_proxy: tuple[hotpath.HotPath, FaultyProxy], how: str
) -> None:
    path, proxy = behind_proxy
    commands = [count(tag=tag) for tag in TAGS]
    path.run_batch(commands)
    await path.arun_batch(commands)
    node = path.router.node_of(TAG)
    proxy.set("cut-reply", faults=1)
    running = asyncio.to_thread(path.run_batch, commands) if how == "sync" else None
    outcomes = await (running or path.arun_batch(commands))
    for tag, outcome in zip(TAGS, outcomes, strict=True):
        if path.router.node_of(tag) == node:
            assert isinstance(outcome, hotpath.UnknownOutcome)
        else:
            assert outcome == 3
    assert path.run_batch(commands) == [4] * 30


@pytest.mark.parametrize("kind", ["sync", "async"])
async def test_the_clients_for_plain_commands_do_not_repeat_on_a_cluster(
    behind_proxy: tuple[hotpath.HotPath, FaultyProxy], kind: str
) -> None:
    path, proxy = behind_proxy
    sync, loop = path.client(), path.aclient()
    sync.get(TAG + ":n")
    await loop.get(TAG + ":n")
    proxy.set("cut-reply", faults=1)
    incr = asyncio.to_thread(sync.incr, TAG + ":n") if kind == "sync" else loop.incr(TAG + ":n")
    with pytest.raises(redis.RedisError):
        await incr
    assert sync.get(TAG + ":n") == "1"
