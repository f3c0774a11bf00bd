"""Lets a web process that is told to stop close its websockets one after another.

uvicorn closes them all in one moment, and every browser of the process reads its views from the
remaining processes in the same second. So the first SIGTERM begins a drain: new handshakes are
refused, open sockets are closed with 1012 (service restart) at an even pace, and requests are
served as before. Then the server does what it would have done at once. A second SIGTERM, or SIGINT,
ends it without waiting. See docs/operations/upgrade.md.
"""

import asyncio
import random
import signal
import threading
from collections.abc import Callable
from functools import partial
from types import FrameType
from typing import Any

from django.conf import settings
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from poolsite.api.guard import refuse_socket
from poolsite.live.closing import Around, say_goodbye

GOING_AWAY, TRY_LATER = 1012, 1013
LONGEST_PAUSE_SECONDS = 0.02  # a process with few sockets need not take its time

Handler = Callable[[int, FrameType | None], Any]


class GoneError(OSError):
    """A send to a socket that the drain has closed. For an application, the peer has gone."""


class _Open:
    """A socket that is not closed yet."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self.is_accepted = False
        self._is_closed = False

    async def send(self, message: Message) -> None:
        if self._is_closed:
            raise GoneError("the process is shutting down")
        await self._send(message)
        self.is_accepted = self.is_accepted or message["type"] == "websocket.accept"

    async def close(self) -> None:
        self._is_closed = True
        await say_goodbye(self._send, GOING_AWAY)


class Drain:
    """The open websockets of this process, and how they are closed."""

    def __init__(self) -> None:
        self._open: set[_Open] = set()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._task: asyncio.Task[None] | None = None
        self.has_begun = False

    def sockets(self, application: ASGIApp) -> ASGIApp:
        """Wrap the websocket application. Refuse sockets with 503 once the drain has begun."""

        async def serve(scope: Scope, receive: Receive, send: Send) -> None:
            if self.has_begun:
                await receive()
                answer = PlainTextResponse("shutting down\n", 503, {"Retry-After": "1"})
                await refuse_socket(scope, receive, send, answer, TRY_LATER)
                return
            self._install()
            socket = _Open(send)
            self._open.add(socket)
            try:
                await application(scope, receive, Around(send, socket.send))
            finally:
                self._open.discard(socket)

        return serve

    async def run(self) -> None:
        """Close the open sockets, in no order, within POOLSITE_DRAIN_SECONDS."""
        left = [socket for socket in self._open if socket.is_accepted]
        random.shuffle(left)
        pause = pause_seconds(len(left), settings.DRAIN_SECONDS)
        async with asyncio.TaskGroup() as closing:  # a peer that reads nothing delays no other
            while left:
                socket = left.pop()
                if socket not in self._open:
                    continue  # the peer has left meanwhile
                closing.create_task(socket.close())
                if left:
                    await asyncio.sleep(pause)

    def _install(self) -> None:
        """Put the drain before the server's handler of SIGTERM.

        This happens with the first socket: uvicorn sets its handler after it has imported the
        application.
        """
        if self._loop is not None or threading.current_thread() is not threading.main_thread():
            return
        self._loop = asyncio.get_running_loop()
        stop = signal.getsignal(signal.SIGTERM)
        if callable(stop):
            signal.signal(signal.SIGTERM, partial(self._on_signal, self._loop, stop))

    def _on_signal(
        self, loop: asyncio.AbstractEventLoop, stop: Handler, number: int, frame: FrameType | None
    ) -> None:
        if self.has_begun or not self._open:
            stop(number, frame)
        else:
            loop.call_soon_threadsafe(self._start, stop, number)
        self.has_begun = True

    def _start(self, stop: Handler, number: int) -> None:
        self._task = asyncio.get_running_loop().create_task(self.run())
        self._task.add_done_callback(lambda _task: stop(number, None))


def pause_seconds(sockets: int, most_seconds: float) -> float:
    """Return the seconds between two closes, so that all of them take up to `most_seconds`."""
    return min(LONGEST_PAUSE_SECONDS, most_seconds / max(sockets, 1))


drain = Drain()
