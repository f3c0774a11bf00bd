"""A real Sentinel: the master is found, and found again after a failover."""

import asyncio
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from poolsite import hotpath
from queueing.admission import gate
from tests.admission.gate_support import GENERATION, KEYS, SLUG
from tests.hotpath.support import TAG, count
from tests.support.calls import calls_of
from tests.support.sentinel import RedisSentinel
from tests.support.waiting import eventually, patient, until

pytestmark = pytest.mark.processes


@pytest.fixture
def sentinel() -> Iterator[RedisSentinel]:
    """A new Sentinel for each test: after a failover and back, it may fail over again."""
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:  # short: socket paths are
        sentinel = RedisSentinel(Path(folder))
        try:
            yield sentinel.start()
        finally:
            sentinel.stop()


async def test_a_pubsub_client_follows_the_master(sentinel: RedisSentinel) -> None:
    with hotpath.connect(sentinel.url) as path:
        subscriber = await path.pubsub_client()
        async with subscriber.pubsub() as channel:
            await channel.subscribe("news")
            await channel.get_message(timeout=patient(1))
            await path.aclient().publish("news", "hello")
            message = await channel.get_message(ignore_subscribe_messages=True, timeout=patient(1))
        await subscriber.aclose()
    assert message is not None
    assert message["data"] == "hello"


async def test_a_sentinel_that_knows_no_such_service_is_unavailable(
    sentinel: RedisSentinel,
) -> None:
    url = sentinel.url.replace("/hot/", "/cold/")
    with hotpath.connect(url, hotpath.Limits(attempts=2)) as path:
        with pytest.raises(hotpath.Unavailable):
            path.run(count())
        with pytest.raises(hotpath.Unavailable):
            await path.arun(count())


async def test_commands_follow_the_master_through_a_failover_and_back(
    sentinel: RedisSentinel,
) -> None:
    first, second = sentinel.servers
    with hotpath.connect(sentinel.url) as path:
        path.client().delete(TAG)
        assert path.run(count()) == 1
        assert await path.arun(count()) == 2
        assert path.run_batch([count()] * 3) == [3, 4, 5]
        assert path.client().hget(TAG, "count") == "5"
        assert await path.aclient().hget(TAG, "count") == "5"
        with second.client() as replica:
            until(lambda: replica.hget(TAG, "count") == "5")
        first.kill()
        until(lambda: sentinel.master_port == second.port)

        assert await _works_again(path) == 6
        assert await asyncio.to_thread(path.run, count(operation_id="op")) == 7

        sentinel.bring_back(first)
        path.router.learn_master(f"127.0.0.1:{first.port}")  # as a late client: READONLY
        assert path.run(count()) == 8
        path.router.learn_master(f"127.0.0.1:{first.port}")
        assert await path.arun(count()) == 9


async def test_functions_go_on_after_a_failover(sentinel: RedisSentinel) -> None:
    before, after = sentinel.servers
    with hotpath.connect(sentinel.url) as path:
        path.run(gate.create(SLUG, GENERATION, gate.GateSettings()))
        first = path.run(gate.acquire(SLUG, "a"))
        assert first.granted
        with after.client() as replica:
            until(lambda: replica.hget(KEYS.tag, "=a"))
            assert replica.function_list(), "a library goes to replicas as data does"
        before.kill()
        until(lambda: sentinel.master_port == after.port)

        with after.client() as client:
            ran = calls_of(client)
            again = await asyncio.to_thread(path.run, gate.acquire(SLUG, "a"))  # may be repeated
            assert (again.reason, again.token) == ("repeat", first.token)
            closed = await path.arun(gate.acquire(SLUG, "b"))
            assert closed.reason == "recovering"  # a promoted server may lack the last data
            ran = calls_of(client) - ran
        assert ran["fcall"] >= 2
        assert ran["evalsha"] == 0


async def _works_again(path: hotpath.HotPath) -> int:
    """Return the first result after the failover.

    The first commands may be refused or have an unknown outcome, but none may run twice.
    """
    answers: list[int] = []

    async def one_is_through() -> bool:
        with suppress(hotpath.HotPathError):
            answers.append(await path.arun(count()))
        return bool(answers)

    await eventually(one_is_through)
    return answers[0]
