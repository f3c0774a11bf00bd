"""Which workers are running. Each reports with every heartbeat, in one hash, by Redis' clock."""

import time
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from celery import current_app
from celery.signals import heartbeat_sent, worker_shutdown
from redis.exceptions import RedisError

from poolsite import hotpath

KEY = "workers:heard"
SAY_EVERY_SECONDS = 0.8  # less than the heartbeat's: poolsite/jobs/lasting.py
SILENT_SECONDS = 3.0
FORGET_SECONDS = 3_600.0


@dataclass(frozen=True)
class Worker:
    """A worker's name, how long ago it was heard, and the queues that it consumes."""

    name: str
    age_seconds: float
    queues: tuple[str, ...] = ()

    @property
    def alive(self) -> bool:
        """Whether the worker was heard within SILENT_SECONDS."""
        return self.age_seconds < SILENT_SECONDS


class _Voice:
    said_at = 0.0

    def say(self, sender: Any = None, **_: Any) -> None:
        now = time.monotonic()
        if now - self.said_at < SAY_EVERY_SECONDS:
            return
        self.said_at = now
        name = str(getattr(getattr(sender, "eventer", None), "hostname", "") or "worker")
        with suppress(RedisError, hotpath.HotPathError):  # a missing report is noticed
            consumed = ",".join(sorted(current_app.amqp.queues.consume_from))
            hotpath.client().hset(KEY, name, f"{hotpath.default().now()} {consumed}")

    def stop(self, sender: Any = None, **_: Any) -> None:
        """Remove the worker, because one that ended on purpose must not look silent."""
        with suppress(RedisError):
            hotpath.client().hdel(KEY, str(getattr(sender, "hostname", "")))


_VOICE = _Voice()


def connect() -> None:
    """Connect to Celery's signals, which occur only in a worker.

    Called once in AppConfig.ready().
    """
    heartbeat_sent.connect(_VOICE.say)
    worker_shutdown.connect(_VOICE.stop)


def workers() -> list[Worker]:
    """Return every worker heard within an hour, those that no longer respond last."""
    now = hotpath.default().now()
    rows: dict[str, str] = hotpath.client().hgetall(KEY)
    found = [_worker(name, said, now) for name, said in rows.items()]
    gone = [worker.name for worker in found if worker.age_seconds > FORGET_SECONDS]
    if gone:
        hotpath.client().hdel(KEY, *gone)
    return sorted(
        (worker for worker in found if worker.name not in gone),
        key=lambda worker: (not worker.alive, worker.name),
    )


def _worker(name: str, said: str, now: float) -> Worker:
    heard, _space, queues = said.partition(" ")
    return Worker(name, max(now - float(heard), 0.0), tuple(queues.split(",")))
