"""The platform's websocket, which reports at once which calls must end.

The answer to the next live list repeats what was missed while the socket was closed.
"""

import asyncio
import json
import logging
from collections.abc import Callable

from websockets.asyncio.client import connect
from websockets.exceptions import WebSocketException

from .retrying import pause_seconds
from .settings import Settings

logger = logging.getLogger(__name__)

LONGEST_PAUSE_SECONDS = 30.0
FRAME_LIMIT_BYTES = 1 << 20
_LOST = (OSError, EOFError, WebSocketException)


async def listen(settings: Settings, on_hang_up: Callable[[str], None]) -> None:
    """Keep a socket open and call `on_hang_up` with the ID of each call that must end."""
    failures = 0
    while True:
        try:
            async with connect(
                settings.pushes_url,
                additional_headers={"Authorization": f"Bearer {settings.token}"},
                compression=None,
                max_size=FRAME_LIMIT_BYTES,
            ) as socket:
                async for frame in socket:
                    failures = 0
                    if call_id := _hang_up_of(frame):
                        on_hang_up(call_id)
            reason = f"{socket.close_code} {socket.close_reason or ''}".strip()
        except _LOST as error:
            reason = f"{type(error).__name__} {error}".strip()
        logger.info("the socket for hang-ups ended: %s", reason)
        await asyncio.sleep(pause_seconds(failures, LONGEST_PAUSE_SECONDS))
        failures += 1


def _hang_up_of(frame: str | bytes) -> str:
    """Return the call ID of a `hang up` push, or "" for every other frame."""
    try:
        read = json.loads(frame)
    except ValueError:
        return ""
    if not isinstance(read, dict) or read.get("push") != "hang up":
        return ""
    call_id = read.get("call_id")
    return call_id if isinstance(call_id, str) else ""
