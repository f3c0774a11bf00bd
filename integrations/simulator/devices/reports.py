"""Reports over reused connections: cheap enough for thousands of devices in one process."""

import asyncio
import json
from collections import deque
from collections.abc import Sequence
from typing import Any
from urllib.parse import quote, urlsplit

from integrations.simulator.kept import Connections

TIMEOUT_SECONDS = 10.0
FAULTS = (OSError, EOFError, TimeoutError, ValueError)  # no answer, or an unreadable one


class Reports:
    """Posts the reports of one gate's devices over HTTP/1.1.

    `urls` are equivalent web processes. After a fault, the next one is used.
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
        """Return status and body. Raise one of FAULTS if there is no answer."""
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
        """Switch to the next web process, unless another report has already done so."""
        if server is self._servers[0]:
            self._servers.rotate(-1)
        server.close()

    def close(self) -> None:
        """Close the stored connections."""
        for server in self._servers:
            server.close()
