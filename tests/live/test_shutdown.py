"""A web process that is asked to end: it closes one socket after another, and still serves."""

import asyncio
import signal
from collections.abc import Callable, Iterator
from contextlib import AsyncExitStack

import httpx
import pytest
from starlette.types import Message, Receive, Scope, Send
from websockets.exceptions import InvalidStatus

from poolsite.api import shutdown
from tests.live.servers import Client, Site, WebServer
from tests.support.parts import starts_processes
from tests.support.waiting import eventually, patient

SITE = "poolsite.asgi:application"
SLOW = "tests.live.draining_app:application"


@pytest.fixture
@starts_processes
def start(live_site: Site) -> Iterator[Callable[[str], WebServer]]:
    """A function that starts a server process for this test only."""
    servers: list[WebServer] = []

    def started(application: str) -> WebServer:
        environment = {"POOLSITE_DRAIN_SECONDS": "7200"}
        servers.append(WebServer(live_site, "uvicorn", application, environment=environment))
        return servers[-1].start()

    yield started
    for server in servers:
        server.stop()


def tell_to_end(web: WebServer) -> None:
    assert web.process is not None
    web.process.send_signal(signal.SIGTERM)


async def ends(web: WebServer) -> int:
    """Wait until the process has ended. Return its exit status."""
    process = web.process
    assert process is not None
    return await asyncio.to_thread(process.wait, patient(20))


async def test_every_socket_is_told_and_the_process_ends_by_itself(
    start: Callable[[str], WebServer],
) -> None:
    web = start(SITE)
    async with AsyncExitStack() as stack:
        clients = [await stack.enter_async_context(web.client()) for _ in range(20)]
        tell_to_end(web)
        codes = await asyncio.gather(*(client.closed() for client in clients))
    assert codes == [1012] * 20
    assert await ends(web) == -signal.SIGTERM
    assert "Traceback" not in web.log.read_text()


async def test_while_it_drains_the_others_stay_and_requests_are_served(
    start: Callable[[str], WebServer],
) -> None:
    web = start(SLOW)
    address = f"http://127.0.0.1:{web.port}"
    async with (
        web.client() as one,
        web.client() as two,
        httpx.AsyncClient(timeout=patient(10)) as http,
    ):
        for client in (one, two):
            await client.subscribe("test.nothing")
        tell_to_end(web)
        gone, left = await first_gone(one, two)
        await left.send(op="unsubscribe", topic="test.nothing")
        assert (await left.subscribe("test.nothing"))["op"] == "refused"
        assert (await http.get(f"{address}/healthz")).status_code == 200
        assert (await http.get(f"{address}/login/")).status_code == 200
        ready = await http.get(f"{address}/readyz")
        assert (ready.status_code, ready.json()) == (503, {"status": "shutting down"})
        with pytest.raises(InvalidStatus) as refused:
            async with web.client():
                pass
        assert refused.value.response.status_code == 503
        assert refused.value.response.headers["Retry-After"] == "1"
        tell_to_end(web)  # a second signal: end at once
        assert await left.closed() == 1012
        assert await gone.closed() == 1012
    assert await ends(web) == -signal.SIGTERM
    assert "Traceback" not in web.log.read_text()


async def first_gone(one: Client, two: Client) -> tuple[Client, Client]:
    """Return the client that the server closed first, and the other client."""
    ends = {asyncio.create_task(client.closed(60)): client for client in (one, two)}
    done, waiting = await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
    for task in waiting:
        task.cancel()
    await asyncio.gather(*waiting, return_exceptions=True)
    return ends[done.pop()], ends[waiting.pop()]


async def test_a_process_without_sockets_ends_at_once(start: Callable[[str], WebServer]) -> None:
    web = start(SLOW)
    async with web.client() as client:
        await client.subscribe("test.nothing")
    await eventually(lambda: web.serves())
    tell_to_end(web)
    assert await ends(web) == -signal.SIGTERM


async def test_nothing_waits_after_the_last_socket(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutdown, "LONGEST_PAUSE_SECONDS", 3600.0)
    drain, sent, gone = shutdown.Drain(), list[Message](), asyncio.Event()

    async def accept(_scope: Scope, _receive: Receive, send: Send) -> None:
        await send({"type": "websocket.accept"})
        await gone.wait()

    async def send(message: Message) -> None:
        sent.append(message)

    async def receive() -> Message:
        return {"type": "websocket.connect"}

    serving = asyncio.create_task(drain.sockets(accept)({"type": "websocket"}, receive, send))
    await eventually(lambda: sent)
    async with asyncio.timeout(patient(20)):
        await drain.run()
    assert [message["type"] for message in sent] == ["websocket.accept", "websocket.close"]
    gone.set()
    await serving


@pytest.mark.parametrize(
    ("sockets", "most_seconds", "pause"),
    [(0, 30.0, 0.02), (2, 30.0, 0.02), (1_500, 30.0, 0.02), (3_000, 30.0, 0.01), (9, 0.0, 0.0)],
)
def test_many_sockets_share_the_time_and_few_do_not_need_it(
    sockets: int, most_seconds: float, pause: float
) -> None:
    assert shutdown.pause_seconds(sockets, most_seconds) == pytest.approx(pause)
