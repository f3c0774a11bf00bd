"""A promoted server: an aggregate is closed before its first command, once, on both lanes."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from poolsite import hotpath
from poolsite.hotpath import load_folder
from poolsite.hotpath.promotion import REPLICA, Guard, lineage_of
from poolsite.runtime.redis_server import RedisServer
from tests.support.ports import free_port
from tests.support.waiting import until

pytestmark = pytest.mark.processes

STATE = load_folder("hotpath", Path(hotpath.__file__).parent / "lua")["state"]
TAG = "{promoted}"


def look(tag: str = TAG) -> hotpath.Command[list[str]]:
    return hotpath.Command(STATE, (tag,), (), list)


@pytest.fixture
def pair(tmp_path: Path) -> Iterator[tuple[RedisServer, RedisServer]]:
    """A primary and its replica, in sync."""
    primary = RedisServer(
        folder=tmp_path / "a",
        port=free_port(),
        append_only=False,
        extra=["--repl-diskless-sync-delay", "0"],
    ).start()
    replica = RedisServer(
        folder=tmp_path / "b",
        port=free_port(),
        append_only=False,
        extra=["--replicaof", "127.0.0.1", str(primary.port)],
    ).start()
    with primary.client() as client, replica.client() as other:
        client.hset(TAG, mapping={"generation": "1", "seq": "7", "conf": "o123"})
        until(lambda: other.hget(TAG, "conf") == "o123")
    yield primary, replica
    replica.stop()
    primary.stop()


def test_a_server_that_was_always_a_master_closes_nothing(pair) -> None:
    primary, _ = pair
    with hotpath.connect(primary.url) as path, primary.client() as client:
        assert path.run(look()) == ["1", "7"]
        assert client.hget(TAG, "conf") == "o123"
        assert not client.exists(f"{TAG}:lineage")


async def test_a_promoted_server_closes_an_aggregate_once(pair) -> None:
    primary, replica = pair
    with replica.client() as client:
        primary.kill()
        client.replicaof("NO", "ONE")
        with hotpath.connect(replica.url) as path:
            assert path.run(look()) == ["1", "7"]
            assert client.hget(TAG, "conf") == "r123"
            client.hset(TAG, "conf", "o123")  # rebuilt meanwhile
            assert path.run(look()) == ["1", "7"]
            assert await path.arun(look()) == ["1", "7"]
            assert client.hget(TAG, "conf") == "o123"


async def test_the_async_lane_and_a_connection_from_before_close_it_too(pair) -> None:
    primary, replica = pair
    with replica.client() as client, hotpath.connect(replica.url) as path:
        assert await path.arun(look()) == ["1", "7"]  # a replica is asked each time
        assert path.run(look()) == ["1", "7"]
        assert client.hget(TAG, "conf") == "o123"
        primary.kill()
        client.replicaof("NO", "ONE")
        assert await path.arun(look()) == ["1", "7"]
        assert client.hget(TAG, "conf") == "r123"


async def test_what_is_made_after_the_promotion_stays_open(pair) -> None:
    primary, replica = pair
    primary.kill()
    with replica.client() as client:
        client.replicaof("NO", "ONE")
        with hotpath.connect(replica.url) as path:
            await path.arun(look("{new}"))
            client.hset("{new}", mapping={"generation": "1", "conf": "o1"})
        with hotpath.connect(replica.url) as path:
            path.run(look("{new}"))
        assert client.hget("{new}", "conf") == "o1"


def test_info_tells_the_promotion() -> None:
    before = "a" * 40
    promoted = f"role:master\r\nmaster_replid2:{before}\r\nsecond_repl_offset:99\r\n"
    assert lineage_of(promoted) == f"{before}:99"
    assert lineage_of(f"role:master\r\nmaster_replid2:{'0' * 40}\r\n") == ""
    assert lineage_of("role:slave\r\n") == REPLICA


def test_a_guard_speaks_once_to_each_aggregate_that_heard_it() -> None:
    guard = Guard(lineage="x:1")
    commands = [("EVALSHA", "sha", 1, "{a}"), ("EVALSHA", "sha", 1, "{a}"), ("SCRIPT", "LOAD", "")]
    words = guard.words_before(commands)
    assert [its[3] for its in words] == ["{a}"]
    guard.note(words, [["1"]])
    assert guard.words_before(commands) == []
