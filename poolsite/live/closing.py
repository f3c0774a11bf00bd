"""Closes a socket with any code, on any server."""

import asyncio
from collections.abc import Awaitable
from typing import Any

from poolsite.live.outbox import Send

REASON_BYTES = 123
GOODBYE_SECONDS = 2.0


class Around:
    """A `send` that wraps another, through which `close_socket` still finds daphne's protocol."""

    def __init__(self, send: Send, first: Send) -> None:
        self.args: tuple[object, ...] = getattr(send, "args", ())
        self._first = first

    def __call__(self, message: Any) -> Awaitable[None]:
        return self._first(message)


async def close_socket(send: Send, code: int, reason: str = "") -> None:
    """Send the close frame. The reason is cut to the 123 bytes that fit in a close frame: for a
    longer one uvicorn sends no frame at all, and the peer gets neither code nor reason.

    daphne's protocol refuses to send the registered codes (1003, 1009, 1013 …) for an application,
    and drops every reason. But it has a method that sends both, and its `send` is a partial that
    holds the protocol.
    """
    text = reason.encode()[:REASON_BYTES].decode(errors="ignore")
    if reason or 1000 < code < 3000:
        for protocol in getattr(send, "args", ()):
            send_frame: Any = getattr(protocol, "sendCloseFrame", None)
            if send_frame is not None:
                send_frame(code=code, reasonUtf8=text.encode() or None)
                return
    await send({"type": "websocket.close", "code": code, "reason": text})


async def say_goodbye(send: Send, code: int, reason: str = "") -> None:
    """Send the final close frame. Don't wait for a peer that has gone or reads nothing."""
    try:
        async with asyncio.timeout(GOODBYE_SECONDS):
            await close_socket(send, code, reason)
    except Exception as failure:
        if not is_disconnect(failure):
            raise


def is_disconnect(failure: BaseException) -> bool:
    """Return whether a server's send failed because the peer has gone (uvicorn:
    ClientDisconnected).
    """
    return isinstance(failure, OSError | TimeoutError) or "after sending" in str(failure)
