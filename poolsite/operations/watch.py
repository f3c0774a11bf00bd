"""Keeps the incidents of the platform's health. Web processes do this while workers can't.

Normally a worker's sweep does it. When no worker or no scheduler runs, the web processes do it and
send the alerts: an alert about dead workers can't wait for a worker.
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
# A restarting process or a machine that pauses briefly must not open an incident.
SETTLED_SECONDS = 5.0
SEEN_KEY: Final = "health:seen"  # a hash: a trouble's type and object → when it was first seen
SEEN_KEPT_SECONDS = 60  # if no process judges for this long, the marks are outdated
WORKERS_PART = ("workers", "beat", "redis")  # while these are fine, workers keep incidents


def keep(judged: health.Health) -> int:
    """Open an incident for each trouble that has lasted, and close those of troubles that ended.

    Return how many are open. Any number of processes may run this: a row is opened once.
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
    """Return how long each trouble has lasted, by type and object.

    The processes that judge take turns, so they share in Redis what they have seen. Otherwise, the
    more workers run, the later an incident would open. Without Redis a process uses what it has
    seen itself.
    """
    own = {(row.type, row.object): (judged.at - row.since).total_seconds() for row in troubles}
    try:
        now = hotpath.default().now()
        seen = _seen(now, {":".join(key) for key in own})
    except (RedisError, hotpath.HotPathError):
        return own
    return {key: now - seen[":".join(key)] for key in own}


def _seen(now: float, names: Collection[str]) -> Mapping[str, float]:
    """Return when each name was first seen, by Redis' clock. Delete the marks of all others."""
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
    """The state of a web process' watch, from round to round."""

    def __init__(self) -> None:
        self._alone = False

    def round(self) -> None:
        """Report that a web process is alive. If workers can't, judge health and send alerts."""
        with suppress(RedisError, hotpath.HotPathError):  # the judgement reports it
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
    """Watch without end. Log a round that fails, and continue."""
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
    """Start watching in a daemon thread. poolsite.asgi calls this once."""
    threading.Thread(target=run, name="watch", daemon=True).start()
