"""Which pools there are, as the hot lane knows them: asked of SQL, remembered for a second.

While SQL is away the last answer stays good: calls go on, and what changed meanwhile was not
changed by anybody, since changes go through SQL.
"""

import asyncio
import logging
import time
from collections import OrderedDict
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from weakref import WeakKeyDictionary

from channels.db import database_sync_to_async
from django.db import Error as DatabaseError

from numbers.models import Pool

logger = logging.getLogger(__name__)

FRESH_SECONDS = 1.0
MISSING_SECONDS = 1.0
ENTRIES_LIMIT = 10_000

# Bounded: a flood of requests for pools that do not exist leaves SQL to the others.
_EXECUTOR = ThreadPoolExecutor(2, thread_name_prefix="pools")


@dataclass(frozen=True, slots=True)
class PoolRef:
    """What the hot lane needs of a pool; access knows it as a thing of its tenant."""

    id: int
    slug: str
    account_id: int | None
    lease_seconds: int
    near: bool
    charged: bool

    access_kind = "pool"

    @property
    def tag(self) -> str:
        """Its Redis tag."""
        return "{" + self.slug + "}"

    @property
    def access_ref(self) -> str:
        """How tokens and grants name it."""
        return f"pool:{self.slug}"


@dataclass(slots=True)
class _Entry:
    pool: PoolRef | None
    asked_at: float


def _load(slug: str) -> PoolRef | None:
    row = (
        Pool.objects.filter(slug=slug)
        .values_list("pk", "slug", "account_id", "lease_seconds", "near", "charged")
        .first()
    )
    return None if row is None else PoolRef(*row)


_load_in_thread = database_sync_to_async(_load, thread_sensitive=False, executor=_EXECUTOR)


class Directory:
    """Slug → PoolRef, for one event loop."""

    def __init__(self) -> None:
        self._entries: OrderedDict[str, _Entry] = OrderedDict()
        self._asking: dict[str, asyncio.Task[_Entry]] = {}

    async def get(self, slug: str) -> PoolRef | None:
        """The pool, at most a second old while SQL answers; None = there is none.

        Raises Django's database error when SQL is away and the pool was never seen.
        """
        entry = self._entries.get(slug)
        now = time.monotonic()
        if entry is None:
            entry = await asyncio.shield(self._ask(slug))
        elif now - entry.asked_at > (FRESH_SECONDS if entry.pool else MISSING_SECONDS):
            if entry.pool is None:
                entry = await asyncio.shield(self._ask(slug))
            elif slug not in self._asking:
                entry.asked_at = now  # serve what is known; the answer comes beside
                self._ask(slug).add_done_callback(_note)
        return entry.pool

    def _ask(self, slug: str) -> asyncio.Task[_Entry]:
        task = self._asking.get(slug)
        if task is None:
            task = asyncio.get_running_loop().create_task(self._fetch(slug))
            self._asking[slug] = task
            task.add_done_callback(lambda _: self._asking.pop(slug, None))
        return task

    async def _fetch(self, slug: str) -> _Entry:
        entry = _Entry(await _load_in_thread(slug), time.monotonic())
        self._entries[slug] = entry
        self._entries.move_to_end(slug)
        while len(self._entries) > ENTRIES_LIMIT:
            self._entries.popitem(last=False)
        return entry


def _note(task: asyncio.Task[_Entry]) -> None:
    if not task.cancelled() and isinstance(task.exception(), DatabaseError):
        logger.warning("numbers: the pools' settings cannot be read from SQL")


_directories: WeakKeyDictionary[asyncio.AbstractEventLoop, Directory] = WeakKeyDictionary()


def directory() -> Directory:
    """The running loop's."""
    loop = asyncio.get_running_loop()
    found = _directories.get(loop)
    if found is None:
        found = _directories[loop] = Directory()
    return found
