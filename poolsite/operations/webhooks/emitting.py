"""Stores events for the endpoints that listen, in the transaction in which they happen."""

import uuid
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Q
from django.utils import timezone

from poolsite.operations.models import WebhookDelivery, WebhookEndpoint, WebhookEvent
from poolsite.operations.webhooks import event_types

# The namespace for the IDs of events that can be stored only once (RFC 9562, version 5).
_NAMESPACE = uuid.UUID("7d0e0f5e-5c0f-4d5b-9b35-6d1f4f0a3c11")


Page = Callable[[], str]


@dataclass(frozen=True, slots=True)
class Happened:
    """An event. key: events with the same type, account and key are one event and stored once.

    page: returns the path of the page about it. It is called only if an endpoint listens, because a
    worker loads the URLs only when it needs one.
    """

    type: str
    account_id: int | None
    data: Mapping[str, Any]
    page: Page | None = None
    key: str = ""

    @property
    def id(self) -> uuid.UUID:
        """The event's ID: random, or derived from the key if there is one."""
        if not self.key:
            return uuid.uuid4()
        return uuid.uuid5(_NAMESPACE, f"{self.type}\n{self.account_id}\n{self.key}")


def listening(types: Collection[str], account_ids: Collection[int]) -> frozenset[int]:
    """Return which of these accounts have a listener for these types: others need no events."""
    rows = [row for row in _endpoints(account_ids) if any(map(row.listens_to, types))]
    wanted = {row.account_id for row in rows}
    return frozenset(key for key in account_ids if key in wanted or None in wanted)


def emit(
    type: str,  # noqa: A002  the interface's name
    *,
    account_id: int | None,
    data: Mapping[str, Any],
    page: Page | None = None,
    key: str = "",
) -> int:
    """Store an event for each endpoint that listens. Return how many do. See `Happened`."""
    return emit_many([Happened(type, account_id, data, page, key)])


def emit_many(events: Sequence[Happened], *, at: datetime | None = None) -> int:
    """Store these events in the caller's transaction. Return the number of deliveries.

    `data` must be JSON. Raise LookupError if an event's type was not declared. Events to which no
    endpoint listens are not stored.
    """
    known = event_types.known()
    for event in events:
        if event.type not in known:
            raise LookupError(f"no webhook event {event.type!r} is declared")
    endpoints = _endpoints({event.account_id for event in events})
    if not endpoints:
        return 0
    now = at or timezone.now()
    rows: list[WebhookEvent] = []
    deliveries: list[WebhookDelivery] = []
    for event in events:
        suiting = [each for each in endpoints if _suits(each, event)]
        if not suiting:
            continue
        row = WebhookEvent(
            id=event.id,
            type=event.type,
            account_id=event.account_id,
            data=dict(event.data),
            path=event.page() if event.page is not None else "",
            created_at=now,
        )
        rows.append(row)
        deliveries += [WebhookDelivery(endpoint=each, event=row, next_at=now) for each in suiting]
    # The change that caused the event has its own audit entry.
    WebhookEvent.objects.bulk_create(rows, ignore_conflicts=True)  # unaudited: see above
    WebhookDelivery.objects.bulk_create(deliveries, ignore_conflicts=True)  # unaudited: see above
    return len(deliveries)


def _endpoints(account_ids: Collection[int | None]) -> list[WebhookEndpoint]:
    own = [key for key in account_ids if key is not None]
    rows = WebhookEndpoint.objects.exclude(state=WebhookEndpoint.State.DISABLED)
    return list(rows.filter(Q(account=None) | Q(account_id__in=own)))


def _suits(endpoint: WebhookEndpoint, event: Happened) -> bool:
    own = endpoint.account_id is None or endpoint.account_id == event.account_id
    return own and endpoint.listens_to(event.type)
