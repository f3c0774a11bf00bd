"""The websocket by which a switch reports events, `/ws/pools/{slug}/events/`.

A bare ASGI application. Frames that arrive while a pipeline is under way travel together in
the next one and are answered in their order; a call that waits for a number is answered when
it has one, so that the hangup behind it can give it that number. Every answer carries the
frame's `id`. The reader stops while answers wait to be sent: a switch that does not read is
not read from either.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Any

from django.db import Error as DatabaseError
from django.urls import re_path
from redis.exceptions import RedisError

from numbers.api import frames, processing, pushes
from numbers.api.directory import PoolRef, directory
from numbers.schemas import BODY_LIMIT_BYTES
from poolsite import access, hotpath
from poolsite.access import Principal
from poolsite.live.closing import close_socket

logger = logging.getLogger(__name__)

Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]

ANSWERS_QUEUED = 64  # frames; each may be a batch of 1 000
WAITING_CALLS = 1_000
FRAMES_PER_SECOND = 2_000.0
FRAMES_AT_ONCE = 10_000.0
SEND_SECONDS = 10.0
TOO_BIG, NOT_TEXT, TOO_MANY, BEHIND, TRY_LATER, FAULT = 1009, 1003, 4429, 1013, 1013, 1011


async def switch_application(scope: dict[str, Any], receive: Receive, send: Send) -> None:
    """Serve one socket from its handshake to its end."""
    await receive()
    if not access.origin_allowed(scope):
        await send({"type": "websocket.close", "code": 4403})  # before accept: HTTP 403
        return
    await send({"type": "websocket.accept"})
    try:
        principal = await access.principal_of_scope(scope)
        pool = await directory().get(str(scope["url_route"]["kwargs"]["slug"]))
    except (RedisError, OSError, DatabaseError, hotpath.HotPathError):
        logger.warning("switch socket: rights cannot be read", exc_info=True)
        await close_socket(send, TRY_LATER)
        return
    decision = processing.decide(principal, pool)
    if not decision or pool is None:
        await close_socket(send, decision.socket_code)
        return
    await SwitchSocket(pool, principal, receive, send).run()


class SwitchSocket:
    """One accepted socket that may send events to one pool."""

    def __init__(self, pool: PoolRef, principal: Principal, receive: Receive, send: Send) -> None:
        self._pool, self._principal = pool, principal
        self._receive, self._send = receive, send
        self._loop = asyncio.get_running_loop()
        self._frames: asyncio.Queue[str] = asyncio.Queue(ANSWERS_QUEUED)
        self._answers: asyncio.Queue[bytes] = asyncio.Queue(ANSWERS_QUEUED)
        self._closing: asyncio.Future[int] = self._loop.create_future()
        self._waiting: set[asyncio.Task[None]] = set()
        self._switches = pushes.names_of(principal)
        self._allowance = FRAMES_AT_ONCE
        self._counted_at = self._loop.time()

    async def run(self) -> None:
        """Read, decide and answer until one side, or a lost right, ends it."""
        watch = access.watch(self._principal, self.close)
        async with pushes.listening(self._pool, self._switches, self._push):
            tasks = [
                self._loop.create_task(self._read()),
                self._loop.create_task(self._work()),
                self._loop.create_task(self._write()),
            ]
            ends: list[asyncio.Future[Any]] = [*tasks, self._closing]
            try:
                await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
                self._report(tasks)
            finally:
                watch.close()
                await self._end([*tasks, *self._waiting])
        if self._closing.done():
            await self._say_goodbye(self._closing.result())

    def close(self, code: int) -> None:
        """Have the socket closed with this code."""
        if not self._closing.done():
            self._closing.set_result(code)

    def _report(self, tasks: list[asyncio.Task[None]]) -> None:
        for task in tasks:
            failure = task.exception() if task.done() and not task.cancelled() else None
            if failure is not None and not _is_disconnect(failure):
                logger.error("switch socket failed", exc_info=failure)
                self.close(FAULT)

    async def _end(self, tasks: list[asyncio.Task[None]]) -> None:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _say_goodbye(self, code: int) -> None:
        try:
            async with asyncio.timeout(2.0):
                await close_socket(self._send, code)
        except Exception as failure:
            if not _is_disconnect(failure):
                raise

    # -- in ---------------------------------------------------------------------------------

    async def _read(self) -> None:
        while True:
            message = await self._receive()
            if message["type"] == "websocket.disconnect":
                return
            text = message.get("text")
            if text is None:
                self.close(NOT_TEXT)
                return
            if len(text) > BODY_LIMIT_BYTES or len(text.encode()) > BODY_LIMIT_BYTES:
                self.close(TOO_BIG)
                return
            if not self._within_rate():
                self.close(TOO_MANY)
                return
            await self._frames.put(text)

    def _within_rate(self) -> bool:
        now = self._loop.time()
        earned = (now - self._counted_at) * FRAMES_PER_SECOND
        self._counted_at = now
        self._allowance = min(FRAMES_AT_ONCE, self._allowance + earned) - 1.0
        return self._allowance >= 0

    # -- what they ask ------------------------------------------------------------------------

    async def _work(self) -> None:
        while True:
            texts = [await self._frames.get()]
            while not self._frames.empty():
                texts.append(self._frames.get_nowait())
            for answer in await self._answer(texts):
                await self._answers.put(answer)

    async def _answer(self, texts: list[str]) -> list[bytes]:
        """The answers of several frames, in order; events of all of them share pipelines."""
        pool = await directory().get(self._pool.slug) or self._pool
        taken = [frames.read(text) for text in texts]
        for frame in taken:
            self._note_switches(frame)
        later = [frame for frame in taken if isinstance(frame, frames.Waiting)]
        for frame in later:
            self._wait(pool, frame)
        return await frames.answer_all(
            pool, self._principal, [frame for frame in taken if frame not in later]
        )

    def _wait(self, pool: PoolRef, frame: "frames.Waiting") -> None:
        if len(self._waiting) >= WAITING_CALLS:
            self.close(TOO_MANY)
            return
        task = self._loop.create_task(self._call(pool, frame))
        self._waiting.add(task)
        task.add_done_callback(self._waiting.discard)

    async def _call(self, pool: PoolRef, frame: "frames.Waiting") -> None:
        await self._answers.put(await frames.answer_waiting(pool, self._principal, frame))

    def _note_switches(self, frame: frames.Frame) -> None:
        """A switch that names itself here wants to hear which of its calls must end."""
        self._switches.update(frames.switches_of(frame))

    # -- out ------------------------------------------------------------------------------------

    def _push(self, text: bytes) -> None:
        try:
            self._answers.put_nowait(text)
        except asyncio.QueueFull:
            self.close(BEHIND)  # a call that must end is never dropped in silence

    async def _write(self) -> None:
        while True:
            text = (await self._answers.get()).decode()
            try:
                async with asyncio.timeout(SEND_SECONDS):
                    await self._send({"type": "websocket.send", "text": text})
            except TimeoutError:
                self.close(BEHIND)
                return


def _is_disconnect(failure: BaseException) -> bool:
    """Whether a server's send failed because the peer has gone (uvicorn: ClientDisconnected)."""
    return isinstance(failure, OSError | TimeoutError) or "after sending" in str(failure)


websocket_urlpatterns = [
    # Channels takes ASGI applications where the stubs know views only.
    re_path(r"^ws/pools/(?P<slug>[a-z0-9-]{1,40})/events/$", switch_application),  # type: ignore[arg-type]
]
