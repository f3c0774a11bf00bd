"""The workers' queues: who consumes each, and how many runs expired before a worker took them."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from celery.signals import task_revoked
from redis.exceptions import RedisError

from poolsite import hotpath
from poolsite.jobs import presence
from poolsite.jobs.registry import QUEUES

EXPIRED_KEY = "jobs:expired:"  # HASH minute since 1970 → runs that expired in it
KEPT_SECONDS = 2 * 3_600
RECENT_MINUTES, HOUR_MINUTES = 5, 60


@dataclass(frozen=True)
class QueueState:
    """A queue, the names of the living workers that consume it, and the counts of expired runs.

    A run expires if no worker has started it by the time the next tick replaces it.
    """

    name: str
    workers: tuple[str, ...]
    expired_recently: int
    expired_last_hour: int


def queues() -> list[QueueState]:
    """Return every queue, with a handful of commands. Raise RedisError or Unavailable."""
    minute = int(hotpath.default().now() // 60)
    alive = [worker for worker in presence.workers() if worker.alive]
    return [
        QueueState(
            queue,
            tuple(worker.name for worker in alive if queue in worker.queues),
            *(_expired(queue, minute, (RECENT_MINUTES, HOUR_MINUTES))),
        )
        for queue in QUEUES
    ]


def _expired(queue: str, minute: int, spans: Sequence[int]) -> tuple[int, ...]:
    counts: dict[str, str] = hotpath.client().hgetall(EXPIRED_KEY + queue)
    ages = [(minute - int(at), int(count)) for at, count in counts.items()]
    return tuple(sum(count for age, count in ages if age < span) for span in spans)


def connect() -> None:
    """Connect to Celery's signal, which occurs only in a worker.

    Called once in AppConfig.ready().
    """
    task_revoked.connect(_count)


def _count(request: Any = None, expired: bool = False, **_: Any) -> None:
    if not expired:
        return
    info = getattr(request, "delivery_info", None) or {}
    count_expired(str(info.get("routing_key") or ""))


def count_expired(queue: str) -> None:
    """Count a run that expired. It is not counted if Redis is away."""
    if queue not in QUEUES:
        return
    key = EXPIRED_KEY + queue
    with suppress(RedisError, hotpath.HotPathError):
        client = hotpath.client()
        client.hincrby(key, str(int(hotpath.default().now() // 60)), 1)
        client.expire(key, KEPT_SECONDS)
