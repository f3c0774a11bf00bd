"""Pauses an endpoint that accepted nothing for a day, and opens an incident."""

from datetime import timedelta

from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_noop

from poolsite import access
from poolsite.operations import incidents
from poolsite.operations.models import WebhookEndpoint

PAUSED_AFTER = timedelta(hours=24)
TYPE = "operations.webhook_paused"
ACTOR = "operations.webhooks"


def note(endpoint: WebhookEndpoint, *, taken: bool, failed: bool) -> None:
    """Record since when the endpoint has failed. Pause it after a day. Use a transaction."""
    rows = WebhookEndpoint.objects.filter(pk=endpoint.pk)
    if taken:
        rows.exclude(failing_since=None).update(failing_since=None)  # unaudited: a measurement
        return
    if not failed:
        return
    now = timezone.now()
    rows.filter(failing_since=None).update(failing_since=now)  # unaudited: a measurement
    active = rows.filter(state=WebhookEndpoint.State.ACTIVE, failing_since__lte=now - PAUSED_AFTER)
    if active.update(state=WebhookEndpoint.State.PAUSED):  # unaudited: the entry is below
        access.audit(
            actor=ACTOR,
            action="operations.webhook_pause",
            thing=endpoint,
            before={"state": "active"},
            after={"state": "paused"},
        )
        _tell(endpoint)


def recovered(endpoint: WebhookEndpoint) -> None:
    """Close the incident that `note` opened: the endpoint was resumed, disabled or deleted."""
    incidents.close(type=TYPE, object=endpoint.slug)


def _tell(endpoint: WebhookEndpoint) -> None:
    incidents.open(
        type=TYPE,
        object=endpoint.slug,
        severity="warning",
        title=gettext_noop("Webhook endpoint “%(name)s” is paused"),
        detail=gettext_noop("It hasn't accepted any event for 24 hours. New events are waiting."),
        remedy=gettext_noop("Correct the receiving server, then resume the endpoint."),
        url=reverse("operations:webhook", args=[endpoint.slug]),
        account=endpoint.account_id,
        params={"name": endpoint.name},
    )
