"""A worker goes on whatever its broker does: no error of a connection ends it."""

import random
import time
from typing import Any

import structlog
from celery.worker.consumer import Consumer

LOG = structlog.get_logger(__name__)
LONGEST_PAUSE_SECONDS = 2.0
HEARTBEAT_SECONDS = 1.0  # with each the worker says that it is there: poolsite/jobs/presence.py


class LastingConsumer(Consumer):
    """Celery's, but every error is one after which it connects anew.

    Celery goes on after the errors that the transport names, and ends the worker after any other:
    a Redis without memory (OutOfMemoryError), and kombu's own AttributeError, when it gives back
    what the lost connection had fetched by that very connection (about every second kill of Redis).
    What was fetched and not done comes again: jobs by `jobs.resume`, sweeps with their next tick.
    """

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options, heartbeat_interval=HEARTBEAT_SECONDS)
        self.connection_errors = (Exception,)

    def on_connection_error_after_connected(self, exc: Exception) -> None:
        """Let go of the connection; what fails by that is logged, for the connection is gone."""
        LOG.warning("worker.connects_anew", error=f"{type(exc).__name__}: {exc}"[:300])
        try:
            super().on_connection_error_after_connected(exc)
        except Exception as error:
            LOG.warning("worker.not_let_go", error=f"{type(error).__name__}: {error}"[:300])
        # Redis that refuses at once would be asked in a loop, by all workers in the same moment.
        time.sleep(random.uniform(0.2, LONGEST_PAUSE_SECONDS))  # noqa: S311
