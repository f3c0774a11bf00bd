"""Service level alarms: an incident for each queue whose last hour was below its goal."""

from datetime import datetime, timedelta
from typing import Final

from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_noop

from poolsite.operations import incidents
from queueing.line import definitions
from queueing.line.models import Queue, Visit

TYPE: Final = "line.level"
WINDOW: Final = timedelta(hours=1)
LEAST_OFFERED: Final = 20  # with fewer visitors, one who gives up proves nothing


def check_levels(now: datetime | None = None) -> dict[str, int]:
    """Open an incident where a queue's service level of the last hour is below its alarm level.

    Close it where the level is sufficient, or where fewer than 20 visitors were offered.
    """
    since = (now or timezone.now()) - WINDOW
    low = 0
    for queue in Queue.objects.select_related("desk__account"):
        level = _level(queue, since)
        if level is None or level * 100 >= queue.service_level_alarm_percent:
            incidents.close(type=TYPE, object=queue.slug)
            continue
        low += 1
        _open(queue, level)
    return {"low": low}


def _level(queue: Queue, since: datetime) -> float | None:
    """Return the level, or None if too few visitors were offered."""
    visits = Visit.objects.filter(queue=queue, joined_at__gte=since)
    counts = visits.aggregate(**definitions.counts([queue]))
    if counts["served"] + counts["abandoned"] < LEAST_OFFERED:
        return None
    return definitions.service_level(counts["in_time"], counts["served"], counts["abandoned"])


def _open(queue: Queue, level: float) -> None:
    incidents.open(
        type=TYPE,
        object=queue.slug,
        severity="warning",
        title=gettext_noop("Queue %(queue)s is below its service level"),
        detail=gettext_noop(
            "%(level)s%% served within %(within)s s in the last hour. The goal is %(goal)s%%."
        ),
        remedy=gettext_noop("Bring more agents of this queue online, or assign more agents to it."),
        url=f"{reverse('line:floor', args=[queue.desk.slug])}?queue={queue.slug}",
        params={
            "queue": queue.name,
            "level": int(level * 100),
            "goal": round(queue.service_level_alarm_percent),
            "within": queue.answer_within_seconds,
        },
        account=queue.desk.account,
    )
