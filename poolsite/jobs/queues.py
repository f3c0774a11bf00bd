"""The queues of the workers: who consumes each, and which runs came too late to be done."""

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
    """A queue, the names of the living workers that consume it, and the runs that expired: a tick
    that no worker had come to when the next one replaced it.
    """

    name: str
    workers: tuple[str, ...]
    expired_recently: int
    expired_last_hour: int


def queues() -> list[QueueState]:
    """Every queue, in a handful of commands; raises RedisError and Unavailable."""
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
    """Called once, by AppConfig.ready(); the signal only ever comes in a worker."""
    task_revoked.connect(_count)


def _count(request: Any = None, expired: bool = False, **_: Any) -> None:
    if not expired:
        return
    info = getattr(request, "delivery_info", None) or {}
    count_expired(str(info.get("routing_key") or ""))


def count_expired(queue: str) -> None:
    """Count a run that came too late; one that Redis does not take is not counted."""
    if queue not in QUEUES:
        return
    key = EXPIRED_KEY + queue
    with suppress(RedisError, hotpath.HotPathError):
        client = hotpath.client()
        client.hincrby(key, str(int(hotpath.default().now() // 60)), 1)
        client.expire(key, KEPT_SECONDS)
