"""Every websocket of the application, as every kind of reader, from our page and others."""

import asyncio
from typing import Any

import pytest
from channels.routing import URLRouter
from channels.testing import WebsocketCommunicator

from poolsite.runtime.redis_server import RedisServer
from tests.access.answers import expected_of
from tests.access.socket_rules import RULES
from tests.access.world import READERS, World, make_world

STAYS_SECONDS = 0.3
OWN_PAGE = b"http://localhost"


@pytest.fixture
def committed(transactional_db: None, clean_redis: RedisServer) -> World:
    """The world, committed: sockets look people up in threads of their own."""
    return make_world()


@pytest.fixture
def keys(committed: World) -> dict[str, str]:
    """A session key for each reader."""
    return {
        reader: str(committed.client(reader).session.session_key) if reader != "nobody" else ""
        for reader in READERS
    }


def routes() -> dict[str, Any]:
    """The websocket routes, without the last one that answers for all others."""
    from poolsite.asgi import application

    sockets: Any = application.application_mapping["websocket"]
    assert isinstance(sockets, URLRouter)
    return {str(route.pattern): route for route in sockets.routes if str(route.pattern)}


def communicator(path: str, *, session: str = "", origin: bytes = OWN_PAGE) -> Any:
    from poolsite.asgi import application

    headers = [(b"host", b"localhost")]
    if origin:
        headers.append((b"origin", origin))
    if session:
        headers.append((b"cookie", f"session={session}".encode()))
    return WebsocketCommunicator(application, path, headers=headers)


async def answer(socket: Any) -> str:
    """`open`, `refused`, or the code by which the server closes."""
    accepted, _code = await socket.connect(timeout=5)
    if not accepted:
        return "refused"
    try:
        async with asyncio.timeout(STAYS_SECONDS):
            while True:
                message = await socket.output_queue.get()
                if message["type"] == "websocket.close":
                    return str(message["code"])
    except TimeoutError:
        return "open"
    finally:
        await socket.disconnect()


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
    got = {
        reader: await answer(communicator(path, session=session))
        for reader, session in keys.items()
    }
    assert got == {reader: expected_of(RULES[pattern].answers, reader) for reader in READERS}


@pytest.mark.parametrize("pattern", sorted(RULES))
@pytest.mark.parametrize("origin", [b"", b"null", b"https://evil.example", b"http://localhost:1"])
async def test_a_browser_from_another_page_is_refused(
    pattern: str, origin: bytes, committed: World, keys: dict[str, str]
) -> None:
    path = await asyncio.to_thread(path_of, pattern, committed)
    assert await answer(communicator(path, session=keys["operate"], origin=origin)) == "refused"


async def test_a_socket_that_does_not_exist_is_closed_as_hidden(
    committed: World, keys: dict[str, str]
) -> None:
    assert await answer(communicator("/ws/nothing/", session=keys["operate"])) == "4404"
