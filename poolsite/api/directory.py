"""Objects that the hot lane finds by name: read from SQL, cached for a second.

While SQL is away the last answer stays valid: nothing can have changed meanwhile, since changes go
through SQL.
"""

import asyncio
import logging
import time
from collections import OrderedDict
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from functools import partial
from typing import Any, Generic, TypeVar

from channels.db import database_sync_to_async
from django.db import Error as DatabaseError

from poolsite.per_loop import PerLoop
from poolsite.sql_connections import sql_threads

logger = logging.getLogger(__name__)

T = TypeVar("T")
FRESH_SECONDS = 1.0
MISSING_SECONDS = 1.0
OLD_SECONDS = 30.0
PATIENCE_SECONDS = 1.0
ENTRIES_LIMIT = 10_000


@dataclass(slots=True)
class _Entry(Generic[T]):
    value: T | None
    asked_at: float


class Directory(Generic[T]):
    """Name → value, for one event loop. `load` reads from SQL, in a thread of its kind.

    The size is limited. A flood of requests for names that don't exist uses only this kind's
    threads.
    """

    def __init__(self, kind: "DirectoryKind[T]") -> None:
        self._kind = kind
        self._entries: OrderedDict[str, _Entry[T]] = OrderedDict()
        self._asking: dict[str, asyncio.Task[_Entry[T]]] = {}

    async def get(self, name: str) -> T | None:
        """Return the value, up to a second old while it is in use, or None if it does not exist.

        A value that was not used in the last 30 s is read again, unless SQL takes longer than a
        second.

        Raise Django's database error if SQL is away and the name was never read.
        """
        entry = self._entries.get(name)
        now = time.monotonic()
        if entry is None:
            entry = await asyncio.shield(self._ask(name))
        elif now - entry.asked_at > (FRESH_SECONDS if entry.value else MISSING_SECONDS):
            if entry.value is None:
                entry = await asyncio.shield(self._ask(name))
            elif now - entry.asked_at > OLD_SECONDS:
                entry = await self._anew(name, entry)
            elif name not in self._asking:
                entry.asked_at = now  # serve the cached value, read in the background
                self._ask(name).add_done_callback(self._note)
        return entry.value

    async def _anew(self, name: str, known: _Entry[T]) -> _Entry[T]:
        task = self._ask(name)
        task.add_done_callback(self._note)
        await asyncio.wait({task}, timeout=PATIENCE_SECONDS)
        read = task.done() and not task.cancelled() and task.exception() is None
        if read:
            return task.result()
        known.asked_at = time.monotonic()  # the next callers do not have to wait
        return known

    def _ask(self, name: str) -> asyncio.Task[_Entry[T]]:
        task = self._asking.get(name)
        if task is None:
            task = asyncio.get_running_loop().create_task(self._fetch(name))
            self._asking[name] = task
            task.add_done_callback(lambda _: self._asking.pop(name, None))
        return task

    async def _fetch(self, name: str) -> _Entry[T]:
        entry = _Entry(await self._kind.load(name), time.monotonic())
        self._entries[name] = entry
        self._entries.move_to_end(name)
        while len(self._entries) > ENTRIES_LIMIT:
            self._entries.popitem(last=False)
        return entry

    def _note(self, task: "asyncio.Task[_Entry[T]]") -> None:
        if not task.cancelled() and isinstance(task.exception(), DatabaseError):
            logger.warning("hot lane: %s cannot be read from SQL", self._kind.name)


class DirectoryKind(Generic[T]):
    """One kind of object that the hot lane finds by name. It has a directory in each event loop."""

    def __init__(self, name: str, load: Callable[[str], T | None], *, threads: int = 2) -> None:
        self.name = name
        executor = sql_threads(threads, name)
        self.load = database_sync_to_async(load, thread_sensitive=False, executor=executor)
        self._directories = PerLoop(partial(Directory[T], self))

    def directory(self) -> Directory[T]:
        """Return the running loop's directory."""
        return self._directories()

    def get(self, name: str) -> Coroutine[Any, Any, T | None]:
        """Like `Directory.get`, of the running loop's directory."""
        return self._directories().get(name)
