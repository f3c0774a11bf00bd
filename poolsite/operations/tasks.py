"""Sweeps of operations: the platform's health, due alerts and webhooks, deletion of old rows."""

from datetime import timedelta

from django.conf import settings
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext_lazy

from poolsite.jobs import JOBS, SweepDescription, sweep
from poolsite.operations import health, notices, watch
from poolsite.operations.models import Incident, OutgoingCall
from poolsite.operations.webhooks import sending
from poolsite.operations.webhooks.services import delete_old_events
from poolsite.sql_bulk import delete_oldest

WEBHOOK_EVENTS_KEPT = timedelta(days=30)


def keep_incidents(shard: int, shards: int) -> dict[str, int]:
    """Judge the platform's health, and open and close its incidents."""
    return {"incidents": watch.keep(health.read())}


sweep(
    "operations.health",
    keep_incidents,
    every_seconds=5,
    description=SweepDescription(
        _("Health checks"),
        _("Checks the platform and opens or closes incidents."),
        {"incidents": ngettext_lazy("%(n)s incident open", "%(n)s incidents open", "n")},
    ),
)


def send_notices(shard: int, shards: int) -> dict[str, int]:
    """Send the emails that are due."""
    return notices.send_due()


sweep(
    "operations.notices",
    send_notices,
    every_seconds=5,
    queue=JOBS,
    description=SweepDescription(_("Alert delivery"), _("Sends due alerts by email.")),
)


def send_webhooks(shard: int, shards: int) -> dict[str, int]:
    """Post the webhook events that are due."""
    return sending.send_due()


sweep(
    "operations.webhooks",
    send_webhooks,
    every_seconds=5,
    queue=JOBS,
    description=SweepDescription(
        _("Webhook delivery"),
        _("Sends due webhook events, and tries failed ones again."),
        {
            "sent": ngettext_lazy("%(n)s event delivered", "%(n)s events delivered", "n"),
            "rejected": ngettext_lazy(
                "%(n)s attempt not accepted", "%(n)s attempts not accepted", "n"
            ),
        },
    ),
)


def delete_old(shard: int, shards: int) -> dict[str, int]:
    """Delete ended incidents and logged calls after HISTORY_KEEP_DAYS, and old webhook events."""
    before = timezone.now() - timedelta(days=settings.HISTORY_KEEP_DAYS)
    return {
        "calls": delete_oldest(OutgoingCall.objects.filter(at__lt=before).order_by("pk")),
        "incidents": delete_oldest(Incident.objects.filter(until__lt=before).order_by("pk")),
        "events": delete_old_events(timezone.now() - WEBHOOK_EVENTS_KEPT),
    }


sweep(
    "operations.retention",
    delete_old,
    every_seconds=3_600,
    description=SweepDescription(
        _("Old incidents"),
        _("Deletes old incidents and request logs."),
        {
            "calls": ngettext_lazy("%(n)s request deleted", "%(n)s requests deleted", "n"),
            "incidents": ngettext_lazy("%(n)s incident deleted", "%(n)s incidents deleted", "n"),
            "events": ngettext_lazy(
                "%(n)s webhook event deleted", "%(n)s webhook events deleted", "n"
            ),
        },
    ),
)
