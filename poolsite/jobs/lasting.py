"""Keeps a worker running whatever its broker does: no connection error ends it."""

import random
import time
from typing import Any

import structlog
from celery.worker.consumer import Consumer

LOG = structlog.get_logger(__name__)
LONGEST_PAUSE_SECONDS = 2.0
HEARTBEAT_SECONDS = 1.0  # each one reports the worker's presence: poolsite/jobs/presence.py


class LastingConsumer(Consumer):
    """Celery's consumer, but after every kind of error it connects again.

    Celery continues after the errors that the transport names, and ends the worker after any other.
    Such errors are a Redis without memory (OutOfMemoryError), and kombu's own AttributeError when
    it returns fetched tasks over the connection that was lost (about every second kill of Redis).
    Tasks that were fetched but not done come again: jobs by `jobs.resume`, sweeps with their next
    tick.
    """

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options, heartbeat_interval=HEARTBEAT_SECONDS)
        self.connection_errors = (Exception,)

    def on_connection_error_after_connected(self, exc: Exception) -> None:
        """Drop the connection.

        Errors of that are only logged, because the connection is gone anyway.
        """
        LOG.warning("worker.connects_anew", error=f"{type(exc).__name__}: {exc}"[:300])
        try:
            super().on_connection_error_after_connected(exc)
        except Exception as error:
            LOG.warning("worker.not_let_go", error=f"{type(error).__name__}: {error}"[:300])
        # Without a pause, all workers would call a Redis that refuses at once in a loop, in step.
        time.sleep(random.uniform(0.2, LONGEST_PAUSE_SECONDS))  # noqa: S311
