"""One definition of a command: run sync, async and in batches, on every kind of server."""

import asyncio
import os
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
import redis

from poolsite import hotpath
from poolsite.runtime.redis_server import RedisServer
from tests.hotpath.support import SCRIPTS, TAG, count, fail
from tests.support.waiting import eventually, patient, until


@pytest.fixture
def path(each_redis: RedisServer) -> Iterator[hotpath.HotPath]:
    with hotpath.connect(each_redis.url) as path:
        yield path


@pytest.fixture
def one(clean_redis: RedisServer) -> Iterator[hotpath.HotPath]:
    with hotpath.connect(clean_redis.url) as path:
        yield path


async def test_a_command_runs_sync_async_and_in_batches_from_one_definition(
    path: hotpath.HotPath,
) -> None:
    command = count()
    assert path.run(command) == 1
    assert await path.arun(command) == 2
    assert path.run_batch([command] * 3) == [3, 4, 5]
    assert await path.arun_batch([command] * 40) == list(range(6, 46))
    assert path.client().hget(TAG, "seq") == "45"
    assert await path.aclient().hget(TAG, "seq") == "45"


def test_the_module_functions_use_the_redis_of_the_settings(clean_redis: RedisServer) -> None:
    hotpath.reset()
    assert hotpath.run(count()) == 1
    with clean_redis.client() as client:
        assert client.hget(TAG, "count") == "1"


def test_a_batch_answers_item_by_item_and_executes_the_others(path: hotpath.HotPath) -> None:
    outcomes = path.run_batch([count("a"), fail(), count("b")])
    assert outcomes[0] == 1
    assert isinstance(outcomes[1], hotpath.ScriptFailed)
    assert "broken on purpose" in str(outcomes[1])
    assert outcomes[2] == 3  # the failing script keeps what it wrote before


async def test_a_script_that_raises_is_script_failed_both_ways(path: hotpath.HotPath) -> None:
    with pytest.raises(hotpath.ScriptFailed, match="hotpathtest/fail"):
        path.run(fail())
    with pytest.raises(hotpath.ScriptFailed, match="hotpathtest/fail"):
        await path.arun(fail())


def test_an_unreadable_reply_is_script_failed_and_does_not_spoil_the_batch(
    one: hotpath.HotPath,
) -> None:
    script = SCRIPTS["count"]
    unreadable = hotpath.Command(
        script, script.keys_of(TAG), ("x", ""), lambda reply: int(reply[1])
    )
    first, second = one.run_batch([unreadable, count()])
    assert isinstance(first, hotpath.ScriptFailed)
    assert second == 2


def test_an_empty_batch_is_answered_by_an_empty_list(one: hotpath.HotPath) -> None:
    assert one.run_batch([]) == []
    assert asyncio.run(one.arun_batch([])) == []


async def test_scripts_that_redis_forgot_are_loaded_again(path: hotpath.HotPath) -> None:
    assert path.run(count()) == 1
    path.client().script_flush()
    assert path.run(count()) == 2
    path.client().script_flush()
    assert await path.arun(count()) == 3
    path.client().script_flush()
    labels = [str(n) for n in range(20)]
    assert path.run_batch([count(label) for label in labels]) == list(range(4, 24))
    path.client().script_flush()
    assert await path.arun_batch([count(label) for label in labels]) == list(range(24, 44))
    logged = [fields["label"] for _, fields in path.client().xrange(f"{TAG}:log", "4-0")]
    assert logged == labels * 2


async def test_flushing_scripts_in_a_loop_under_load_loses_and_repeats_nothing(
    path: hotpath.HotPath,
) -> None:
    ended = threading.Event()
    flushed = 0

    def flush() -> None:
        nonlocal flushed
        with redis.Redis.from_url(_url(path)) as client:
            while not ended.is_set():
                client.script_flush()
                flushed += 1

    flusher = threading.Thread(target=flush)
    flusher.start()
    try:
        for _ in range(20):
            singles = [path.arun(count()) for _ in range(20)]
            outcomes = [*await asyncio.gather(*singles), *await path.arun_batch([count()] * 40)]
            outcomes += path.run_batch([count()] * 20)
            assert [o for o in outcomes if isinstance(o, hotpath.HotPathError)] == []
    finally:
        ended.set()
        flusher.join()
    assert flushed > 0
    assert path.client().hget(TAG, "count") == str(20 * 80)


def _url(path: hotpath.HotPath) -> str:
    return f"unix://{path.address.path}"


async def test_a_server_that_is_not_there_is_unavailable(tmp_path: Path) -> None:
    with hotpath.connect(f"unix://{tmp_path}/none.sock") as path:
        with pytest.raises(hotpath.Unavailable):
            path.run(count())
        with pytest.raises(hotpath.Unavailable):
            await path.arun(count())
        assert all(isinstance(o, hotpath.Unavailable) for o in path.run_batch([count()] * 2))
        assert all(isinstance(o, hotpath.Unavailable) for o in await path.arun_batch([count()] * 2))


async def test_a_wrong_password_is_unavailable_and_never_shown(clean_redis: RedisServer) -> None:
    with hotpath.connect(f"unix://:wrong-secret@{clean_redis.socket}") as path:
        for attempt in (lambda: path.run(count()), lambda: asyncio.run(path.arun(count()))):
            with pytest.raises(hotpath.Unavailable) as raised:
                await asyncio.to_thread(attempt)
            assert "wrong-secret" not in str(raised.value)


async def test_a_full_memory_is_unavailable_because_nothing_was_written(
    path: hotpath.HotPath,
) -> None:
    path.client().config_set("maxmemory", 1)
    try:
        with pytest.raises(hotpath.Unavailable, match="OOM"):
            path.run(count())
        with pytest.raises(hotpath.Unavailable, match="OOM"):
            await path.arun(count())
    finally:
        path.client().config_set("maxmemory", 0)
    assert path.client().exists(TAG) == 0


@pytest.mark.processes
def test_a_restarted_server_is_met_again_without_an_error(tmp_path: Path) -> None:
    server = RedisServer(tmp_path / "redis", append_only=True).start()
    try:
        with hotpath.connect(server.url) as path, asyncio.Runner() as runner:
            assert path.run(count()) == 1
            assert runner.run(path.arun(count())) == 2
            server.stop()
            with pytest.raises(hotpath.Unavailable):
                runner.run(path.arun(count()))
            server.start()
            assert path.run(count()) == 3
            assert runner.run(path.arun(count())) == 4
    finally:
        server.stop()


def test_each_event_loop_has_connections_of_its_own(one: hotpath.HotPath) -> None:
    outcomes: list[int] = []

    async def some() -> None:
        outcomes.extend(await asyncio.gather(*(one.arun(count()) for _ in range(50))))
        assert await one.aclient().ping()

    threads = [threading.Thread(target=lambda: asyncio.run(some())) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    asyncio.run(some())
    assert sorted(outcomes) == list(range(1, 251))


def test_a_loop_that_ends_closes_its_connections(one: hotpath.HotPath) -> None:
    async def some() -> None:
        await asyncio.gather(one.arun(count()), one.arun_batch([count()] * 100))
        await one.aclient().ping()

    one.run(count())
    before = _clients(one)
    asyncio.run(some())
    until(lambda: _clients(one) <= before)


def _clients(path: hotpath.HotPath) -> set[str]:
    """Return the connected clients. Redis removes one a moment after it disconnects."""
    return {each["id"] for each in path.client().client_list()}


async def test_a_cancelled_caller_leaves_the_connection_in_order(one: hotpath.HotPath) -> None:
    await one.arun(count())
    before = _clients(one)
    tasks = [asyncio.create_task(one.arun(count(str(n)))) for n in range(100)]
    await asyncio.sleep(0)
    for task in tasks[::2]:
        task.cancel()
    outcomes = await asyncio.gather(*tasks, return_exceptions=True)
    assert [o for o in outcomes[1::2] if not isinstance(o, int)] == []
    assert await one.arun(count()) <= 102
    await eventually(lambda: _clients(one) <= before)


async def test_concurrent_calls_of_one_loop_share_connections(one: hotpath.HotPath) -> None:
    await one.arun(count())
    before = _clients(one)
    outcomes = await asyncio.gather(*(one.arun(count()) for _ in range(500)))
    assert sorted(outcomes) == list(range(2, 502))
    await eventually(lambda: _clients(one) <= before)


def test_a_forked_child_uses_connections_of_its_own(one: hotpath.HotPath) -> None:
    """As with Celery's prefork: the parent has used Redis before its children start."""
    assert one.run(count()) == 1
    assert one.client().ping()
    children = [_fork(one) for _ in range(4)]
    for _ in range(200):
        one.run(count())
    for child in children:
        _, status = os.waitpid(child, 0)
        assert os.waitstatus_to_exitcode(status) == 0
    assert one.client().hget(TAG, "count") == str(1 + 5 * 200)


def _fork(path: hotpath.HotPath) -> int:
    child = os.fork()
    if child:
        return child
    try:
        for n in range(200):
            outcome = path.run(count(f"{os.getpid()}-{n}"))
            assert isinstance(outcome, int)
        assert path.client().ping()
        os._exit(0)
    except BaseException:
        os._exit(1)


async def test_a_pubsub_client_hears_what_is_published(one: hotpath.HotPath) -> None:
    subscriber = await one.pubsub_client()
    async with subscriber.pubsub() as channel:
        await channel.subscribe("news")
        await channel.get_message(timeout=patient(1))
        await one.aclient().publish("news", "hello")
        message = await channel.get_message(ignore_subscribe_messages=True, timeout=patient(1))
    await subscriber.aclose()
    assert message is not None
    assert message["data"] == "hello"


async def test_bytes_that_are_no_text_do_not_break_the_connection(one: hotpath.HotPath) -> None:
    with socket.socket(socket.AF_UNIX) as raw:
        raw.connect(one.address.path)
        raw.sendall(b"*4\r\n$4\r\nHSET\r\n$6\r\n{demo}\r\n$14\r\nscript_version\r\n$1\r\n9\r\n")
        raw.sendall(b"*4\r\n$4\r\nHSET\r\n$6\r\n{demo}\r\n$10\r\nscript_sha\r\n$2\r\n\xff\xfe\r\n")
        raw.recv(100)
    script = SCRIPTS["count"]
    command = hotpath.Command(script, script.keys_of(TAG), ("x", ""), lambda reply: reply[1])
    assert one.run(command) == "script outdated \ufffd\ufffd"
    assert await one.arun(command) == "script outdated \ufffd\ufffd"
