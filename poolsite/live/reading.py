"""Reads what a peer sends over a socket: text, limited in size and in frames per second."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, Final

Receive = Callable[[], Awaitable[dict[str, Any]]]

NOT_TEXT: Final = 1003
TOO_BIG: Final = 1009
TOO_MANY: Final = 4429


class Allowance:
    """A limit: `at_once` at first, then `per_second`. Created and used in one event loop."""

    def __init__(self, per_second: float, at_once: float) -> None:
        self._per_second, self._at_once = per_second, at_once
        self._left = at_once
        self._loop = asyncio.get_running_loop()
        self._counted_at = self._loop.time()

    def take(self) -> bool:
        """Take one unit. Return whether it is within the limit."""
        now = self._loop.time()
        earned = (now - self._counted_at) * self._per_second
        self._counted_at = now
        self._left = min(self._at_once, self._left + earned) - 1.0
        return self._left >= 0


class TextFrames:
    """The frames of one socket, read from the server one by one."""

    def __init__(
        self, receive: Receive, *, limit_bytes: int, per_second: float, at_once: float
    ) -> None:
        self._receive = receive
        self._limit_bytes = limit_bytes
        self._allowance = Allowance(per_second, at_once)

    async def next(self) -> str | int | None:
        """Return the next text, the close code if a frame is refused, or None at the end."""
        message = await self._receive()
        if message["type"] == "websocket.disconnect":
            return None
        text: str | None = message.get("text")
        if text is None:
            return NOT_TEXT
        if len(text) > self._limit_bytes or len(text.encode()) > self._limit_bytes:
            return TOO_BIG
        return text if self._allowance.take() else TOO_MANY


class BadFrame(ValueError):  # noqa: N818  the browser gets its text
    """The browser sent an invalid frame. The text describes the error."""


def address_of(frame: dict[str, Any]) -> str:
    """Return the topic that a frame names. Raise BadFrame if it names none."""
    address = frame.get("topic")
    if not isinstance(address, str) or not address:
        raise BadFrame("topic is a text like numbers.pool:east")
    return address


def whole_of(frame: dict[str, Any], name: str) -> int:
    """Return a whole number of a frame. Raise BadFrame if it is not one."""
    value = frame.get(name)
    if not isinstance(value, int) or isinstance(value, bool):
        raise BadFrame(f"{name} is a whole number")
    return value
