"""Closing a socket with any code, on any server."""

from typing import Any

from poolsite.live.outbox import Send


async def close_socket(send: Send, code: int) -> None:
    """Send the close frame.

    daphne's protocol refuses to send the registered codes (1003, 1009, 1013 …) for an
    application, but has a method that sends them; its `send` is a partial that holds it.
    """
    if 1000 < code < 3000:
        for protocol in getattr(send, "args", ()):
            send_frame: Any = getattr(protocol, "sendCloseFrame", None)
            if send_frame is not None:
                send_frame(code=code)
                return
    await send({"type": "websocket.close", "code": code})
