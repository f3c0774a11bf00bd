"""What a peer sends over a socket: text, in frames of so many bytes, and not too many a second."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, Final

Receive = Callable[[], Awaitable[dict[str, Any]]]

NOT_TEXT: Final = 1003
TOO_BIG: Final = 1009
TOO_MANY: Final = 4429


class Allowance:
    """So many at once, so many a second after that. Made and used in one event loop."""

    def __init__(self, per_second: float, at_once: float) -> None:
        self._per_second, self._at_once = per_second, at_once
        self._left = at_once
        self._loop = asyncio.get_running_loop()
        self._counted_at = self._loop.time()

    def take(self) -> bool:
        """Whether one more is within it."""
        now = self._loop.time()
        earned = (now - self._counted_at) * self._per_second
        self._counted_at = now
        self._left = min(self._at_once, self._left + earned) - 1.0
        return self._left >= 0


class TextFrames:
    """The frames of one socket, taken from the server one by one."""

    def __init__(
        self, receive: Receive, *, limit_bytes: int, per_second: float, at_once: float
    ) -> None:
        self._receive = receive
        self._limit_bytes = limit_bytes
        self._allowance = Allowance(per_second, at_once)

    async def next(self) -> str | int | None:
        """Return the next text; the code to close with for what is refused; None at the end."""
        message = await self._receive()
        if message["type"] == "websocket.disconnect":
            return None
        text: str | None = message.get("text")
        if text is None:
            return NOT_TEXT
        if len(text) > self._limit_bytes or len(text.encode()) > self._limit_bytes:
            return TOO_BIG
        return text if self._allowance.take() else TOO_MANY


class BadFrame(ValueError):  # noqa: N818  what it is, said to the browser
    """The browser sent nonsense; the text says what."""


def address_of(frame: dict[str, Any]) -> str:
    """The topic that a frame names. BadFrame: it names none."""
    address = frame.get("topic")
    if not isinstance(address, str) or not address:
        raise BadFrame("topic is a text like numbers.pool:east")
    return address


def whole_of(frame: dict[str, Any], name: str) -> int:
    """A whole number in a frame. BadFrame: it is none."""
    value = frame.get(name)
    if not isinstance(value, int) or isinstance(value, bool):
        raise BadFrame(f"{name} is a whole number")
    return value
