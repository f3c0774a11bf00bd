"""Threads that read SQL for an event loop, a few at a time.

Django closes a connection after each call from a loop. PostgreSQL's come from the process's pool,
so that costs little; SQLite's are made anew, which costs more than most reads (1 ms and more).
These threads keep theirs for a moment.
"""

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from django.db.backends.signals import connection_created

KEPT_SECONDS = 10.0  # a file that was put in the place of the old one is seen within it

_here = threading.local()


def sql_threads(count: int, name: str) -> ThreadPoolExecutor:
    """Return an executor of `count` threads for `database_sync_to_async(…, executor=…)`."""
    return ThreadPoolExecutor(count, thread_name_prefix=name, initializer=_mark)


def _mark() -> None:
    _here.keeps = True


def _keep(connection: Any, **_: Any) -> None:
    if connection.vendor == "sqlite" and getattr(_here, "keeps", False):
        connection.close_at = time.monotonic() + KEPT_SECONDS


connection_created.connect(_keep, dispatch_uid="poolsite.sql_threads")
