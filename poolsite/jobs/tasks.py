"""The Celery tasks of jobs (run_task.py) and sweeps."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

import structlog
from celery import shared_task
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext_lazy
from redis.exceptions import RedisError

from poolsite import hotpath
from poolsite.jobs import run_task, starting, sweeping  # noqa: F401  Celery finds its task here
from poolsite.jobs.descriptions import SweepDescription
from poolsite.jobs.registry import sweep, sweeps

LOG = structlog.get_logger(__name__)


@shared_task(name="jobs.shard", ignore_result=True)
def run_shard(name: str, shard: int) -> None:
    """Run one shard of a sweep, unless another worker runs it."""
    with _redis_may_be_away(name):
        sweeping.run_shard(name, shard)


@shared_task(name="jobs.light", ignore_result=True)
def run_light(names: list[str]) -> None:
    """Run light sweeps one after another, each under its own lease."""
    for name in names:
        with _redis_may_be_away(name):
            sweeping.run_shard(name, 0)


def messages(names: Iterable[str]) -> list[list[str]]:
    """Group due sweeps into messages: the light ones of a queue share one message."""
    alone, together = [], defaultdict[str, list[str]](list)
    for name in names:
        if sweeps()[name].light:
            together[sweeps()[name].queue].append(name)
        else:
            alone.append([name])
    return [*alone, *together.values()]


def send(names: Sequence[str]) -> None:
    """Send one of the `messages`. Raise kombu's errors."""
    if len(names) == 1:
        send_shards(names[0])
        return
    expires = min(sweeping.expiry_seconds(name) for name in names)
    queue = sweeps()[names[0]].queue
    run_light.apply_async((list(names),), queue=queue, expires=expires, retry=False)


def send_shards(name: str) -> int:
    """Send the shards of a sweep to its queue. Return how many. Raise kombu's errors.

    Each expires when a later tick has replaced it.
    """
    sweep = sweeps()[name]
    for shard in range(sweep.shards):
        run_shard.apply_async(
            (name, shard),
            queue=sweep.queue,
            expires=sweeping.expiry_seconds(name),
            retry=False,
        )
    return sweep.shards


@contextmanager
def _redis_may_be_away(name: str) -> Iterator[None]:
    """Log that Redis is away. The next tick runs the sweep again."""
    try:
        yield
    except (RedisError, hotpath.HotPathError) as error:
        LOG.warning("sweep.not_run", sweep=name, error=str(error))


def resume(shard: int, shards: int) -> dict[str, int]:
    """Send jobs without a responding worker to a worker again."""
    return starting.resume_stale()


sweep(
    "jobs.resume",
    resume,
    every_seconds=10,
    description=SweepDescription(
        _("Stalled jobs"),
        _("Restarts imports and campaigns whose worker stopped."),
        {"sent": ngettext_lazy("%(n)s job restarted", "%(n)s jobs restarted", "n")},
    ),
)
