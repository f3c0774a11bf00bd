"""What people do to webhook endpoints, with checks of rights and audit entries without secrets."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from poolsite.access.models import Account
from poolsite.access.services import aggregates
from poolsite.access.services.actor import Actor, require
from poolsite.access.services.aggregates import Act
from poolsite.operations.models import WebhookDelivery, WebhookEndpoint, WebhookEvent
from poolsite.operations.models.webhooks import EVERY_EVENT, new_signing_secret
from poolsite.operations.webhooks import event_types, health
from poolsite.sql_bulk import delete_oldest

CHANGE = "operations.webhooks_change"
FIELDS = ("name", "url", "events")
ENDPOINTS_LIMIT = 20  # per account
OLD_SECRET_VALID = timedelta(hours=24)
RESENT_AT_ONCE = 1_000
State = WebhookEndpoint.State


def endpoint_create(
    *, actor: Actor, account: Account | None, name: str, url: str, events: Sequence[str]
) -> WebhookEndpoint:
    """Create an endpoint with a signing secret. It is active at once.

    account: None for an endpoint of the platform, which gets the events of all accounts. Raise
    ValidationError if the URL can never be called, an event is unknown or there are too many
    endpoints.
    """
    made = WebhookEndpoint(
        account=account, name=name.strip(), url=url.strip(), events=sorted(set(events))
    )
    require(actor, CHANGE, made)
    _check(made)
    with transaction.atomic():
        if WebhookEndpoint.objects.filter(account=account).count() >= ENDPOINTS_LIMIT:
            raise ValidationError(
                _("The limit of %(n)s webhook endpoints is reached. Delete one first.")
                % {"n": ENDPOINTS_LIMIT}
            )
        made.save()
        Act(actor, "operations.webhook_create", "").write(made, None, _described(made))
    return made


def endpoint_change(
    *, endpoint: WebhookEndpoint, actor: Actor, reason: str = "", **values: Any
) -> WebhookEndpoint:
    """Change the name, the URL or the events. Raise ValidationError if a value is invalid."""
    require(actor, CHANGE, endpoint)
    aggregates.require_known(values, FIELDS)
    if "events" in values:
        values["events"] = sorted(set(values["events"]))
    with transaction.atomic():
        found = _locked(endpoint)
        aggregates.configure(found, values, _check, Act(actor, "operations.webhook_change", reason))
    return found


def endpoint_rotate(*, endpoint: WebhookEndpoint, actor: Actor) -> WebhookEndpoint:
    """Create a new signing secret. For a day, events are also signed with the old secret."""
    require(actor, CHANGE, endpoint)
    with transaction.atomic():
        found = _locked(endpoint)
        found.old_secret, found.old_secret_until = found.secret, timezone.now() + OLD_SECRET_VALID
        found.secret = new_signing_secret()
        found.save(update_fields=["secret", "old_secret", "old_secret_until"])
        Act(actor, "operations.webhook_rotate", "").write(found, None, None)
    return found


def endpoint_disable(
    *, endpoint: WebhookEndpoint, actor: Actor, reason: str = ""
) -> WebhookEndpoint:
    """Stop sending to the endpoint, and storing events for it, until it is enabled."""
    return _set_state(endpoint, actor, State.DISABLED, "operations.webhook_disable", reason)


def endpoint_enable(
    *, endpoint: WebhookEndpoint, actor: Actor, reason: str = ""
) -> WebhookEndpoint:
    """Send to the endpoint again, including events that waited since the platform paused it."""
    return _set_state(endpoint, actor, State.ACTIVE, "operations.webhook_enable", reason)


def endpoint_delete(*, endpoint: WebhookEndpoint, actor: Actor, reason: str = "") -> None:
    """Delete the endpoint with its log and its waiting events."""
    require(actor, CHANGE, endpoint)
    with transaction.atomic():
        found = _locked(endpoint)
        Act(actor, "operations.webhook_delete", reason).write(found, _described(found))
        health.recovered(found)
        found.delete()


def endpoint_test(*, endpoint: WebhookEndpoint, actor: Actor) -> WebhookDelivery:
    """Send an event of the type `endpoint.test`, whatever the endpoint listens to.

    Return the delivery. Raise ValidationError if the endpoint is not active.
    """
    require(actor, CHANGE, endpoint)
    with transaction.atomic():
        found = _locked(endpoint)
        if found.state != State.ACTIVE:
            raise ValidationError(_("Enable the endpoint first."))
        now = timezone.now()
        event = WebhookEvent.objects.create(
            type=event_types.TEST,
            account=found.account,
            data={"endpoint": found.slug},
            created_at=now,
        )
        delivery = WebhookDelivery.objects.create(endpoint=found, event=event, next_at=now)
        Act(actor, "operations.webhook_test", "").write(found, None, None)
    return delivery


def delivery_resend(*, delivery: WebhookDelivery, actor: Actor) -> WebhookDelivery:
    """Send the event again now, with the same ID. If that fails, it is retried like a new event."""
    require(actor, CHANGE, delivery.endpoint)
    with transaction.atomic():
        _send_again([delivery.pk])
        after = {"event": f"evt_{delivery.event_id.hex}"}
        Act(actor, "operations.webhook_resend", "").write(delivery.endpoint, None, after)
    delivery.refresh_from_db()
    return delivery


def failed_resend(*, endpoint: WebhookEndpoint, actor: Actor) -> int:
    """Send up to 1,000 failed deliveries again, oldest first. Return how many."""
    require(actor, CHANGE, endpoint)
    failed = WebhookDelivery.objects.filter(
        endpoint=endpoint, state=WebhookDelivery.State.FAILED
    ).order_by("pk")
    with transaction.atomic():
        keys = list(failed.values_list("pk", flat=True)[:RESENT_AT_ONCE])
        if keys:
            _send_again(keys)
            act = Act(actor, "operations.webhook_resend_failed", "")
            act.write(endpoint, None, {"deliveries": len(keys)})
    return len(keys)


def delete_old_events(before: datetime) -> int:
    """Delete the events from before this time, with their deliveries; return how many events."""
    return delete_oldest(WebhookEvent.objects.filter(created_at__lt=before).order_by("created_at"))


def _send_again(keys: Sequence[int]) -> None:
    WebhookDelivery.objects.filter(pk__in=keys).update(
        state=WebhookDelivery.State.PENDING, attempts=0, next_at=timezone.now()
    )


def _set_state(
    endpoint: WebhookEndpoint, actor: Actor, state: str, action: str, reason: str
) -> WebhookEndpoint:
    require(actor, CHANGE, endpoint)
    with transaction.atomic():
        found = _locked(endpoint)
        if found.state == state:
            return found
        before, found.state, found.failing_since = found.state, state, None
        found.save(update_fields=["state", "failing_since"])
        Act(actor, action, reason).write(found, {"state": before}, {"state": state})
        health.recovered(found)
    return found


def _locked(endpoint: WebhookEndpoint) -> WebhookEndpoint:
    rows = WebhookEndpoint.objects.select_for_update(of=("self",)).select_related("account")
    return rows.get(pk=endpoint.pk)


def _check(endpoint: WebhookEndpoint) -> None:
    unknown = sorted(set(endpoint.events) - {EVERY_EVENT, *event_types.known()})
    if unknown:
        raise ValidationError({"events": _("Unknown event: %(name)s.") % {"name": unknown[0]}})
    endpoint.full_clean()


def _described(endpoint: WebhookEndpoint) -> dict[str, Any]:
    return {"account": endpoint.account, **{name: getattr(endpoint, name) for name in FIELDS}}
