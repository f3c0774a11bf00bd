"""The websocket /ws/live/: who connects, and what they may watch and send.

A bare ASGI application: the outbox sends the frames, so a consumer class would only be one more
layer. It doesn't use the ORM, channel groups or lifespan.
"""

import asyncio
import logging
from collections.abc import Awaitable
from typing import TYPE_CHECKING, Any

import orjson
from redis.exceptions import RedisError

from poolsite import access, hotpath, tracing
from poolsite.access import limiting
from poolsite.live import frames
from poolsite.live.closing import close_socket, is_disconnect, say_goodbye
from poolsite.live.hub import LiveHub, hub_of_loop
from poolsite.live.outbox import BEHIND_CODE, Outbox, Send
from poolsite.live.reading import (
    TOO_MANY,
    BadFrame,
    Receive,
    TextFrames,
    address_of,
    whole_of,
)
from poolsite.live.topics import resolve

if TYPE_CHECKING:
    from poolsite.access import Principal

logger = logging.getLogger(__name__)

FRAME_BYTES = 4096
TOPICS_PER_SOCKET = 32
FRAMES_PER_SECOND = 20.0
FRAMES_AT_ONCE = 100.0
BEAT_SECONDS = 5.0  # how often a socket that reports presence is asked for a heartbeat
TOKEN_SECONDS = 10.0

LOGIN = 4401
FORBIDDEN = 4403
HIDDEN = 4404
TRY_LATER = 4503


async def live_application(scope: dict[str, Any], receive: Receive, send: Send) -> None:
    """Serve one socket from its handshake to its end."""
    await _serve(scope, receive, send, access.principal_of_scope(scope))


async def visitor_application(scope: dict[str, Any], receive: Receive, send: Send) -> None:
    """Like `live_application`, for a token without a session.

    The first frame is {"op":"token","token":T}.
    """
    await _serve(scope, receive, send, _principal_of_first_frame(scope, receive))


async def _principal_of_first_frame(scope: dict[str, Any], receive: Receive) -> "Principal":
    try:
        async with asyncio.timeout(TOKEN_SECONDS):
            message = await receive()
    except TimeoutError:
        return access.ANONYMOUS
    text = message.get("text") or ""
    try:
        frame = orjson.loads(text) if len(text) <= FRAME_BYTES else None
    except orjson.JSONDecodeError:
        frame = None
    token = frame.get("token") if isinstance(frame, dict) and frame.get("op") == "token" else None
    secret = token if isinstance(token, str) else ""
    return await limiting.principal_of_first_frame(secret, access.client_address_of_scope(scope))


async def _serve(
    scope: dict[str, Any], receive: Receive, send: Send, who: "Awaitable[Principal]"
) -> None:
    await receive()
    if not access.origin_allowed(scope):
        _forget(who)
        await send({"type": "websocket.close", "code": FORBIDDEN})  # before accept: HTTP 403
        return
    await send({"type": "websocket.accept"})
    try:
        with tracing.span("websocket live", "server", parent=tracing.context_of(scope)):
            principal = await who
    except (RedisError, OSError, hotpath.HotPathError):
        logger.warning("live: rights cannot be read", exc_info=True)
        await close_socket(send, BEHIND_CODE)
        return
    except limiting.RateLimitedError:
        await close_socket(send, TOO_MANY)
        return
    if not principal.is_authenticated:
        await send({"type": "websocket.close", "code": LOGIN})
        return
    await _Socket(hub_of_loop(), principal, receive, send).run()


def _forget(who: "Awaitable[Principal]") -> None:
    """Close the coroutine that is no longer awaited, to avoid Python's warning."""
    if asyncio.iscoroutine(who):
        who.close()


class _Socket:
    """One accepted socket of a known principal."""

    def __init__(self, hub: LiveHub, principal: "Principal", receive: Receive, send: Send) -> None:
        self._hub = hub
        self._who = f"{principal.kind}:{principal.id}"
        self._frames = TextFrames(
            receive,
            limit_bytes=FRAME_BYTES,
            per_second=FRAMES_PER_SECOND,
            at_once=FRAMES_AT_ONCE,
        )
        self._send = send
        self._outbox = Outbox(hub.flusher)
        # Closes the socket within 1 s after rights are taken away or expire, and also knows the
        # rights that were added meanwhile.
        self._rights = access.watch(principal, self._outbox.close)
        self._topics: set[str] = set()
        self._joining: dict[str, asyncio.Task[None]] = {}
        self._presence: set[str] = set()  # watched topics that need presence, or check rights again
        self._present_at = 0.0  # when presence was last passed on
        self._beater: asyncio.Task[None] | None = None
        self._beating: asyncio.Task[None] | None = None
        self._loop = asyncio.get_running_loop()

    async def run(self) -> None:
        """Read and write until the browser, the server or a lost right ends the socket."""
        try:
            async with self._hub.socket(self._who, self._outbox) as welcome:
                if welcome:
                    await self._serve()
                else:
                    self._outbox.close(TOO_MANY)
        finally:
            self._rights.close()
        if self._outbox.close_code:
            await say_goodbye(self._send, self._outbox.close_code)

    async def _serve(self) -> None:
        self._outbox.put(frames.HELLO)
        tasks = [
            self._loop.create_task(self._read()),
            self._loop.create_task(self._outbox.run(self._send)),
        ]
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            self._report(done)
        finally:
            beats = [task for task in (self._beater, self._beating) if task is not None]
            await self._end([*tasks, *self._joining.values(), *beats])

    async def _end(self, tasks: list[asyncio.Task[None]]) -> None:
        for task in tasks:
            task.cancel()
        for address in self._topics:
            self._hub.leave(address, self._outbox)
        await asyncio.gather(*tasks, return_exceptions=True)

    def _report(self, done: set[asyncio.Task[None]]) -> None:
        for task in done:
            failure = task.exception()
            # A server reports with an exception of its own, mostly an OSError, that the peer has
            # gone.
            if failure is not None and not is_disconnect(failure):
                logger.error("live: a socket failed", exc_info=failure)
                self._outbox.close(1011)

    async def _read(self) -> None:
        while (frame := await self._frames.next()) is not None:
            if isinstance(frame, int):
                self._outbox.close(frame)
            else:
                self._take(frame)

    def _take(self, text: str) -> None:
        try:
            frame = orjson.loads(text)
            if not isinstance(frame, dict):
                raise BadFrame("a frame is a JSON object")
            self._obey(frame)
        except orjson.JSONDecodeError:
            self._outbox.put(frames.error("a frame is JSON text"))
        except BadFrame as bad:
            self._outbox.put(frames.error(str(bad)))

    def _obey(self, frame: dict[str, Any]) -> None:
        match frame.get("op"):
            case "ack":
                if self._outbox.acknowledge(whole_of(frame, "ack")):
                    self._read_frames()
            case "ping":
                self._outbox.put(frames.PONG)
            case "beat":
                self._beat()
            case "subscribe":
                version = whole_of(frame, "version") if "version" in frame else None
                self._subscribe(address_of(frame), version)
            case "unsubscribe":
                self._unsubscribe(address_of(frame))
            case _:
                raise BadFrame("op is one of subscribe, unsubscribe, ping, beat, ack")

    def _subscribe(self, address: str, version: int | None) -> None:
        if address not in self._topics and len(self._topics) >= TOPICS_PER_SOCKET:
            self._outbox.put(frames.refused(address, TOO_MANY))
            return
        before = self._joining.get(address)
        if before is not None:
            before.cancel()
        self._topics.add(address)
        task = self._loop.create_task(self._join(address, version))
        self._joining[address] = task
        task.add_done_callback(lambda done: self._joined(address, done))

    def _joined(self, address: str, task: asyncio.Task[None]) -> None:
        if self._joining.get(address) is task:
            del self._joining[address]
        if not task.cancelled() and task.exception() is not None:
            logger.error("live: cannot subscribe to %s", address, exc_info=task.exception())
            self._refuse(address, TRY_LATER)

    async def _join(self, address: str, version: int | None) -> None:
        topic = resolve(address)
        if topic is None:
            self._refuse(address, HIDDEN)
            return
        decision = await topic.allowed(self._rights.principal)
        if not decision.allowed:
            self._refuse(address, decision.socket_code)
            return
        if topic.beats or topic.asks_again(self._rights.principal):
            self._presence.add(address)
            self._present_at = self._loop.time()
            await topic.beat(self._rights.principal)
            if self._beater is None:
                self._beater = self._loop.create_task(self._ask_for_beats())
        await self._hub.join(topic, self._outbox, version)

    async def _ask_for_beats(self) -> None:
        """Ask for heartbeats. The server asks because a page in the background answers a frame at
        once, while its own timers are slowed down to one a minute. A browser that has just proved
        presence with an ack is not asked.
        """
        due = self._present_at + BEAT_SECONDS
        while True:
            await asyncio.sleep(due - self._loop.time())
            due = self._present_at + BEAT_SECONDS
            if due > (now := self._loop.time()):
                continue
            if self._presence:
                self._outbox.put(frames.BEAT)
            due = now + BEAT_SECONDS

    def _read_frames(self) -> None:
        """Take an ack as proof of presence, like a heartbeat."""
        if self._loop.time() - self._present_at > BEAT_SECONDS / 2:
            self._beat()

    def _beat(self) -> None:
        if self._presence and (self._beating is None or self._beating.done()):
            self._present_at = self._loop.time()
            self._beating = self._loop.create_task(self._tell_presence())

    async def _tell_presence(self) -> None:
        for address in list(self._presence):
            topic = self._hub.topic(address)
            if topic is None:
                continue
            try:
                if topic.asks_again(self._rights.principal):
                    decision = await topic.allowed(self._rights.principal)
                    if not decision.allowed:
                        self._refuse(address, decision.socket_code)
                        continue
                if await topic.beat(self._rights.principal):
                    self._hub.nudge(address)
            except (RedisError, OSError, hotpath.HotPathError) as error:
                logger.warning("live: a heartbeat of %s was not heard: %s", address, error)

    def _refuse(self, address: str, code: int) -> None:
        self._unsubscribe(address)
        self._outbox.put(frames.refused(address, code))

    def _unsubscribe(self, address: str) -> None:
        task = self._joining.pop(address, None)
        if task is not None and task is not asyncio.current_task():
            task.cancel()
        if address in self._topics:
            self._topics.discard(address)
            self._presence.discard(address)
            self._hub.leave(address, self._outbox)
