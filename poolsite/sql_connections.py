"""How long SQL connections live outside of requests: in readers' threads and in workers.

Django closes a connection after each call from an event loop, Celery after each task. SQLite's
connections would then be opened again, which costs more than most reads (1 ms and more); with this
module they live for a moment. PostgreSQL's connections return to the process's pool.
"""

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from django.db.backends.signals import connection_created

KEPT_SECONDS = 10.0  # a replaced database file is noticed within this time

_here = threading.local()


def sql_threads(count: int, name: str) -> ThreadPoolExecutor:
    """Return an executor of `count` threads for `database_sync_to_async(…, executor=…)`."""
    return ThreadPoolExecutor(count, thread_name_prefix=name, initializer=keep_here)


def keep_here() -> None:
    """Keep this thread's new SQLite connections open for a moment.

    Otherwise `close_old_connections`, which is called after each piece of work, would close them.
    """
    _here.keeps = True


def _keep(connection: Any, **_: Any) -> None:
    if connection.vendor == "sqlite" and getattr(_here, "keeps", False):
        connection.close_at = time.monotonic() + KEPT_SECONDS


connection_created.connect(_keep, dispatch_uid="poolsite.sql_connections")
