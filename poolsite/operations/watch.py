"""Keeps the incidents of the platform's health; each web process does it where workers do not.

A worker's sweep keeps them as a rule. When no worker or no scheduler runs, the web processes do,
and they send the notices: who is to be told that workers are dead cannot wait for a worker.
"""

import random
import threading
from collections.abc import Collection, Mapping
from contextlib import suppress
from typing import Final

import structlog
from django.db import close_old_connections
from django.db.models import Q
from redis.exceptions import RedisError

from poolsite import hotpath, sql_connections, timers
from poolsite.operations import attention, clock, health, incidents, notices
from poolsite.operations.models import Incident

LOG = structlog.get_logger(__name__)
PERIOD_SECONDS = 2.0
# A process that is started anew, or a machine that hesitates, is nobody's incident.
SETTLED_SECONDS = 5.0
SEEN_KEY: Final = "health:seen"  # a hash: type and object of a trouble → when it was first seen
SEEN_KEPT_SECONDS = 60  # without anybody who judges, what was seen is old
WORKERS_PART = ("workers", "beat", "redis")  # while these are in order, workers keep incidents


def keep(judged: health.Health) -> int:
    """Open an incident for each trouble that has lasted, close those of what is over.

    Returns how many are open. Any number of processes may do so: a row is opened once.
    """
    troubles = judged.incidents()
    of_health = Q(type__startswith=attention.HEALTH_TYPES) | Q(type=clock.INCIDENT[0])
    known = {(row.type, row.object): row for row in Incident.objects.filter(of_health, until=None)}
    lasted = _lasted_seconds(judged, troubles)
    kept = 0
    for trouble in troubles:
        key = (trouble.type, trouble.object)
        if known.pop(key, None) is None and lasted[key] < SETTLED_SECONDS:
            continue
        kept += 1
        incidents.open(
            type=trouble.type,
            object=trouble.object,
            severity=trouble.severity,
            title=trouble.title_text,
            detail=trouble.detail_text,
            remedy=trouble.remedy_text,
            url=trouble.url,
            params=trouble.params,
        )
    for kind, name in known:
        incidents.close(type=kind, object=name)
    return kept


def _lasted_seconds(
    judged: health.Health, troubles: Collection[Incident]
) -> Mapping[tuple[str, str], float]:
    """How long each trouble has lasted, by type and object.

    The processes that judge take turns, so they tell each other in Redis what they have seen:
    otherwise the more workers run, the later an incident is opened. Without Redis a process knows
    what it has seen itself.
    """
    own = {(row.type, row.object): (judged.at - row.since).total_seconds() for row in troubles}
    try:
        now = hotpath.default().now()
        seen = _seen(now, {":".join(key) for key in own})
    except (RedisError, hotpath.HotPathError):
        return own
    return {key: now - seen[":".join(key)] for key in own}


def _seen(now: float, names: Collection[str]) -> Mapping[str, float]:
    """When each of these was first seen, by the one clock; what is not among them is over."""
    redis = hotpath.client()
    seen = {name: float(at) for name, at in redis.hgetall(SEEN_KEY).items()}
    fresh = {name: now for name in names if name not in seen}
    with redis.pipeline(transaction=False) as pipe:
        if over := seen.keys() - set(names):
            pipe.hdel(SEEN_KEY, *over)
        for name in fresh:
            pipe.hsetnx(SEEN_KEY, name, str(now))
        if names:
            pipe.expire(SEEN_KEY, SEEN_KEPT_SECONDS)
        pipe.execute()
    return seen | fresh


class Watch:
    """One round of a web process' watch after the other."""

    def __init__(self) -> None:
        self._alone = False

    def round(self) -> None:
        """Say that a web process lives, and judge and do the workers' part if there are none."""
        with suppress(RedisError, hotpath.HotPathError):  # the judgement tells
            hotpath.client().set(timers.WEB_KEY, "1", ex=timers.WEB_KEPT_SECONDS)
            timers.here.note(hotpath.default().now())
        if not self._alone and not health.in_trouble(*WORKERS_PART):
            return
        judged = health.read()
        alone = any(judged.of(name).trouble for name in WORKERS_PART)
        if judged.of("sql").trouble is None and (alone or self._alone):
            keep(judged)
            if alone:
                notices.send_due()
            self._alone = alone


def run() -> None:
    """Watch for ever; a round that fails is logged, the next one goes on."""
    sql_connections.keep_here()
    watch = Watch()
    pause = threading.Event()
    while True:
        try:
            watch.round()
        except Exception as error:
            LOG.warning("health.watch_failed", error=str(error))
        finally:
            close_old_connections()
        pause.wait(PERIOD_SECONDS * random.uniform(0.9, 1.1))  # noqa: S311  spreads processes


def start() -> None:
    """Watch in a thread of this process, which ends with it; called once, by poolsite.asgi."""
    threading.Thread(target=run, name="watch", daemon=True).start()
