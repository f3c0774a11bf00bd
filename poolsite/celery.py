"""The Celery application: workers and beat start with `celery -A poolsite`."""

import os
import signal
from typing import Any

import poolsite  # noqa: F401  first: see poolsite/__init__.py

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "poolsite.settings")

from celery import Celery, signals

from poolsite.runtime.parent import die_with_parent

app = Celery("poolsite")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


def refuse_unsafe_start(**_: Any) -> None:
    """Worker and beat refuse what the web process refuses."""
    from poolsite.runtime import startup

    startup.verify()


def end_with_the_worker(**_: Any) -> None:
    """A pool process whose worker was killed must not go on with its task: it is given again."""
    die_with_parent(signal.SIGKILL)


signals.worker_init.connect(refuse_unsafe_start)
signals.beat_init.connect(refuse_unsafe_start)
signals.worker_process_init.connect(end_with_the_worker)
