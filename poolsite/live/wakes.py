"""One Redis pub/sub connection of a process, shared by everything that wants to be woken."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any

from redis.exceptions import RedisError

from poolsite import hotpath

logger = logging.getLogger(__name__)

Callback = Callable[[str], None]

IDLE_SECONDS = 5.0  # then the connection is asked whether it still lives
CONFIRM_SECONDS = 3.0
RETRY_SECONDS = (0.1, 0.2, 0.5, 1.0)


class Wakes:
    """Channels → callbacks. The connection lives while somebody listens, and heals by itself.

    A callback gets the message's text. `on_change(connected)` is called when the connection
    is lost and when it is back with every channel subscribed: messages in between are gone,
    so listeners read afresh then.
    """

    def __init__(self, on_change: Callable[[bool], None]) -> None:
        self._on_change = on_change
        self._callbacks: dict[str, set[Callback]] = {}
        self._confirmed: dict[str, asyncio.Event] = {}
        self._writing = asyncio.Lock()
        self._client: Any = None
        self._pubsub: Any = None
        self._task: asyncio.Task[None] | None = None
        self.connected = False

    @asynccontextmanager
    async def listening(self, channels: list[str], callback: Callback) -> AsyncIterator[None]:
        """Call `callback` for each message; entered when Redis has confirmed the channels.

        While Redis is away it is entered without that: `on_change(True)` follows later.
        """
        for channel in channels:
            self._callbacks.setdefault(channel, set()).add(callback)
        try:
            await self._subscribe(channels)
            yield
        finally:
            self._forget(channels, callback)

    def _forget(self, channels: list[str], callback: Callback) -> None:
        unused = []
        for channel in channels:
            callbacks = self._callbacks.get(channel, set())
            callbacks.discard(callback)
            if not callbacks and self._callbacks.pop(channel, None) is not None:
                self._confirmed.pop(channel, None)
                unused.append(channel)
        if self._task is None:
            return
        if not self._callbacks:
            self._task.cancel()
            self._task = None
        elif unused and self.connected:
            task = asyncio.get_running_loop().create_task(self._unsubscribe(unused))
            task.add_done_callback(lambda done: done.cancelled() or done.exception())

    async def _subscribe(self, channels: list[str]) -> None:
        if self._task is None:
            self._task = asyncio.get_running_loop().create_task(self._run())
        new = [channel for channel in channels if channel not in self._confirmed]
        waits = [self._confirmed.setdefault(channel, asyncio.Event()) for channel in channels]
        if new and self.connected:
            await self._send("subscribe", new)
        try:
            async with asyncio.timeout(CONFIRM_SECONDS if self.connected else 0.5):
                for event in waits:
                    await event.wait()
        except TimeoutError:
            logger.info("live: not yet subscribed to %s", channels[0])

    async def _unsubscribe(self, channels: list[str]) -> None:
        async with self._writing:
            again = [channel for channel in channels if channel not in self._callbacks]
            if again and self._pubsub is not None:
                await self._write("unsubscribe", again)

    async def _send(self, verb: str, channels: list[str]) -> None:
        async with self._writing:
            await self._write(verb, channels)

    async def _write(self, verb: str, channels: list[str]) -> None:
        # The reader sees a broken connection, too, and then subscribes to everything again.
        with suppress(RedisError, OSError, AttributeError):
            await getattr(self._pubsub, verb)(*channels)

    async def _run(self) -> None:
        failures = 0
        while True:
            try:
                await self._connect()
                failures = 0
                await self._read()
            except (RedisError, OSError, hotpath.HotPathError) as error:
                if self.connected or not failures:
                    logger.warning("live: wake channels lost: %s", error)
            finally:
                await self._drop()
            await asyncio.sleep(RETRY_SECONDS[min(failures, len(RETRY_SECONDS) - 1)])
            failures += 1

    async def _connect(self) -> None:
        self._client = await hotpath.pubsub_client()
        async with self._writing:
            self._pubsub = self._client.pubsub()
            await self._pubsub.subscribe(*self._callbacks)
            self.connected = True
        for channel in self._callbacks:
            self._confirmed.setdefault(channel, asyncio.Event())

    async def _drop(self) -> None:
        was, self.connected = self.connected, False
        pubsub, self._pubsub = self._pubsub, None
        client, self._client = self._client, None
        for event in self._confirmed.values():
            event.clear()
        if was:
            self._on_change(False)
        for one in (pubsub, client):
            if one is not None:
                with suppress(RedisError, OSError):
                    await one.aclose()

    async def _read(self) -> None:
        asked = False
        announced = False
        while True:
            message = await self._pubsub.get_message(timeout=IDLE_SECONDS)
            if message is None:
                if asked:
                    raise TimeoutError("Redis no longer answers on the wake connection")
                asked = True
                await self._pubsub.ping()
                continue
            asked = False
            if message["type"] == "message":
                self._deliver(message["channel"], message["data"])
            elif message["type"] == "subscribe":
                self._confirm(message["channel"])
                if not announced and all(e.is_set() for e in self._confirmed.values()):
                    announced = True
                    self._on_change(True)

    def _confirm(self, channel: str) -> None:
        event = self._confirmed.get(channel)
        if event is not None:
            event.set()

    def _deliver(self, channel: str, text: str) -> None:
        for callback in tuple(self._callbacks.get(channel, ())):
            callback(text)

    async def aclose(self) -> None:
        """End the reader; listeners hear nothing more."""
        if self._task is not None:
            self._task.cancel()
            self._task = None
