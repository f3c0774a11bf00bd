"""httpx over kept connections: one connection for many requests, and the same errors as httpx'."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx
import pytest

from integrations.simulator.kept import KeptTransport
from tests.support.ports import free_port


class Server:
    """Answers each request with the next of `answers`: b"" hangs up, None does not answer."""

    def __init__(self, *answers: bytes | None) -> None:
        self.answers = list(answers)
        self.connections = 0
        self.heads: list[bytes] = []

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        try:
            while self.answers:
                self.heads.append(await reader.readuntil(b"\r\n\r\n"))
                answer = self.answers.pop(0)
                if answer is None:
                    await reader.read()
                if not answer:
                    return
                writer.write(answer)
        except asyncio.IncompleteReadError:
            pass
        finally:
            writer.close()


@asynccontextmanager
async def client_of(server: Server, **options: float) -> AsyncIterator[httpx.AsyncClient]:
    listening = await asyncio.start_server(server.serve, "127.0.0.1", 0)
    url = f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}"
    async with (
        listening,
        httpx.AsyncClient(base_url=url, transport=KeptTransport(), **options) as http,
    ):
        yield http


def answer(body: bytes, more: bytes = b"") -> bytes:
    return b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n%b\r\n%b" % (len(body), more, body)


async def test_many_requests_go_by_one_connection() -> None:
    server = Server(*[answer(b'{"a": 1}')] * 3, b"HTTP/1.1 204 No Content\r\n\r\n")
    async with client_of(server) as http:
        for _ in range(3):
            told = await http.get("/x?y=%20z", headers={"Authorization": "Bearer t"})
            assert (told.status_code, told.json()) == (200, {"a": 1})
        assert (await http.get("/x")).status_code == 204
    assert server.connections == 1
    assert server.heads[0].startswith(b"GET /x?y=%20z HTTP/1.1\r\n")
    assert b"\r\nAuthorization: Bearer t\r\n" in server.heads[0]


async def test_a_connection_that_the_server_ends_is_not_used_again() -> None:
    server = Server(answer(b"{}", b"Connection: close\r\n"), answer(b"{}"))
    async with client_of(server) as http:
        for _ in range(2):
            assert (await http.get("/x")).status_code == 200
    assert server.connections == 2


@pytest.mark.parametrize(
    ("said", "error"),
    [
        (b"", httpx.RemoteProtocolError),
        (b"HTTP/1.1 200 OK\r\n\r\n", httpx.RemoteProtocolError),
        (b"nonsense\r\n\r\n", httpx.RemoteProtocolError),
        (None, httpx.ReadTimeout),
    ],
)
async def test_faults_are_those_of_httpx(said: bytes | None, error: type[Exception]) -> None:
    server = Server(said, answer(b"{}"))
    async with client_of(server, timeout=0.2) as http:
        with pytest.raises(error):
            await http.get("/x")
        if said is not None:
            assert (await http.get("/x")).status_code == 200  # by a new connection


async def test_a_server_that_is_gone_is_a_connect_error() -> None:
    url = f"http://127.0.0.1:{free_port()}"
    async with httpx.AsyncClient(base_url=url, transport=KeptTransport()) as http:
        with pytest.raises(httpx.ConnectError):
            await http.post("/x", json={})
        with pytest.raises(httpx.UnsupportedProtocol):
            await http.get("http://elsewhere.example.org/")
