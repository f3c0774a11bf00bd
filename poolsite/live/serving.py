"""What the apps' websockets have in common: the handshake, and serving until one side ends."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine, Iterable
from contextlib import AbstractContextManager, closing
from typing import Any, TypeVar

from django.db import Error as DatabaseError
from redis.exceptions import RedisError

from poolsite import access, hotpath, tracing
from poolsite.access import Principal
from poolsite.live.closing import close_socket, is_disconnect, say_goodbye
from poolsite.live.outbox import Send
from poolsite.live.reading import Receive

logger = logging.getLogger(__name__)

FAULT, TRY_LATER = 1011, 1013
T = TypeVar("T")


async def admit(
    scope: dict[str, Any],
    receive: Receive,
    send: Send,
    *,
    action: str,
    find: Callable[[str], Awaitable[T | None]],
) -> tuple[Principal, T] | None:
    """Accept a socket for the object of its address. Return None if it is refused and closed.

    action: what the principal must be allowed to do. find: finds the object with the slug.
    """
    await receive()
    if not access.origin_allowed(scope):
        await send({"type": "websocket.close", "code": 4403})  # before accept: HTTP 403
        return None
    await send({"type": "websocket.accept"})
    try:
        with tracing.span(f"websocket {action}", "server", parent=tracing.context_of(scope)):
            principal = await access.principal_of_scope(scope)
            thing = await find(str(scope["url_route"]["kwargs"]["slug"]))
    except (RedisError, OSError, DatabaseError, hotpath.HotPathError):
        logger.warning("%s socket: rights cannot be read", action, exc_info=True)
        await close_socket(send, TRY_LATER)
        return None
    decision = access.decide_found(principal, action, thing)
    if not decision or thing is None:
        await close_socket(send, decision.socket_code)
        return None
    return principal, thing


class ServedSocket:
    """Base of an accepted socket that several coroutines serve, and that ends with its rights."""

    def __init__(self, principal: Principal, send: Send) -> None:
        self._principal = principal
        self._send = send
        self._loop = asyncio.get_running_loop()
        self._closing: asyncio.Future[int] = self._loop.create_future()

    def close(self, code: int) -> None:
        """Have the socket closed with this code."""
        if not self._closing.done():
            self._closing.set_result(code)

    def watching(self) -> "AbstractContextManager[access.Watch]":
        """Return a context in which a lost right closes the socket."""
        return closing(access.watch(self._principal, self.close))

    async def serve(self, *work: Coroutine[Any, Any, None]) -> None:
        """Serve until a coroutine ends or `close` is called, then cancel all of them."""
        tasks = [self._loop.create_task(each) for each in work]
        ends: list[asyncio.Future[Any]] = [*tasks, self._closing]
        try:
            await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
            self._report(tasks)
        finally:
            await cancel(tasks)

    async def say_goodbye(self) -> None:
        """Send the close code, unless the peer ended the connection."""
        if self._closing.done():
            await say_goodbye(self._send, self._closing.result())

    def _report(self, tasks: list[asyncio.Task[None]]) -> None:
        for task in tasks:
            failure = task.exception() if task.done() and not task.cancelled() else None
            if failure is not None and not is_disconnect(failure):
                logger.error("%s failed", type(self).__name__, exc_info=failure)
                self.close(FAULT)


async def cancel(tasks: Iterable[asyncio.Task[None]]) -> None:
    """Cancel the tasks, and wait until they have ended."""
    tasks = list(tasks)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
