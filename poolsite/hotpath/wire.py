"""One multiplexed connection to one node, for one event loop.

Commands of all tasks share it: what they send within one turn of the loop goes out in one write,
and replies are returned in order (measured against redis-py in docs/decisions/0003). A cancelled
caller costs nothing: its reply is read and dropped. Nothing is ever repeated here.
"""

import asyncio
import select
import socket
from collections import deque
from typing import Any, cast

import hiredis

from poolsite.hotpath.planner import Words
from poolsite.hotpath.promotion import Guard
from poolsite.hotpath.replies import Failure, Lost, NotSent, error_reply

_NOTHING = object()  # hiredis' sign for "no whole reply yet": None and False are replies


class _Exchange:
    """Commands that went out together, and the replies so far."""

    __slots__ = ("count", "deadline", "future", "replies", "sent")

    def __init__(self, count: int, future: asyncio.Future[list[Any]], deadline: float) -> None:
        self.count = count
        self.replies: list[Any] = []
        self.future = future
        self.deadline = deadline
        self.sent = False

    def end(self, failure: Failure) -> None:
        if not self.future.done():
            missing = self.count - len(self.replies)
            self.future.set_result(self.replies + [failure] * missing)


class Wire(asyncio.Protocol):
    """The protocol of one connection. Once connected, any task of the loop may call `send`."""

    def __init__(self, timeout_seconds: float) -> None:
        self.loop = asyncio.get_running_loop()
        self.timeout_seconds = timeout_seconds
        self.transport: asyncio.Transport | None = None
        self.guard = Guard()
        self._reader = hiredis.Reader(
            replyError=cast(Any, error_reply),
            encoding="utf-8",
            errors="replace",
            notEnoughData=_NOTHING,
        )
        self._pending: deque[_Exchange] = deque()
        self._outgoing: list[bytes] = []
        self._unsent: list[_Exchange] = []
        self._timer: asyncio.TimerHandle | None = None
        self._poll = select.poll()
        self._was_open = False
        self._ended: asyncio.Future[None] = self.loop.create_future()

    def send(self, commands: list[Words]) -> asyncio.Future[list[Any]]:
        """Send commands in one piece. The future's list holds a reply or a Failure for each."""
        packed = [hiredis.pack_command(cast(Any, words)) for words in commands]
        future: asyncio.Future[list[Any]] = self.loop.create_future()
        exchange = _Exchange(len(commands), future, self.loop.time() + self.timeout_seconds)
        if self.transport is None or not commands:
            exchange.end(NotSent("the connection is closed"))
            return future
        if not self._unsent:
            self.loop.call_soon(self._flush)
        self._outgoing += packed
        self._unsent.append(exchange)
        self._pending.append(exchange)
        return future

    def _flush(self) -> None:
        outgoing, self._outgoing = self._outgoing, []
        unsent, self._unsent = self._unsent, []
        if self.transport is None:
            return
        if self._pending[0] is unsent[0] and self._has_ended():
            self._end("the server closed the idle connection")
            return
        for exchange in unsent:
            exchange.sent = True
        if self._timer is None and unsent:
            self._timer = self.loop.call_at(unsent[0].deadline, self._check_deadline)
        self.transport.write(b"".join(outgoing))

    def _has_ended(self) -> bool:
        """Return whether the server closed an idle connection before the loop noticed.

        No reply is awaited, so anything to read is the end of the stream. What is sent now could
        never be answered, and "not sent" is a better answer than "unknown outcome".
        """
        return bool(self._poll.poll(0))

    def _check_deadline(self) -> None:
        self._timer = None
        if not self._pending:
            return
        oldest = self._pending[0]
        if oldest.deadline <= self.loop.time():
            self._end(f"no reply within {self.timeout_seconds:g} s")
        else:
            self._timer = self.loop.call_at(oldest.deadline, self._check_deadline)

    async def aclose(self) -> None:
        """Close at once and return when the socket is closed. Callers that still wait get a
        failure.
        """
        if self.transport is not None:
            self._end("the connection was closed")
        if self._was_open:
            await asyncio.wait([self._ended], timeout=1.0)

    def _end(self, reason: str) -> None:
        transport, self.transport = self.transport, None
        if transport is not None:
            transport.abort()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        pending, self._pending = self._pending, deque()
        for exchange in pending:
            exchange.end(Lost(reason) if exchange.sent else NotSent(reason))

    # -- asyncio.Protocol -------------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)
        self._was_open = True
        raw = transport.get_extra_info("socket")
        if transport.get_extra_info("ssl_object") is None:  # TLS sends tickets of its own accord
            self._poll.register(raw.fileno(), select.POLLIN)
        if raw.family != socket.AF_UNIX:
            raw.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)

    def data_received(self, data: bytes) -> None:
        reader, pending = self._reader, self._pending
        try:
            reader.feed(data)
            while (reply := reader.gets()) is not _NOTHING:
                exchange = pending[0]
                exchange.replies.append(reply)
                if len(exchange.replies) == exchange.count:
                    pending.popleft()
                    if not exchange.future.done():
                        exchange.future.set_result(exchange.replies)
        except (hiredis.HiredisError, IndexError) as error:
            self._end(f"the server's reply breaks the protocol: {error!r}")

    def connection_lost(self, exc: Exception | None) -> None:
        self._end(f"the connection broke: {exc or 'closed by the server'}")
        if not self._ended.done():
            self._ended.set_result(None)
