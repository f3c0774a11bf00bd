"""The Celery application. Workers and beat are started with `celery -A poolsite`."""

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
    """Apply the web process's start checks to workers and beat."""
    startup.verify()


def end_with_the_worker(**_: Any) -> None:
    """Kill a pool process when its worker dies: its task is assigned to another worker."""
    die_with_parent(signal.SIGKILL)


def start_without_connections(**_: Any) -> None:
    """Close the worker's SQL connections before it forks, so that no child inherits one."""
    from django.db import connections

    for connection in connections.all(initialized_only=True):
        connection.close()
        close_pool = getattr(connection, "close_pool", None)  # PostgreSQL only
        if close_pool is not None:
            close_pool()


def keep_connections(**_: Any) -> None:
    """Keep a pool process's SQLite connection over short tasks (CELERY_DB_REUSE_MAX)."""
    from poolsite import sql_connections

    sql_connections.keep_here()


def let_go_of_old_connections(task: Any, **_: Any) -> None:
    """Close only old connections around a task.

    Celery itself would close all of them, and PostgreSQL's whole pool, around each task, which took
    10 ms.
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
