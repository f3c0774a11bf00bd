"""The Celery application: workers and beat start with `celery -A poolsite`."""

import os
import signal
from typing import Any

import poolsite  # noqa: F401  first: see poolsite/__init__.py

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "poolsite.settings")

from celery import Celery, signals

from poolsite.jobs import acks, tracing
from poolsite.runtime import startup
from poolsite.runtime.parent import die_with_parent

startup.read_settings()
acks.install()
tracing.install()
app = Celery("poolsite")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


def refuse_unsafe_start(**_: Any) -> None:
    """Refuse to start a worker or beat with settings that the web process refuses."""
    startup.verify()


def end_with_the_worker(**_: Any) -> None:
    """Have a pool process end with its worker: its task is delivered again, so it must not
    continue.
    """
    die_with_parent(signal.SIGKILL)


def start_without_connections(**_: Any) -> None:
    """Close the connections of queries at the worker's start, so that no forked child inherits
    them.
    """
    from django.db import connections

    for connection in connections.all(initialized_only=True):
        connection.close()
        close_pool = getattr(connection, "close_pool", None)  # only PostgreSQL's has one
        if close_pool is not None:
            close_pool()


def keep_connections(**_: Any) -> None:
    """Let a pool process keep its SQLite connection over short tasks (CELERY_DB_REUSE_MAX)."""
    from poolsite import sql_connections

    sql_connections.keep_here()


def let_go_of_old_connections(task: Any, **_: Any) -> None:
    """Close old SQL connections before and after a task.

    Celery itself closes all of them, and PostgreSQL's whole pool, around each task: that took 10
    ms.
    """
    from django.db import close_old_connections

    if not task.request.is_eager:
        close_old_connections()


signals.worker_init.connect(refuse_unsafe_start)
signals.worker_init.connect(start_without_connections)
signals.worker_process_init.connect(keep_connections)
signals.task_prerun.connect(let_go_of_old_connections)
signals.task_postrun.connect(let_go_of_old_connections)
signals.beat_init.connect(refuse_unsafe_start)
signals.worker_process_init.connect(end_with_the_worker)
