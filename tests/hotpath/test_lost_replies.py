"""A reply is lost on its way: what ran, what is answered, and what is repeated.

By default, redis-py repeats commands. The first test shows that, so that the others prove
something.
"""

import asyncio
from collections.abc import AsyncIterator, Iterator

import pytest
import redis
import redis.asyncio

from poolsite import hotpath
from poolsite.runtime.redis_server import RedisServer
from tests.hotpath.support import SCRIPTS, TAG, count
from tests.support.proxy import FaultyProxy
from tests.support.waiting import eventually, patient

TIMEOUT_SECONDS = patient(0.3)
TIMEOUT = f"?socket_timeout={TIMEOUT_SECONDS}"


@pytest.fixture
def proxy(clean_redis: RedisServer) -> Iterator[FaultyProxy]:
    with FaultyProxy(clean_redis.socket) as proxy:
        yield proxy


@pytest.fixture
async def path(proxy: FaultyProxy) -> AsyncIterator[hotpath.HotPath]:
    """A hot path through the proxy, with its connections open and its scripts loaded."""
    with hotpath.connect(proxy.url + TIMEOUT) as path:
        path.run(count(tag="{warm}"))
        await path.arun(count(tag="{warm}"))
        await path.arun_batch([count(tag="{warm}")] * 40)
        yield path
        proxy.set("pass")


def executions(server: RedisServer) -> int:
    with server.client() as client:
        return int(client.hget(TAG, "count") or 0)


RUNNERS = ["run", "run_batch", "arun", "arun_batch"]


async def perform(
    path: hotpath.HotPath, how: str, command: hotpath.Command[int]
) -> int | hotpath.HotPathError:
    """Run a command in one of four ways. Return its result or its error."""
    try:
        match how:
            case "run":
                return await asyncio.to_thread(path.run, command)
            case "run_batch":
                return (await asyncio.to_thread(path.run_batch, [command]))[0]
            case "arun":
                return await path.arun(command)
            case _:
                return (await path.arun_batch([command]))[0]
    except hotpath.HotPathError as error:
        return error


def test_redis_py_by_default_runs_a_script_twice_when_a_reply_is_lost(
    proxy: FaultyProxy, clean_redis: RedisServer
) -> None:
    with redis.Redis(port=proxy.port, socket_timeout=TIMEOUT_SECONDS) as client:
        client.ping()
        client.script_load(SCRIPTS["count"].text)
        proxy.set("cut-reply", faults=1)
        client.execute_command(*count().evalsha())
    assert executions(clean_redis) == 2


@pytest.mark.parametrize("fault", ["drop-reply", "cut-reply"])
@pytest.mark.parametrize("how", RUNNERS)
async def test_without_an_operation_id_it_runs_once_and_the_outcome_is_unknown(
    path: hotpath.HotPath, proxy: FaultyProxy, clean_redis: RedisServer, how: str, fault: str
) -> None:
    proxy.set(fault, faults=1)
    outcome = await perform(path, how, count())
    assert isinstance(outcome, hotpath.UnknownOutcome)
    assert executions(clean_redis) == 1


@pytest.mark.parametrize("fault", ["drop-reply", "cut-reply"])
@pytest.mark.parametrize("how", RUNNERS)
async def test_with_an_operation_id_it_is_repeated_and_still_counts_once(
    path: hotpath.HotPath, proxy: FaultyProxy, clean_redis: RedisServer, how: str, fault: str
) -> None:
    proxy.set(fault, faults=1)
    assert await perform(path, how, count(operation_id="op-1")) == 1
    assert proxy.hits == 1
    assert executions(clean_redis) == 1


@pytest.mark.parametrize("how", RUNNERS)
async def test_repeating_ends_in_unknown_outcome_when_no_reply_ever_comes(
    proxy: FaultyProxy, clean_redis: RedisServer, how: str
) -> None:
    limits = hotpath.Limits(attempts=3, deadline_seconds=30)
    with hotpath.connect(proxy.url + TIMEOUT, limits) as path:
        await perform(path, how, count(tag="{warm}"))
        proxy.set("cut-reply")
        outcome = await perform(path, how, count(operation_id="op-1"))
        assert isinstance(outcome, hotpath.UnknownOutcome)
        proxy.set("pass")
    assert executions(clean_redis) == 1


async def test_repeating_stops_at_the_deadline(
    proxy: FaultyProxy, clean_redis: RedisServer
) -> None:
    limits = hotpath.Limits(attempts=1_000, deadline_seconds=1)
    with hotpath.connect(proxy.url + TIMEOUT, limits) as path:
        path.run(count(tag="{warm}"))
        proxy.set("drop-reply")
        with pytest.raises(hotpath.UnknownOutcome):
            path.run(count(operation_id="op-1"))
        proxy.set("pass")
    assert executions(clean_redis) == 1


@pytest.mark.parametrize("how", ["run_batch", "arun_batch"])
async def test_a_batch_repeats_only_the_items_with_an_operation_id(
    path: hotpath.HotPath, proxy: FaultyProxy, clean_redis: RedisServer, how: str
) -> None:
    commands = [count("a"), count("b", operation_id="op-b"), count("c")]
    proxy.set("cut-reply", faults=1)
    outcomes = (
        await asyncio.to_thread(path.run_batch, commands)
        if how == "run_batch"
        else await path.arun_batch(commands)
    )
    assert isinstance(outcomes[0], hotpath.UnknownOutcome)
    assert outcomes[1] == 2
    assert isinstance(outcomes[2], hotpath.UnknownOutcome)
    assert executions(clean_redis) == 3


async def test_a_refused_connection_is_unavailable_and_nothing_ran(
    path: hotpath.HotPath, proxy: FaultyProxy, clean_redis: RedisServer
) -> None:
    proxy.stop()
    for how in RUNNERS:
        assert isinstance(await perform(path, how, count()), hotpath.Unavailable)
    assert executions(clean_redis) == 0


async def test_an_operation_id_outlives_a_short_outage(
    path: hotpath.HotPath, proxy: FaultyProxy, clean_redis: RedisServer
) -> None:
    async def heal() -> None:
        await eventually(lambda: proxy.hits >= 3)
        proxy.set("pass")

    proxy.set("cut")
    healing = asyncio.create_task(heal())
    assert await path.arun(count(operation_id="op-1")) == 1
    await healing
    assert executions(clean_redis) == 1


@pytest.mark.parametrize("how", RUNNERS)
async def test_a_late_reply_reaches_nobody_else(
    path: hotpath.HotPath, proxy: FaultyProxy, clean_redis: RedisServer, how: str
) -> None:
    """After a timeout the connection is closed: its reply must not answer the next command."""
    proxy.delay_seconds = 2 * TIMEOUT_SECONDS
    proxy.set("delay", faults=1)
    slow = await perform(path, how, count(tag="{slow}"))
    assert isinstance(slow, hotpath.UnknownOutcome)
    assert [await perform(path, how, count()) for _ in range(3)] == [1, 2, 3]


async def test_one_lost_reply_spoils_only_what_was_on_its_way(
    path: hotpath.HotPath, proxy: FaultyProxy, clean_redis: RedisServer
) -> None:
    proxy.set("cut-reply", faults=1)
    first = await asyncio.gather(*(perform(path, "arun", count()) for _ in range(10)))
    assert all(isinstance(outcome, hotpath.UnknownOutcome) for outcome in first)
    second = await asyncio.gather(*(perform(path, "arun", count()) for _ in range(10)))
    assert second == list(range(11, 21))


async def test_callers_of_a_hanging_server_wait_at_the_same_time(
    path: hotpath.HotPath, proxy: FaultyProxy
) -> None:
    proxy.set("drop-reply")
    async with asyncio.timeout(10 * TIMEOUT_SECONDS):  # in sequence it would be 20
        outcomes = await asyncio.gather(*(perform(path, "arun", count()) for _ in range(20)))
    assert all(isinstance(outcome, hotpath.UnknownOutcome) for outcome in outcomes)


@pytest.mark.parametrize("kind", ["sync", "async"])
async def test_the_clients_for_plain_commands_do_not_repeat_either(
    path: hotpath.HotPath, proxy: FaultyProxy, clean_redis: RedisServer, kind: str
) -> None:
    sync, loop = path.client(), path.aclient()
    sync.ping()
    await loop.ping()
    proxy.set("cut-reply", faults=1)
    increment = (
        asyncio.to_thread(sync.hincrby, TAG, "count", 1)
        if kind == "sync"
        else loop.hincrby(TAG, "count", 1)
    )
    with pytest.raises(redis.RedisError):
        await increment
    assert executions(clean_redis) == 1


@pytest.mark.parametrize("kind", ["sync", "async"])
async def test_their_pipelines_do_not_repeat_either(
    path: hotpath.HotPath, proxy: FaultyProxy, clean_redis: RedisServer, kind: str
) -> None:
    sync, loop = path.client(), path.aclient()
    sync.ping()
    await loop.ping()
    proxy.set("cut-reply", faults=1)
    pipeline = (sync if kind == "sync" else loop).pipeline(transaction=False)
    pipeline.hincrby(TAG, "count", 1)
    execution = asyncio.to_thread(pipeline.execute) if kind == "sync" else pipeline.execute()
    with pytest.raises(redis.RedisError):
        await execution
    assert executions(clean_redis) == 1
