"""The request of a visitor's page for its visit's state, over HTTP as the page's script does."""

import asyncio
from typing import Any

import orjson


async def standing(port: int, visit: str, token: str) -> dict[str, Any]:
    """Ask the web process at this port. Return what the API reports about the visit."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        writer.write(
            f"GET /api/v1/visits/{visit} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n"
            f"Authorization: Bearer {token}\r\nConnection: close\r\n\r\n".encode()
        )
        head, _, body = (await reader.read(-1)).partition(b"\r\n\r\n")
        if b" 200 " not in head[:20]:
            raise RuntimeError(head.decode(errors="replace"))
        found: dict[str, Any] = orjson.loads(body)
        return found
    finally:
        writer.close()
