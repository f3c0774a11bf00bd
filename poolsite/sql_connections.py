"""How long SQL connections are kept by what serves no requests: readers' threads, and workers.

Django closes a connection after each call from an event loop, Celery after each task. SQLite's are
made anew then, which costs more than most reads (1 ms and more); here they live for a moment.
PostgreSQL's go back to the process's pool.
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
    return ThreadPoolExecutor(count, thread_name_prefix=name, initializer=keep_here)


def keep_here() -> None:
    """Keep the SQLite connections that this thread makes, though `close_old_connections` is called
    after each piece of work."""
    _here.keeps = True


def _keep(connection: Any, **_: Any) -> None:
    if connection.vendor == "sqlite" and getattr(_here, "keeps", False):
        connection.close_at = time.monotonic() + KEPT_SECONDS


connection_created.connect(_keep, dispatch_uid="poolsite.sql_connections")
