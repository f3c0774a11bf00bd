"""Reads SQL for topics in a few threads, so that a slow database never delays the sockets."""

from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

from channels.db import database_sync_to_async

from poolsite.sql_connections import sql_threads

P = ParamSpec("P")
T = TypeVar("T")

THREADS = 4
_EXECUTOR = sql_threads(THREADS, "live-sql")


async def in_thread(read: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Return the result of a synchronous selector. At most 4 run at once in a process."""
    call: Any = database_sync_to_async(read, thread_sensitive=False, executor=_EXECUTOR)
    result: T = await call(*args, **kwargs)
    return result
