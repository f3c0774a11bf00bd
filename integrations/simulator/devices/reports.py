"""Reports over kept connections: thousands of devices in one process, so each costs little."""

import asyncio
import contextlib
import json
from collections import deque
from collections.abc import Sequence
from typing import Any
from urllib.parse import quote, urlsplit

CONNECTIONS = 64
TIMEOUT_SECONDS = 10.0
FAULTS = (OSError, EOFError, TimeoutError, ValueError)  # no answer, or none that can be read
Connection = tuple[asyncio.StreamReader, asyncio.StreamWriter]


class Reports:
    """Posts the reports of one gate's devices over HTTP/1.1.

    `urls`: web processes that are as good as each other; after a fault the next one is asked.
    """

    def __init__(self, urls: Sequence[str], gate: str, token: str) -> None:
        places = [urlsplit(url) for url in urls]
        self._places = deque((place.hostname or "127.0.0.1", place.port or 80) for place in places)
        self._query = f"?gate={quote(gate)}" if gate else ""
        self._head = (
            f"Host: {places[0].netloc}\r\nAuthorization: Bearer {token}\r\n"
            "Content-Type: application/json\r\n"
        )
        self._room = asyncio.Semaphore(CONNECTIONS)
        self._idle: list[Connection] = []

    async def post(self, device: str, body: dict[str, Any]) -> tuple[int, Any]:
        """Return status and body. Raises one of FAULTS when there is no answer."""
        content = json.dumps(body)
        path = f"/api/v1/devices/{quote(device)}/report{self._query}"
        size = f"Content-Length: {len(content)}\r\n\r\n"
        request = f"POST {path} HTTP/1.1\r\n{self._head}{size}{content}".encode()
        async with self._room, asyncio.timeout(TIMEOUT_SECONDS):
            place = self._places[0]
            try:
                reader, writer = await self._connection(place)
                status, kept, answer = await _exchange(reader, writer, request)
            except BaseException:
                self._leave(place)
                raise
            if kept and place == self._places[0]:
                self._idle.append((reader, writer))
            else:
                writer.close()
        return status, json.loads(answer)

    async def _connection(self, place: tuple[str, int]) -> Connection:
        return self._idle.pop() if self._idle else await asyncio.open_connection(*place)

    def _leave(self, place: tuple[str, int]) -> None:
        """Go on to the next web process, unless another report has done so."""
        if place == self._places[0]:
            self._places.rotate(-1)
            self.close()

    def close(self) -> None:
        """Close what is kept."""
        while self._idle:
            with contextlib.suppress(OSError):
                self._idle.pop()[1].close()


async def _exchange(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, request: bytes
) -> tuple[int, bool, bytes]:
    """Status, whether the connection may be kept, body."""
    try:
        writer.write(request)
        head = await reader.readuntil(b"\r\n\r\n")
        first, *lines = head.lower().split(b"\r\n")
        told = dict(line.split(b": ", 1) for line in lines if b": " in line)
        body = await reader.readexactly(int(told.get(b"content-length", b"none")))
    except BaseException:
        writer.close()
        raise
    return int(first.split()[1]), told.get(b"connection") != b"close", body
