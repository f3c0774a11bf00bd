"""One Redis pub/sub connection of a process, shared by all listeners."""

import asyncio
import logging
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any

from redis.exceptions import RedisError

from poolsite import hotpath

logger = logging.getLogger(__name__)

Callback = Callable[[str], None]

IDLE_SECONDS = 5.0  # then the connection is tested with a ping
CONFIRM_SECONDS = 3.0
CONFIRM_SECONDS_WHILE_AWAY = 0.5
RETRY_SECONDS = (0.1, 0.2, 0.5, 1.0)


class Wakes:
    """Channels → callbacks. The connection exists while there are listeners, and is restored if
    lost.

    A callback gets the message's text. `on_change(connected)` is called when the connection is
    lost, and when it is back with every channel subscribed. The messages in between are lost, so
    listeners must read again then.
    """

    def __init__(self, on_change: Callable[[bool], None]) -> None:
        self._on_change = on_change
        self._callbacks: dict[str, Counter[Callback]] = {}  # how many listeners have each callback
        self._confirmed: dict[str, asyncio.Event] = {}
        self._asked: set[str] = set()  # on this connection
        # How many replies to SUBSCRIBE are expected: two for a channel that was left and joined
        # again. The first proves nothing: the UNSUBSCRIBE between may be done and the second
        # SUBSCRIBE not yet.
        self._unconfirmed: Counter[str] = Counter()
        self._settling = asyncio.Lock()
        self._client: Any = None
        self._pubsub: Any = None
        self._broken: asyncio.Future[None] | None = None
        self._task: asyncio.Task[None] | None = None
        self._before: asyncio.Task[None] | None = None  # its connection may still be closing
        self._tasks: set[asyncio.Task[None]] = set()
        self.connected = False

    @asynccontextmanager
    async def listening(self, channels: list[str], callback: Callback) -> AsyncIterator[None]:
        """Call `callback` for each message. Entered when Redis has confirmed the channels.

        A callback of several listeners is called once, as long as one of them listens. While Redis
        is away, the context is entered without confirmation, and `on_change(True)` follows later.
        """
        for channel in channels:
            self._callbacks.setdefault(channel, Counter())[callback] += 1
            self._confirmed.setdefault(channel, asyncio.Event())
        try:
            if self._task is None:
                self._task = asyncio.get_running_loop().create_task(self._run(self._before))
            await self._settle()
            await self._wait_for(channels)
            yield
        finally:
            self._forget(channels, callback)

    def _forget(self, channels: list[str], callback: Callback) -> None:
        for channel in channels:
            callbacks = self._callbacks[channel]
            callbacks[callback] -= 1
            if not callbacks[callback]:
                del callbacks[callback]
            if not callbacks:
                del self._callbacks[channel]
        if self._callbacks:
            task = asyncio.get_running_loop().create_task(self._settle())
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        elif self._task is not None:
            self._task.cancel()
            self._before, self._task = self._task, None

    async def _wait_for(self, channels: list[str]) -> None:
        seconds = CONFIRM_SECONDS if self.connected else CONFIRM_SECONDS_WHILE_AWAY
        try:
            async with asyncio.timeout(seconds):
                for channel in channels:
                    await self._confirmed[channel].wait()
        except TimeoutError:
            logger.warning("live: not yet subscribed to %s", channels[0])

    async def _settle(self) -> None:
        """Subscribe the connection to exactly the channels that have listeners.

        This is done in one place and one at a time, so that it includes all channels that come and
        go meanwhile, also while the connection is made.
        """
        async with self._settling:
            while self._pubsub is not None:
                new = self._callbacks.keys() - self._asked
                gone = self._asked - self._callbacks.keys()
                if not new and not gone:
                    return
                try:
                    await self._ask(self._pubsub, new, gone)
                except (RedisError, OSError):
                    self._give_up()

    async def _ask(self, pubsub: Any, new: set[str], gone: set[str]) -> None:
        self._asked = (self._asked | new) - gone
        self._unconfirmed.update(new)
        for channel in gone:
            if channel in self._callbacks:
                self._confirmed[channel].clear()
            else:
                self._confirmed.pop(channel, None)
        if new:
            await pubsub.subscribe(*new)
        if gone:
            await pubsub.unsubscribe(*gone)

    def _give_up(self) -> None:
        """Have the connection replaced: its subscriptions are no longer certain."""
        self._pubsub = None
        if self._broken is not None and not self._broken.done():
            self._broken.set_result(None)

    async def _run(self, before: asyncio.Task[None] | None) -> None:
        if before is not None:
            await asyncio.gather(before, return_exceptions=True)
        failures = 0
        while True:
            try:
                await self._connect()
                failures = 0
                await self._read_until_broken()
            except (RedisError, OSError, hotpath.HotPathError) as error:
                if self.connected or not failures:
                    logger.warning("live: wake channels lost: %s", error)
            finally:
                await self._drop()
            await asyncio.sleep(RETRY_SECONDS[min(failures, len(RETRY_SECONDS) - 1)])
            failures += 1

    async def _connect(self) -> None:
        client = self._client = await hotpath.pubsub_client()
        self._broken = asyncio.get_running_loop().create_future()
        async with self._settling:
            self._asked = set(self._callbacks)
            self._unconfirmed = Counter(self._asked)
            pubsub = client.pubsub()
            await pubsub.subscribe(*self._asked)
            self._pubsub = pubsub
            self.connected = True
        await self._settle()

    async def _drop(self) -> None:
        was, self.connected = self.connected, False
        for event in self._confirmed.values():
            event.clear()
        if was:
            self._on_change(False)
        async with self._settling:  # no one is writing to it now
            pubsub, self._pubsub = self._pubsub, None
            client, self._client = self._client, None
            for one in (pubsub, client):
                if one is not None:
                    with suppress(RedisError, OSError):
                        await one.aclose()

    async def _read_until_broken(self) -> None:
        broken = self._broken
        if broken is None or self._pubsub is None:
            return
        reading = asyncio.create_task(self._read(self._pubsub))
        try:
            await asyncio.wait({reading, broken}, return_when=asyncio.FIRST_COMPLETED)
            if reading.done():
                reading.result()
        finally:
            reading.cancel()
            await asyncio.gather(reading, return_exceptions=True)

    async def _read(self, pubsub: Any) -> None:
        asked_for_life = announced = False
        while True:
            message = await pubsub.get_message(timeout=IDLE_SECONDS)
            if message is None:
                if asked_for_life:
                    raise TimeoutError("Redis no longer answers on the wake connection")
                asked_for_life = True
                await pubsub.ping()
                continue
            asked_for_life = False
            if message["type"] == "message":
                self._deliver(message["channel"], message["data"])
            elif message["type"] == "subscribe":
                self._confirm(message["channel"])
                if not announced and not self._unconfirmed:
                    announced = True
                    self._on_change(True)

    def _confirm(self, channel: str) -> None:
        self._unconfirmed[channel] -= 1
        if self._unconfirmed[channel] > 0:
            return
        del self._unconfirmed[channel]
        event = self._confirmed.get(channel)
        if event is not None and channel in self._asked:
            event.set()

    def _deliver(self, channel: str, text: str) -> None:
        for callback in tuple(self._callbacks.get(channel, ())):
            callback(text)

    async def aclose(self) -> None:
        """End the reader and close the connection. Listeners get no more messages."""
        if self._task is not None:
            self._task.cancel()
            self._before, self._task = self._task, None
        if self._before is not None:
            await asyncio.gather(self._before, return_exceptions=True)
