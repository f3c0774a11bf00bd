"""The periodic work of the desks: time, hours, samples, consistency checks."""

import logging
from datetime import timedelta

from django.db.models import Count, Q
from django.utils import timezone
from django.utils.translation import gettext_noop
from redis.exceptions import RedisError

from poolsite import hotpath
from poolsite.operations import incidents
from queueing.line import definitions, laws
from queueing.line import desk as commands
from queueing.line.models import Desk, DeskSample, Queue, Visit
from queueing.line.services.desks import apply_desk

logger = logging.getLogger(__name__)
DRIFT = "line.laws"


def apply_hours() -> dict[str, int]:
    """Write settings, and which queues are open now, to Redis. Repeating it changes nothing."""
    done = {"desks": 0, "failed": 0}
    for desk in Desk.objects.select_related("account"):
        try:
            apply_desk(desk)
            done["desks"] += 1
        except (hotpath.HotPathError, RedisError) as error:
            done["failed"] += 1
            logger.info("line: settings of %s: %s", desk.slug, error)
    return done


def sample_take() -> dict[str, int]:
    """Write a sample of the last whole minute for every queue. Repeating it changes nothing."""
    now = timezone.now()
    minute = now.replace(second=0, microsecond=0)
    rows = []
    for desk in Desk.objects.all():
        figures = hotpath.run(commands.show(desk.slug))
        if figures is None:
            continue
        busy = _busy_by_queue(desk)
        for queue in desk.queues.all():
            of_queue = figures.queues.get(queue.pk)
            if of_queue is None:
                continue
            oldest = of_queue.oldest_us // 1_000
            rows.append(
                DeskSample(
                    queue=queue,
                    minute=minute,
                    waiting=of_queue.waiting,
                    longest_wait_seconds=max(0, figures.now_ms - oldest) // 1000 if oldest else 0,
                    online=of_queue.online,
                    busy=busy.get(queue.pk, 0),
                    **_counts(queue),
                )
            )
    DeskSample.objects.bulk_create(rows, ignore_conflicts=True)
    return {"rows": len(rows)}


def _busy_by_queue(desk: Desk) -> dict[int, int]:
    counts = (
        Visit.objects.filter(desk=desk, ended_at=None, matched_at__isnull=False)
        .values_list("queue_id")
        .annotate(Count("pk"))
    )
    return dict(counts)


def _counts(queue: Queue) -> dict[str, int]:
    since = timezone.now().replace(second=0, microsecond=0) - timedelta(minutes=1)
    until = since + timedelta(minutes=1)
    answered = Q(matched_at__gte=since, matched_at__lt=until)
    ended = Q(ended_at__gte=since, ended_at__lt=until) & definitions.ABANDONED
    return Visit.objects.filter(queue=queue).aggregate(
        joined=Count("pk", filter=Q(joined_at__gte=since, joined_at__lt=until)),
        answered=Count("pk", filter=answered),
        answered_in_time=Count("pk", filter=answered & definitions.in_time([queue])),
        abandoned=Count("pk", filter=ended),
    )


def check_laws() -> dict[str, int]:
    """Check every desk against the laws. Open an incident for a violation; close it afterwards."""
    total = 0
    for desk in Desk.objects.select_related("account"):
        wrong = laws.check(desk.slug)
        wrong = laws.check(desk.slug) if wrong else wrong  # only a lasting violation counts
        total += len(wrong)
        if wrong:
            incidents.open(
                type=DRIFT,
                object=desk.slug,
                severity="critical",
                title=gettext_noop("Desk %(desk)s failed a consistency check"),
                detail="; ".join(f"{thing}: {what}" for thing, what in wrong[:3]),
                remedy=gettext_noop("Run manage.py line check and report the result as a bug."),
                params={"desk": desk.slug},
                account=desk.account,
            )
        else:
            incidents.close(type=DRIFT, object=desk.slug)
    return {"drift": total}
