"""Keeps the incidents of the platform's health; each web process does it where workers do not.

A worker's sweep keeps them as a rule. When no worker or no scheduler runs, the web processes do,
and they send the notices: who is to be told that workers are dead cannot wait for a worker.
"""

import random
import threading
from contextlib import suppress
from datetime import timedelta

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
WORKERS_PART = ("workers", "beat", "redis")  # while these are in order, workers keep incidents


def keep(judged: health.Health) -> int:
    """Open an incident for each trouble that has lasted, close those of what is over.

    Returns how many are open. Any number of processes may do so: a row is opened once.
    """
    troubles = judged.incidents()
    of_health = Q(type__startswith=attention.HEALTH_TYPES) | Q(type=clock.INCIDENT[0])
    known = {(row.type, row.object): row for row in Incident.objects.filter(of_health, until=None)}
    settled = judged.at - timedelta(seconds=SETTLED_SECONDS)
    kept = 0
    for trouble in troubles:
        row = known.pop((trouble.type, trouble.object), None)
        if row is None and trouble.since > settled:
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
