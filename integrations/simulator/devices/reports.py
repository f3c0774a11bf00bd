"""Reports over kept connections: thousands of devices in one process, so each costs little."""

import asyncio
import json
from collections import deque
from collections.abc import Sequence
from typing import Any
from urllib.parse import quote, urlsplit

from integrations.simulator.kept import Connections

TIMEOUT_SECONDS = 10.0
FAULTS = (OSError, EOFError, TimeoutError, ValueError)  # no answer, or none that can be read


class Reports:
    """Posts the reports of one gate's devices over HTTP/1.1.

    `urls`: web processes that are as good as each other; after a fault the next one is asked.
    """

    def __init__(self, urls: Sequence[str], gate: str, token: str) -> None:
        places = [urlsplit(url) for url in urls]
        self._servers = deque(
            Connections(place.hostname or "127.0.0.1", place.port or 80) for place in places
        )
        self._query = f"?gate={quote(gate)}" if gate else ""
        self._head = (
            f"Host: {places[0].netloc}\r\nAuthorization: Bearer {token}\r\n"
            "Content-Type: application/json\r\n"
        )

    async def post(self, device: str, body: dict[str, Any]) -> tuple[int, Any]:
        """Return status and body. Raises one of FAULTS when there is no answer."""
        content = json.dumps(body)
        path = f"/api/v1/devices/{quote(device)}/report{self._query}"
        size = f"Content-Length: {len(content)}\r\n\r\n"
        request = f"POST {path} HTTP/1.1\r\n{self._head}{size}{content}".encode()
        server = self._servers[0]
        try:
            async with asyncio.timeout(TIMEOUT_SECONDS):
                answer = await server.ask(request)
        except BaseException:
            self._leave(server)
            raise
        return answer.status, json.loads(answer.body)

    def _leave(self, server: Connections) -> None:
        """Go on to the next web process, unless another report has done so."""
        if server is self._servers[0]:
            self._servers.rotate(-1)
        server.close()

    def close(self) -> None:
        """Close what is kept."""
        for server in self._servers:
            server.close()
