"""HTTP/1.1 over reused connections, at a fifth of the cost of httpx' own transport.

httpx checks all of its connections and their sockets for each request. Simulators send a hundred
requests per second to one server, whose answers are short and complete.
"""

import asyncio
import contextlib
from collections.abc import Mapping
from dataclasses import dataclass

import httpx

CONNECTIONS = 64
Connection = tuple[asyncio.StreamReader, asyncio.StreamWriter]
UNREADABLE = (EOFError, ValueError)  # what ends a connection in the middle of an answer


@dataclass(frozen=True, slots=True)
class KeptResponse:
    """A status, the headers by lower-case name, and the whole body."""

    status: int
    headers: Mapping[bytes, bytes]
    body: bytes


class Connections:
    """Connections to one server. Up to `most` requests run at once; idle connections are reused."""

    def __init__(self, host: str, port: int, most: int = CONNECTIONS) -> None:
        self.place = (host, port)
        self._room = asyncio.Semaphore(most)
        self._idle: list[Connection] = []

    async def ask(self, request: bytes) -> KeptResponse:
        """Send the raw bytes of a request and return its answer.

        Raise OSError, EOFError or ValueError if no usable answer arrives.

        A request whose answer does not arrive may have been carried out.
        """
        async with self._room:
            reader, writer = await self._connection()
            try:
                writer.write(request)
                answer = await _answer(reader)
            except BaseException:
                writer.close()
                raise
            if answer.headers.get(b"connection", b"").lower() == b"close":
                writer.close()
            else:
                self._idle.append((reader, writer))
        return answer

    async def _connection(self) -> Connection:
        """Return the most recently used connection, or a new one. Superfluous ones time out."""
        while self._idle:
            reader, writer = self._idle.pop()
            if not reader.at_eof() and not writer.is_closing():
                return reader, writer
            writer.close()
        return await asyncio.open_connection(*self.place)

    def close(self) -> None:
        """Close the idle connections."""
        while self._idle:
            with contextlib.suppress(OSError):
                self._idle.pop()[1].close()


async def _answer(reader: asyncio.StreamReader) -> KeptResponse:
    head = await reader.readuntil(b"\r\n\r\n")
    first, *lines = head[:-4].split(b"\r\n")
    headers = {}
    for line in lines:
        name, _, value = line.partition(b":")
        headers[name.lower()] = value.strip()
    _, status, *_ = first.split(maxsplit=2)
    if status in (b"204", b"304"):
        return KeptResponse(int(status), headers, b"")
    size = int(headers.get(b"content-length", b"none"))
    return KeptResponse(int(status), headers, await reader.readexactly(size))


class KeptTransport(httpx.AsyncBaseTransport):
    """An httpx transport to one plain HTTP server. httpx itself handles redirects and cookies."""

    def __init__(self, most: int = CONNECTIONS) -> None:
        self._most = most
        self._connections: Connections | None = None

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send one request and return its answer. Raise httpx' errors."""
        connections = self._connections_to(request.url)
        seconds = request.extensions.get("timeout", {}).get("read")
        try:
            async with asyncio.timeout(seconds):
                answer = await connections.ask(_written(request))
        except TimeoutError as error:
            raise httpx.ReadTimeout(f"no answer in {seconds} s") from error
        except OSError as error:
            raise httpx.ConnectError(str(error)) from error
        except UNREADABLE as error:
            raise httpx.RemoteProtocolError(repr(error)) from error
        headers = list(answer.headers.items())
        return httpx.Response(answer.status, headers=headers, content=answer.body)

    def _connections_to(self, url: httpx.URL) -> Connections:
        if self._connections is None:
            self._connections = Connections(url.host, url.port or 80, self._most)
        if self._connections.place != (url.host, url.port or 80) or url.scheme != "http":
            raise httpx.UnsupportedProtocol(f"{url} is another server")
        return self._connections

    async def aclose(self) -> None:
        """Close the idle connections."""
        if self._connections is not None:
            self._connections.close()


def _written(request: httpx.Request) -> bytes:
    path = request.url.raw_path
    lines = [b"%b %b HTTP/1.1" % (request.method.encode(), path)]
    lines += [b"%b: %b" % header for header in request.headers.raw]
    return b"\r\n".join(lines) + b"\r\n\r\n" + request.content
