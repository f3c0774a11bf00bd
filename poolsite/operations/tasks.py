"""Sweeps of operations: the pulse, the clock, and the notices that are due."""

from datetime import timedelta

from django.conf import settings
from django.utils import timezone

from poolsite.jobs.registry import sweep
from poolsite.operations import clock, notices
from poolsite.operations.health import PULSE
from poolsite.operations.models import Incident, OutgoingCall

DELETE_ROWS = 2_000


@sweep(PULSE, every_seconds=5)
def pulse(shard: int, shards: int) -> dict[str, int]:
    """Prove that beat, broker and a worker are at work."""
    return {}


@sweep("operations.clock", every_seconds=2)
def watch_clock(shard: int, shards: int) -> dict[str, float]:
    """Compare Redis' clock with this process's own pace."""
    return {"step_seconds": round(clock.MONITOR.check(), 3)}


@sweep("operations.notices", every_seconds=5)
def send_notices(shard: int, shards: int) -> dict[str, int]:
    """Send the e-mails and webhooks that are due."""
    return notices.send_due()


@sweep("operations.retention", every_seconds=3_600)
def delete_old(shard: int, shards: int) -> dict[str, int]:
    """Delete ended incidents and logged calls that are older than the history is kept."""
    before = timezone.now() - timedelta(days=settings.HISTORY_KEEP_DAYS)
    deleted = {}
    for name, rows in (
        ("calls", OutgoingCall.objects.filter(at__lt=before)),
        ("incidents", Incident.objects.filter(until__lt=before)),
    ):
        keys = list(rows.order_by("pk").values_list("pk", flat=True)[:DELETE_ROWS])
        deleted[name] = rows.filter(pk__in=keys).delete()[0]  # unaudited: age alone decides
    return deleted
