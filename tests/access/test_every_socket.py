"""Every websocket of the application, as every kind of reader, from our pages and from others."""

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest
from channels.testing import WebsocketCommunicator

from poolsite.runtime.redis_server import RedisServer
from tests.access.answers import expected_of
from tests.access.socket_rules import RULES
from tests.access.world import READERS, World, make_world
from tests.support.waiting import patient

STAYS_SECONDS = 0.3  # how long a socket must stay open after others were closed
OWN_PAGE = b"http://localhost"


@pytest.fixture
def committed(transactional_db: None, clean_redis: RedisServer) -> World:
    """The world, committed: sockets look people up in other threads."""
    return make_world()


@pytest.fixture
def keys(committed: World) -> dict[str, str]:
    """A session key for each reader."""
    return {
        reader: str(committed.client(reader).session.session_key) if reader != "nobody" else ""
        for reader in READERS
    }


def routes() -> dict[str, Any]:
    """Return the websocket routes, without the last one, which answers for all others."""
    from poolsite.asgi import sockets

    return {str(route.pattern): route for route in sockets if str(route.pattern)}


def communicator(path: str, *, session: str = "", origin: bytes = OWN_PAGE) -> Any:
    from poolsite.asgi import application

    headers = [(b"host", b"localhost")]
    if origin:
        headers.append((b"origin", origin))
    if session:
        headers.append((b"cookie", f"session={session}".encode()))
    return WebsocketCommunicator(application, path, headers=headers)


async def opened(socket: Any) -> bool:
    accepted, _code = await socket.connect(timeout=patient(5))
    return bool(accepted)


async def closing(socket: Any) -> str:
    """Return the code with which the server closes the socket."""
    while (message := await socket.output_queue.get())["type"] != "websocket.close":
        pass
    return str(message["code"])


async def answers(sockets: Mapping[str, Any], *, stay: set[str]) -> dict[str, str]:
    """Return for each reader's socket `open`, `refused`, or the server's close code.

    stay: readers whose sockets should stay open. The closing of all others is waited for.
    """
    accepted = await asyncio.gather(*map(opened, sockets.values()))
    tasks = {
        reader: asyncio.create_task(closing(socket))
        for (reader, socket), there in zip(sockets.items(), accepted, strict=True)
        if there
    }
    if others := [task for reader, task in tasks.items() if reader not in stay]:
        await asyncio.wait(others, timeout=patient(10))
    if tasks:
        await asyncio.wait(tasks.values(), timeout=STAYS_SECONDS)
    got = dict.fromkeys(sockets, "refused")
    for reader, task in tasks.items():
        got[reader] = task.result() if task.done() else "open"
        task.cancel()
        await sockets[reader].disconnect()
    return got


def path_of(pattern: str, world: World) -> str:
    path = RULES[pattern].path
    return path(world) if callable(path) else path


def test_every_socket_has_a_rule_and_every_rule_a_socket() -> None:
    assert set(routes()) == set(RULES)


@pytest.mark.parametrize("pattern", sorted(RULES))
async def test_each_reader_gets_the_declared_answer(
    pattern: str, committed: World, keys: dict[str, str]
) -> None:
    path = await asyncio.to_thread(path_of, pattern, committed)
    expected = {reader: expected_of(RULES[pattern].answers, reader) for reader in READERS}
    sockets = {reader: communicator(path, session=session) for reader, session in keys.items()}
    stay = {reader for reader, answer in expected.items() if answer == "open"}
    assert await answers(sockets, stay=stay) == expected


@pytest.mark.parametrize("pattern", sorted(RULES))
@pytest.mark.parametrize("origin", [b"", b"null", b"https://evil.example", b"http://localhost:1"])
async def test_a_browser_from_another_page_is_refused(
    pattern: str, origin: bytes, committed: World, keys: dict[str, str]
) -> None:
    path = await asyncio.to_thread(path_of, pattern, committed)
    assert not await opened(communicator(path, session=keys["operate"], origin=origin))


async def test_a_socket_that_does_not_exist_is_closed_as_hidden(
    committed: World, keys: dict[str, str]
) -> None:
    socket = communicator("/ws/nothing/", session=keys["operate"])
    assert await answers({"operate": socket}, stay=set()) == {"operate": "4404"}
