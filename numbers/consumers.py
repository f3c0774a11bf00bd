"""The websocket through which a switch reports events, `/ws/pools/{slug}/events/`.

A bare ASGI application. Frames that arrive while a pipeline is in progress travel together in the
next one and are answered in their order. A call that waits for a number is answered when it has
one, so that a later hangup can give it that number. Every answer carries the frame's `id`. Reading
stops while answers wait to be sent: a switch that does not read its answers is not read from.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from numbers.api import frames, pushes
from numbers.api.directory import POOLS, PoolRef
from numbers.schemas import BODY_LIMIT_BYTES
from poolsite import tracing
from poolsite.access import Principal
from poolsite.live.reading import TOO_MANY, Receive, TextFrames
from poolsite.live.routing import socket
from poolsite.live.serving import ServedSocket, admit, cancel

Send = Callable[[dict[str, Any]], Awaitable[None]]

ANSWERS_QUEUED = 64  # frames; each may be a batch of 1 000
WAITING_CALLS = 1_000
FRAMES_PER_SECOND = 2_000.0
FRAMES_AT_ONCE = 10_000.0
SEND_SECONDS = 10.0
BEHIND = 1013


async def switch_application(scope: dict[str, Any], receive: Receive, send: Send) -> None:
    """Serve one socket from its handshake to its end."""
    admitted = await admit(scope, receive, send, action="numbers.event", find=POOLS.get)
    if admitted is not None:
        principal, pool = admitted
        await SwitchSocket(pool, principal, receive, send).run()


class SwitchSocket(ServedSocket):
    """An accepted socket that may send events to one pool."""

    def __init__(self, pool: PoolRef, principal: Principal, receive: Receive, send: Send) -> None:
        super().__init__(principal, send)
        self._pool = pool
        self._told = TextFrames(
            receive,
            limit_bytes=BODY_LIMIT_BYTES,
            per_second=FRAMES_PER_SECOND,
            at_once=FRAMES_AT_ONCE,
        )
        self._frames: asyncio.Queue[str] = asyncio.Queue(ANSWERS_QUEUED)
        self._answers: asyncio.Queue[bytes] = asyncio.Queue(ANSWERS_QUEUED)
        self._waiting: set[asyncio.Task[None]] = set()
        self._switches = pushes.names_of(principal)

    async def run(self) -> None:
        """Read, process and answer frames until either side closes or the permission is lost."""
        with self.watching():
            async with pushes.listening(self._pool, self._switches, self._push):
                try:
                    await self.serve(self._read(), self._work(), self._write())
                finally:
                    await cancel(self._waiting)
        await self.say_goodbye()

    # -- in ---------------------------------------------------------------------------------

    async def _read(self) -> None:
        while (told := await self._told.next()) is not None:
            if isinstance(told, int):
                self.close(told)
                return
            await self._frames.put(told)

    # -- what they ask ------------------------------------------------------------------------

    async def _work(self) -> None:
        while True:
            texts = [await self._frames.get()]
            while not self._frames.empty():
                texts.append(self._frames.get_nowait())
            for answer in await self._answer(texts):
                await self._answers.put(answer)

    async def _answer(self, texts: list[str]) -> list[bytes]:
        """Return the answers of several frames, in order. Their events share pipelines."""
        pool = await POOLS.get(self._pool.slug) or self._pool
        taken = [frames.read(text) for text in texts]
        for frame in taken:
            self._note_switches(frame)
        later = [frame for frame in taken if isinstance(frame, frames.Waiting)]
        for frame in later:
            self._wait(pool, frame)
        with tracing.commands("numbers.event", len(taken) - len(later)):
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
        with tracing.commands("numbers.event", 1):
            answer = await frames.answer_waiting(pool, self._principal, frame)
        await self._answers.put(answer)

    def _note_switches(self, frame: frames.Frame) -> None:
        """Note the switches that a frame names, to push them the calls that must end."""
        self._switches.update(frames.switches_of(frame))

    # -- out ------------------------------------------------------------------------------------

    def _push(self, text: bytes) -> None:
        try:
            self._answers.put_nowait(text)
        except asyncio.QueueFull:
            self.close(BEHIND)  # so that no push about a call that must end is lost silently

    async def _write(self) -> None:
        while True:
            text = (await self._answers.get()).decode()
            try:
                async with asyncio.timeout(SEND_SECONDS):
                    await self._send({"type": "websocket.send", "text": text})
            except TimeoutError:
                self.close(BEHIND)
                return


websocket_urlpatterns = [
    socket(r"^ws/pools/(?P<slug>[a-z0-9-]{1,40})/events/$", switch_application),
]
