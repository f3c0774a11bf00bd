"""A connection to FreeSWITCH's Event Socket: login, subscription, commands, events."""

import asyncio
import contextlib
from collections import deque
from collections.abc import Callable, Mapping
from typing import TypeVar

from .esl import Frame, Framer, ProtocolError, event_of

READ_BYTES = 64 * 1024
Event = Mapping[str, str]
T = TypeVar("T")
_REPLIES = frozenset({"command/reply", "api/response"})
_REFUSED = "text/rude-rejection"


class Lost(Exception):  # noqa: N818  expected; the daemon connects again
    """The connection has ended or could not be established."""


class Refused(Lost):
    """FreeSWITCH refuses the login, because of the password or its access list."""


class Connection:
    """One connection. Commands are answered in order; each event is passed to `on_event` at once.

    `on_event` runs in the reading task and must not block. So events don't queue here, and
    FreeSWITCH, which drops a listener that is 100,000 events behind, never has to drop this one.
    """

    def __init__(self, on_event: Callable[[Event], None], *, timeout_seconds: float) -> None:
        self._on_event = on_event
        self._timeout_seconds = timeout_seconds
        self._waiting: deque[asyncio.Future[Frame]] = deque()
        self._greeted: asyncio.Future[None] | None = None
        self._reader: asyncio.StreamReader | None = None
        self._writer: asyncio.StreamWriter | None = None
        self._task: asyncio.Task[None] | None = None

    async def open(self, host: str, port: int, password: str) -> None:
        """Connect and log in. Raise Lost if that fails, Refused if FreeSWITCH rejects the login."""
        try:
            async with asyncio.timeout(self._timeout_seconds):
                self._reader, self._writer = await asyncio.open_connection(host, port)
        except (OSError, TimeoutError) as error:
            raise Lost(f"no connection to {host}:{port}: {_told(error)}") from None
        self._greeted = asyncio.get_running_loop().create_future()
        self._task = asyncio.create_task(self._read(self._reader))
        await self._within(self._greeted)
        if not (await self.command(f"auth {password}")).startswith("+OK"):
            raise Refused("FreeSWITCH refused the password")

    async def close(self) -> None:
        """Close the connection."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        self._fail(Lost("closed"))
        if self._writer is not None:
            self._writer.close()
            with contextlib.suppress(OSError):
                await self._writer.wait_closed()

    async def command(self, text: str) -> str:
        """Send a command and return its reply text. Raise Lost if the connection ends."""
        return (await self._ask(text)).headers.get("Reply-Text", "")

    async def api(self, text: str) -> str:
        """Run an API command and return its output. Raise Lost if the connection ends."""
        return (await self._ask(f"api {text}")).text

    async def closed(self) -> None:
        """Wait until the connection has ended, then raise Lost. This never returns."""
        if self._task is None:
            raise Lost("not connected")
        await asyncio.shield(self._task)

    async def _ask(self, text: str) -> Frame:
        line = _one_line(text)
        if self._writer is None or self._task is None or self._task.done():
            raise Lost("not connected")
        reply: asyncio.Future[Frame] = asyncio.get_running_loop().create_future()
        self._waiting.append(reply)
        try:
            self._writer.write(f"{line}\n\n".encode())
            await self._writer.drain()
        except OSError as error:
            raise Lost(_told(error)) from None
        return await self._within(reply)

    async def _within(self, future: "asyncio.Future[T]") -> T:
        """Return the future's result. Close the connection and raise Lost if it takes too long.

        The connection is closed because a late reply would be taken for the reply to the next
        command.
        """
        try:
            async with asyncio.timeout(self._timeout_seconds):
                return await future
        except TimeoutError:
            self._cut()
            raise Lost(f"FreeSWITCH gave no reply in {self._timeout_seconds:g} s") from None

    def _cut(self) -> None:
        if self._writer is not None:
            self._writer.transport.abort()

    async def _read(self, reader: asyncio.StreamReader) -> None:
        """Read until the end, then fail all commands that wait for a reply."""
        framer = Framer()
        lost: Lost
        try:
            while data := await reader.read(READ_BYTES):
                for frame in framer.feed(data):
                    self._take(frame)
            lost = Lost("closed" if framer.is_between_frames else "closed in the middle of a frame")
        except Lost as error:
            lost = error
        except (OSError, ProtocolError) as error:
            lost = Lost(_told(error))
        finally:
            self._cut()
        self._fail(lost)
        raise lost

    def _fail(self, lost: Lost) -> None:
        for future in (self._greeted, *self._waiting):
            if future is not None and not future.done():
                future.set_exception(lost)
        self._waiting.clear()

    def _take(self, frame: Frame) -> None:
        if frame.content_type in _REPLIES:
            if not self._waiting:
                raise ProtocolError("a reply that nobody asked for")
            waiting = self._waiting.popleft()
            if not waiting.done():
                waiting.set_result(frame)
        elif frame.content_type == "auth/request":
            if self._greeted is not None and not self._greeted.done():
                self._greeted.set_result(None)
        elif frame.content_type == _REFUSED:
            raise Refused(f"FreeSWITCH refused the connection: {frame.text.strip()[:200]}")
        elif frame.content_type == "text/disconnect-notice":
            raise Lost("FreeSWITCH says good-bye")
        elif (event := event_of(frame)) is not None:
            self._on_event(event)


def _one_line(text: str) -> str:
    """Return the command. Raise ValueError for a line break, which would begin a second command."""
    if any(character in text for character in "\r\n\0"):
        raise ValueError("a line break in a command")
    return text


def _told(error: BaseException) -> str:
    return str(error) or type(error).__name__
