"""The wake connection: every listener is served, whichever listeners come and go."""

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from pathlib import Path

import pytest
from redis import Redis

from poolsite import hotpath
from poolsite.live.wakes import Wakes
from poolsite.runtime.redis_server import RedisServer
from tests.support.cluster import RedisCluster
from tests.support.waiting import eventually


@asynccontextmanager
async def listening(told: list[bool] | None = None) -> AsyncIterator[tuple[Wakes, AsyncExitStack]]:
    """Yield a wake connection and the stack of its listeners. Both are closed at the end."""
    wakes = Wakes(on_change=(told if told is not None else []).append)
    try:
        async with AsyncExitStack() as stack:
            yield wakes, stack
    finally:
        await wakes.aclose()


class Ear:
    """Listens to one channel and stores its messages."""

    def __init__(self, channel: str) -> None:
        self.channel = channel
        self.heard: list[str] = []


async def hear(wakes: Wakes, stack: AsyncExitStack, channel: str) -> Ear:
    ear = Ear(channel)
    await stack.enter_async_context(wakes.listening([channel], ear.heard.append))
    return ear


async def test_everyone_who_starts_while_the_connection_is_made_hears(
    clean_redis: RedisServer,
) -> None:
    async with listening() as (wakes, stack):

        async def late(number: int) -> Ear:
            for _ in range(number):
                await asyncio.sleep(0)
            return await hear(wakes, stack, f"c{number}")

        ears = await asyncio.gather(*(late(number) for number in range(60)))
        for ear in ears:
            assert await hotpath.aclient().publish(ear.channel, "hello") == 1
        await eventually(lambda: all(ear.heard == ["hello"] for ear in ears))


async def test_listeners_that_come_and_go_at_random_hear_while_they_listen(
    clean_redis: RedisServer,
) -> None:
    chance = random.Random(11)

    async def visitor(wakes: Wakes, number: int) -> None:
        for turn in range(10):
            await asyncio.sleep(chance.random() / 50)  # waits: visitors come when they like
            channel = f"c{chance.randrange(6)}"
            heard: list[str] = []
            async with wakes.listening([channel], heard.append):
                text = f"{number}.{turn}"
                await hotpath.aclient().publish(channel, text)
                await eventually(partial(_contains, heard, text))

    async with listening() as (wakes, _):
        await asyncio.gather(*(visitor(wakes, number) for number in range(20)))
        await eventually(lambda: not wakes.connected)


class SilentPubsub:
    """A connection whose Redis has not answered yet. It records the requests."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    async def subscribe(self, *channels: str) -> None:
        self.asked += [f"+{channel}" for channel in channels]

    async def unsubscribe(self, *channels: str) -> None:
        self.asked += [f"-{channel}" for channel in channels]


async def test_who_leaves_and_comes_back_waits_for_the_answer_to_the_second_question() -> None:
    """The first answer may be read when Redis has processed the leaving but not yet the return."""
    wakes = Wakes(on_change=lambda _: None)
    wakes.connected, wakes._pubsub = True, SilentPubsub()
    wakes._task = asyncio.create_task(asyncio.Event().wait())
    async with AsyncExitStack() as stack:
        other = asyncio.create_task(hear(wakes, stack, "other"))  # keeps the connection open
        first = asyncio.create_task(hear(wakes, stack, "c"))
        await eventually(lambda: wakes._pubsub.asked == ["+other", "+c"])
        first.cancel()
        await eventually(lambda: wakes._pubsub.asked[2:] == ["-c"])
        again = asyncio.create_task(hear(wakes, stack, "c"))
        await eventually(lambda: wakes._pubsub.asked[3:] == ["+c"])
        wakes._confirm("other")
        await other
        wakes._confirm("c")
        assert not wakes._confirmed["c"].is_set()
        wakes._confirm("c")
        await again
    await wakes.aclose()


def _contains(heard: list[str], text: str) -> bool:
    return text in heard


@pytest.mark.processes
async def test_a_restarted_redis_is_told_and_everyone_hears_again(tmp_path: Path) -> None:
    server = RedisServer(tmp_path / "redis", append_only=False).start()
    told: list[bool] = []
    try:
        with hotpath.connect(server.url):
            async with listening(told) as (wakes, stack):
                ears = [await hear(wakes, stack, f"c{number}") for number in range(5)]
                server.kill()
                await eventually(lambda: told[-1:] == [False])
                ears.append(await hear(wakes, stack, "while away"))
                server.start()
                await eventually(lambda: told[-1] is True)
                for ear in ears:
                    await hotpath.aclient().publish(ear.channel, "again")
                await eventually(lambda: all(ear.heard == ["again"] for ear in ears))
            await hotpath.aclose()
    finally:
        server.stop()


async def test_a_killed_connection_is_replaced(clean_redis: RedisServer) -> None:
    told: list[bool] = []
    async with listening(told) as (wakes, stack):
        ear = await hear(wakes, stack, "c")
        await hotpath.aclient().execute_command("CLIENT", "KILL", "TYPE", "pubsub")
        await eventually(lambda: told[-2:] == [False, True])
        assert wakes.connected
        await publish_until_heard(ear)


async def test_of_two_who_share_a_callback_one_goes_and_the_other_still_hears(
    clean_redis: RedisServer,
) -> None:
    async with listening() as (wakes, stack):
        heard: list[str] = []
        callback = heard.append
        async with wakes.listening(["c"], callback):
            await stack.enter_async_context(wakes.listening(["c"], callback))
        await hear(wakes, stack, "other")  # an unsubscription would be done by now
        assert await hotpath.aclient().publish("c", "hello") == 1
        await eventually(lambda: heard == ["hello"])


async def publish_until_heard(ear: Ear) -> None:
    async def is_heard() -> bool:
        await hotpath.aclient().publish(ear.channel, "x")
        return bool(ear.heard)

    await eventually(is_heard)


def _all_hear(client: Redis, text: str, ears: list[Ear]) -> bool:
    """Publish what was not heard yet: nodes that have just met may lose each other's messages."""
    deaf = [ear for ear in ears if text not in ear.heard]
    for ear in deaf:
        client.publish(ear.channel, text)
    return not deaf


async def test_on_a_cluster_any_node_is_heard(redis_cluster: RedisCluster) -> None:
    with hotpath.connect(redis_cluster.url):
        async with listening() as (wakes, stack):
            ears = [await hear(wakes, stack, f"{{tag{number}}}:wake") for number in range(6)]
            for node in redis_cluster.nodes:
                with node.client() as client:
                    await eventually(partial(_all_hear, client, f"from {node.port}", ears))
        await hotpath.aclose()
