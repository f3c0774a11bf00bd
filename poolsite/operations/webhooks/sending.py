"""Posts due deliveries: fairly between endpoints, and a few at once to each endpoint.

A delivery is claimed for a while in SQL, posted with no transaction open, and recorded. If a sender
dies, another sends its deliveries when the claim expires, so an event can arrive twice, with the
same ID.
"""

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet
from django.utils import timezone

from poolsite.operations import outgoing
from poolsite.operations.models import OutgoingCall, WebhookDelivery, WebhookEndpoint
from poolsite.operations.retrying import next_wait
from poolsite.operations.webhooks import health

TURN_SECONDS = 20.0  # after this a sweep ends, and the next one continues
ENDPOINTS_AT_ONCE = 50
CLAIMED_EACH = 20  # deliveries per endpoint and round
AT_ONCE_EACH = 4  # connections to one endpoint
CLAIM = timedelta(seconds=180)  # longer than a round: 5 posts of outgoing.WHOLE_SECONDS
AWAY_WAIT = timedelta(seconds=60)  # for deliveries not tried because the endpoint doesn't respond

Tried = tuple[WebhookDelivery, outgoing.DeliveryOutcome]


@dataclass(frozen=True, slots=True)
class _Round:
    """The outcome of an endpoint's round. untried: not sent as earlier posts got no response."""

    endpoint: WebhookEndpoint
    tried: Sequence[Tried]
    untried: Sequence[WebhookDelivery]


def send_due() -> dict[str, int]:
    """Post the due deliveries until there are none or the time is up.

    Return how many requests were accepted, and how many were not. Any number of senders may run at
    once.
    """
    sent = rejected = 0
    ends = time.monotonic() + TURN_SECONDS
    while time.monotonic() < ends:
        claimed = _claim()
        if not claimed:
            break
        for done in asyncio.run(_post_all(claimed)):
            _note(done)
            taken = sum(outcome.ok for _, outcome in done.tried)
            sent += taken
            rejected += len(done.tried) - taken
    return {"sent": sent, "rejected": rejected}


def body_of(delivery: WebhookDelivery) -> dict[str, Any]:
    """Return the JSON that is posted to an endpoint."""
    event = delivery.event
    return {
        "id": f"evt_{event.id.hex}",
        "type": event.type,
        "created_at": event.created_at.isoformat(),
        "account": event.account.slug if event.account is not None else None,
        "url": outgoing.absolute(event.path) if event.path else None,
        "data": event.data,
    }


def _claim() -> dict[WebhookEndpoint, list[WebhookDelivery]]:
    now = timezone.now()
    due = WebhookDelivery.objects.filter(state=WebhookDelivery.State.PENDING, next_at__lte=now)
    endpoints = WebhookEndpoint.objects.filter(
        Exists(due.filter(endpoint=OuterRef("pk"))), state=WebhookEndpoint.State.ACTIVE
    )
    claimed = {}
    for endpoint in endpoints.order_by("?")[:ENDPOINTS_AT_ONCE]:
        rows = _claim_of(due.filter(endpoint=endpoint))
        if rows:
            claimed[endpoint] = rows
    return claimed


def _claim_of(due: QuerySet[WebhookDelivery]) -> list[WebhookDelivery]:
    rows = due.select_related("event__account").order_by("next_at")
    with transaction.atomic():
        found = list(rows.select_for_update(skip_locked=True, of=("self",))[:CLAIMED_EACH])
        mine = WebhookDelivery.objects.filter(pk__in=[row.pk for row in found])
        mine.update(next_at=timezone.now() + CLAIM)  # unaudited: a sender's claim
    return found


async def _post_all(claimed: dict[WebhookEndpoint, list[WebhookDelivery]]) -> list[_Round]:
    rounds = (_post_to(endpoint, rows) for endpoint, rows in claimed.items())
    return await asyncio.gather(*rounds)


async def _post_to(endpoint: WebhookEndpoint, rows: list[WebhookDelivery]) -> _Round:
    """Post to an endpoint. Stop the round when a post gets no response."""
    secrets = _secrets(endpoint)
    tried: list[Tried] = []
    for first in range(0, len(rows), AT_ONCE_EACH):
        some = rows[first : first + AT_ONCE_EACH]
        posts = (outgoing.post(endpoint.url, body_of(row), secrets=secrets) for row in some)
        outcomes = await asyncio.gather(*posts)
        tried += zip(some, outcomes, strict=True)
        if any(outcome.status is None for outcome in outcomes):
            break
    return _Round(endpoint, tried, rows[len(tried) :])


def _secrets(endpoint: WebhookEndpoint) -> list[str]:
    until = endpoint.old_secret_until
    old = [endpoint.old_secret] if until is not None and until > timezone.now() else []
    return [endpoint.secret, *old]


def _note(done: _Round) -> None:
    now = timezone.now()
    with transaction.atomic():
        if not WebhookEndpoint.objects.select_for_update().filter(pk=done.endpoint.pk):
            return  # it was deleted meanwhile, with its deliveries
        for delivery, outcome in done.tried:
            _note_one(delivery, outcome)
        OutgoingCall.objects.bulk_create(  # unaudited: the log of these calls
            [_call(done.endpoint, *each) for each in done.tried]
        )
        waiting = WebhookDelivery.objects.filter(pk__in=[row.pk for row in done.untried])
        waiting.update(next_at=now + AWAY_WAIT)  # unaudited: released
        outcomes = [outcome.ok for _, outcome in done.tried]
        health.note(done.endpoint, taken=any(outcomes), failed=not all(outcomes))


def _note_one(delivery: WebhookDelivery, outcome: outgoing.DeliveryOutcome) -> None:
    attempts = delivery.attempts + 1
    changes: dict[str, Any] = {
        "attempts": attempts,
        "status": outcome.status,
        "error": outcome.error[:300],
        "sent_at": timezone.now(),
    }
    wait = next_wait(attempts)
    if outcome.ok:
        changes["state"] = WebhookDelivery.State.DELIVERED
    elif wait is None:
        changes["state"] = WebhookDelivery.State.FAILED
    else:
        changes["next_at"] = timezone.now() + wait
    mine = WebhookDelivery.objects.filter(pk=delivery.pk, attempts=delivery.attempts)
    mine.update(**changes)  # unaudited: logged as a call


def _call(
    endpoint: WebhookEndpoint, delivery: WebhookDelivery, outcome: outgoing.DeliveryOutcome
) -> OutgoingCall:
    return OutgoingCall(
        delivery=delivery,
        purpose=f"webhook.{delivery.event.type}"[:60],
        address=endpoint.url,
        account_id=endpoint.account_id,
        status=outcome.status,
        error=outcome.error[:300],
        answer=outcome.answer[:500],
        duration_ms=outcome.duration_ms,
    )
