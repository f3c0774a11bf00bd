"""The same fields of many hashes: order, missing ones, errors, a restart, a Cluster."""

from pathlib import Path

import pytest
import redis

from poolsite import hotpath
from poolsite.hotpath.fields import TAGS_AT_ONCE
from poolsite.runtime.redis_server import RedisServer
from tests.support.cluster import RedisCluster

NAMES = ("generation", "seq")
TAGS = [f"{{demo{n}}}" for n in range(2 * TAGS_AT_ONCE + 3)]


def fill(path: hotpath.HotPath) -> list[list[str | None]]:
    """Give each tag but the last a generation, and every second one a `seq`.

    Return what is read.
    """
    wanted: list[list[str | None]] = []
    with path.client().pipeline(transaction=False) as pipeline:
        for n, tag in enumerate(TAGS[:-1]):
            seq = str(n) if n % 2 else None
            pipeline.hset(tag, mapping={"generation": "1", **({"seq": seq} if seq else {})})
            wanted.append(["1", seq])
        pipeline.execute()
    return [*wanted, [None, None]]


def test_fields_are_read_in_the_order_of_the_tags(each_redis: RedisServer) -> None:
    with hotpath.connect(each_redis.url) as path:
        wanted = fill(path)
        assert list(hotpath.read_fields(path, TAGS, NAMES)) == wanted
        assert list(hotpath.read_fields(path, [], NAMES)) == []


def test_a_cluster_is_read_over_all_its_nodes(redis_cluster: RedisCluster) -> None:
    with hotpath.connect(redis_cluster.url) as path:
        wanted = fill(path)
        assert list(hotpath.read_fields(path, TAGS, NAMES)) == wanted


def test_a_tag_that_is_no_hash_raises(clean_redis: RedisServer) -> None:
    with hotpath.connect(clean_redis.url) as path:
        path.client().set(TAGS[1], "text")
        with pytest.raises(redis.ResponseError, match="WRONGTYPE"):
            list(hotpath.read_fields(path, TAGS, NAMES))


@pytest.mark.processes
def test_a_restarted_server_is_read_without_an_error(tmp_path: Path) -> None:
    server = RedisServer(folder=tmp_path, append_only=True).start()
    try:
        with hotpath.connect(server.url) as path:
            path.client().hset(TAGS[0], "seq", "7")
            assert list(hotpath.read_fields(path, TAGS[:1], NAMES)) == [[None, "7"]]
            server.stop()
            with pytest.raises((redis.RedisError, OSError)):
                list(hotpath.read_fields(path, TAGS[:1], NAMES))
            server.start()
            assert list(hotpath.read_fields(path, TAGS[:1], NAMES)) == [[None, "7"]]
    finally:
        server.stop()
