"""When things go wrong: slow sockets, lost rights, a lost Redis, too many changes at once."""

import asyncio
import itertools
import json
import socket
import time
from collections.abc import Sequence
from contextlib import AsyncExitStack, suppress
from pathlib import Path

import pytest
import redis.asyncio

from poolsite.runtime.redis_server import RedisServer
from tests.live.sample_topics import WRITE
from tests.live.servers import Client, Site, WebServer
from tests.support.waiting import eventually, patient

Redis = redis.asyncio.Redis
BATCHES_PER_SECOND = 50
GOODBYE = b"\x88\x02" + (1013).to_bytes(2)  # the closing frame; uvicorn waits for its answer


class Writer:
    """Changes one aggregate's data at the given rate, in batches."""

    def __init__(self, client: Redis, tag: str, per_second: int, names: int = 50) -> None:
        self._client = client
        self._tag = "{" + tag + "}"
        self._per_second = per_second
        self._names = names
        self.count = 0

    async def run(self, seconds: float) -> dict[str, str]:
        """Write what takes `seconds` on a quiet machine.

        Return the final state, which all must see.
        """
        state = {}
        script = await self._client.script_load(WRITE)
        pause = 1 / BATCHES_PER_SECOND
        batch = max(1, self._per_second // BATCHES_PER_SECOND)
        for _ in range(round(seconds * BATCHES_PER_SECOND)):
            began = time.monotonic()
            pipeline = self._client.pipeline(transaction=False)
            for _ in range(batch):
                name, value = f"n{self.count % self._names}", str(self.count)
                pipeline.evalsha(script, 1, self._tag, name, value)
                state[name] = value
                self.count += 1
            await pipeline.execute()
            await asyncio.sleep(max(0.0, pause - (time.monotonic() - began)))  # waits: the pace
        return state


async def read_until(client: Client, topic: str, wanted: dict[str, str]) -> float:
    """Return the time at which the client's state became `wanted`."""
    async with asyncio.timeout(patient(15)):
        while client.state(topic) != wanted:
            await client.receive()
    return time.monotonic()


async def read_on(client: Client) -> None:
    """Read until cancelled."""
    while True:
        await client.receive()


async def stop(*tasks: asyncio.Task[None]) -> None:
    """Stop reader tasks. One that failed fails the test."""
    for task in tasks:
        task.cancel()
    for result in await asyncio.gather(*tasks, return_exceptions=True):
        assert isinstance(result, asyncio.CancelledError)


async def follow(clients: Sequence[Client], topic: str, state: object, seconds: float) -> None:
    """Wait until every client's state is `state`. Other tasks read for the clients."""
    await eventually(lambda: all(client.state(topic) == state for client in clients), seconds)


async def test_thousands_of_changes_make_five_frames_a_second_and_the_last_one_arrives(
    web: WebServer, redis_client: Redis
) -> None:
    topic = "test.log:storm"
    async with web.client() as client:
        await client.subscribe(topic)
        writer = Writer(redis_client, "storm", 3_000)
        began = time.monotonic()
        writing = asyncio.create_task(writer.run(3.0))
        reading = asyncio.create_task(read_on(client))
        state = await writing
        await follow([client], topic, state, seconds=0.5)  # the named deadline
        frames = sum(frame["op"] == "change" for frame in client.seen)
        assert writer.count > 1_000
        assert 1 <= frames <= 5 * (time.monotonic() - began) + 1
        assert client.gaps == 0
        await stop(reading)


async def test_who_never_reads_is_closed_with_1013_and_others_are_not_held_up(
    web: WebServer, redis_client: Redis
) -> None:
    topic = "test.log:slow"
    async with web.client() as client, web.client() as deaf:
        await client.subscribe(topic)
        await deaf.subscribe(topic)
        deaf.answers = False
        reading = asyncio.create_task(read_on(client))
        state = await Writer(redis_client, "slow", 500).run(3.5)  # `deaf` reads nothing
        assert await deaf.closed() == 1013
        await stop(reading)
        await read_until(client, topic, state)
        assert client.gaps == 0


async def test_a_socket_whose_buffers_are_full_is_closed_and_others_are_not_held_up(
    web: WebServer, redis_client: Redis
) -> None:
    """A bare TCP peer completes the handshake, subscribes, and never reads again."""
    topic = "test.note:large"
    peer = socket.socket()
    peer.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65_536)  # soon full
    peer.connect(("127.0.0.1", web.port))
    peer.setblocking(False)
    reader, sender = await asyncio.open_connection(sock=peer, limit=1024)
    cookie = web.site.people["operator"]["cookie"]
    sender.write(
        f"GET /ws/live/ HTTP/1.1\r\nHost: 127.0.0.1:{web.port}\r\n"
        f"Origin: http://127.0.0.1:{web.port}\r\nCookie: {cookie}\r\n"
        "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n".encode()
    )
    await reader.readuntil(b"\r\n\r\n")
    frame = json.dumps({"op": "subscribe", "topic": topic}).encode()
    assert len(frame) < 126
    sender.write(bytes([0x81, 0x80 | len(frame), 0, 0, 0, 0]) + frame)
    count = "test.closed_behind:here"
    async with web.client() as client:
        await client.subscribe(topic)
        before = (await client.subscribe(count))["data"]
        numbers = itertools.count()

        async def is_closed() -> bool:
            """Change the note; when the other client has seen it, return whether one was closed."""
            await redis_client.set("note:large", f"{next(numbers)}" + "x" * 900_000)
            for each in (topic, count):
                await redis_client.publish(f"live:{each}", "")
            await client.next(op="change", topic=topic)
            return client.state(count) != before

        await eventually(is_closed)
        await client.send(op="ping")
        await client.next(op="pong")
    async with asyncio.timeout(patient(20)):
        with suppress(ConnectionResetError):  # daphne's way to end it
            tail = b""
            while not tail.endswith(GOODBYE) and (more := await reader.read(1 << 20)):
                tail = (tail + more)[-len(GOODBYE) :]  # frames in flight come before
    sender.close()


@pytest.mark.parametrize(
    ("verb", "names", "code"),
    [("end", "cookie", 4401), ("demote", "user", 4403), ("revoke", "token_id", 4401)],
    ids=["session ended", "role lost", "token revoked"],
)
async def test_a_right_that_ends_closes_its_sockets_within_a_second_and_no_others(
    live_site: Site, web: WebServer, redis_client: Redis, verb: str, names: str, code: int
) -> None:
    person = f"{verb}-{web.kind}"
    live_site.meet(person)
    known = live_site.people[person]
    by_token = {"person": "", "headers": {"Authorization": f"Bearer {known['token']}"}}
    how = by_token if verb == "revoke" else {"person": person}
    async with web.client(**how) as client, web.client("south") as other:
        first = await client.subscribe(f"test.tenant:{known['account']}")
        await other.next(op="hello")
        assert first["op"] == ("refused" if verb == "revoke" else "snapshot")
        closing = asyncio.create_task(client.closed(seconds=20))
        changed_at = json.loads(
            await asyncio.to_thread(live_site.run, "tests/live/people.py", verb, str(known[names]))
        )
        assert await closing == code
        # A named deadline: everywhere within 1 s.
        assert client.closed_at - changed_at <= patient(1.0)
        await other.send(op="ping")
        await other.next(op="pong")


@pytest.mark.processes
async def test_a_redis_that_restarts_is_said_and_heals_by_itself(tmp_path: Path) -> None:
    server = RedisServer(tmp_path / "redis", appendfsync="always").start()
    site = Site(tmp_path / "site", server.url).make()
    web = WebServer(site, "uvicorn").start()
    try:
        async with web.client() as client:
            await _write_once(server, "heal", "a", "1")
            await client.subscribe("test.log:heal")
            server.kill()
            await client.next(op="stale", seconds=15)
            server.start()
            await client.next(op="current", seconds=15)
            await _write_once(server, "heal", "a", "2")
            await read_until(client, "test.log:heal", {"a": "2"})
            assert client.gaps == 0
    finally:
        web.stop()
        server.stop()


async def _write_once(server: RedisServer, tag: str, name: str, value: str) -> None:
    async with redis.asyncio.Redis.from_url(server.url) as client:
        await client.eval(WRITE, 1, "{" + tag + "}", name, value)


async def test_a_lost_wake_message_heals_by_the_slow_read(
    web: WebServer, redis_client: Redis
) -> None:
    async with web.client() as client:
        await client.subscribe("test.note:silent")
        await redis_client.set("note:silent", "nobody was told")
        change = await client.next(op="change", seconds=8)
        assert change["data"] == {"text": "nobody was told"}


async def test_three_hundred_sockets_follow_two_topics(web: WebServer, redis_client: Redis) -> None:
    async with AsyncExitStack() as stack:
        clients = []
        for number in range(300):
            person = f"crowd-{number % 10}"
            if person not in web.site.people:
                web.site.meet(*(f"crowd-{n}" for n in range(10)))
            clients.append(await stack.enter_async_context(web.client(person)))
        topics = ("test.log:crowd", "test.note:crowd")
        for client in clients:
            for topic in topics:
                await client.send(op="subscribe", topic=topic)
        for client in clients:
            while len(client.states) < len(topics):
                await client.receive()
        reading = [asyncio.create_task(read_on(client)) for client in clients]
        state = await Writer(redis_client, "crowd", 1_000).run(2.0)
        await redis_client.set("note:crowd", "the end")
        await redis_client.publish("live:test.note:crowd", "")
        await follow(clients, topics[0], state, seconds=10)
        await follow(clients, topics[1], {"text": "the end"}, seconds=10)
        assert sum(client.gaps for client in clients) == 0
        await stop(*reading)
