"""Webhook endpoints and their deliveries in the API."""

from typing import Any, cast

from django.http import HttpRequest
from django.utils.translation import override
from ninja import Query, Router, Status

from poolsite import access
from poolsite.access import principal_of_request
from poolsite.api.callers import require_confirmed
from poolsite.api.idempotency import shows_secret
from poolsite.api.pages import Page, page
from poolsite.api.paths import id_in_path, slug_in_path
from poolsite.api.root import ProblemError, api
from poolsite.moments import iso
from poolsite.operations.api.common import account_named
from poolsite.operations.models import WebhookDelivery, WebhookEndpoint
from poolsite.operations.webhooks import event_types, selectors, services
from poolsite.operations.webhooks.schemas import (
    AttemptOut,
    DeliveriesIn,
    DeliveryDetailOut,
    DeliveryOut,
    DeliveryState,
    EndpointChangeIn,
    EndpointIn,
    EndpointMadeOut,
    EndpointOut,
    EndpointsIn,
    EventTypeOut,
    ResentOut,
    WebhookReasonIn,
)
from poolsite.operations.webhooks.sending import body_of

router = Router(tags=["webhooks"])
types_router = Router(tags=["webhooks"])
Slug = slug_in_path("The endpoint's ID.")
DeliveryId = id_in_path("The delivery's ID.")


def register() -> None:
    """Register the routes. The routes of operations call this once."""
    api.add_router("/webhooks", router)
    api.add_router("/webhook-events", types_router)


@types_router.get("", response={200: list[EventTypeOut]}, summary="List event types")
def list_webhook_event_types(request: HttpRequest) -> Any:
    """The types of events that endpoints can choose, by name."""
    access.require(principal_of_request(request), selectors.VIEW)
    with override("en"):
        return [
            EventTypeOut(
                type=each.name,
                label=str(each.label),
                description=str(each.when),
                data=dict(each.example),
            )
            for each in event_types.known().values()
        ]


@router.get("", response={200: Page[EndpointOut]}, summary="List webhook endpoints")
def list_webhooks(request: HttpRequest, asked: Query[EndpointsIn]) -> Any:
    """The endpoints that you can access, newest first."""
    rows = selectors.endpoints(principal_of_request(request), state=asked.state)
    return page(request, asked, rows, _out)


@router.post("", response={201: EndpointMadeOut}, summary="Create a webhook endpoint")
@shows_secret
def create_webhook(request: HttpRequest, given: EndpointIn) -> Any:
    """Create an endpoint. It is active immediately. The response has its signing secret."""
    principal = principal_of_request(request)
    _require_confirmed(request)
    made = services.endpoint_create(
        actor=principal,
        account=account_named(principal, given.account, services.CHANGE, WebhookEndpoint),
        name=given.name,
        url=given.url,
        events=given.events,
    )
    return Status(201, _with_secret(made))


@router.get("/{slug}", response={200: EndpointOut}, summary="Get a webhook endpoint")
def get_webhook(request: HttpRequest, slug: str = Slug) -> Any:
    """The endpoint and its state."""
    return _out(_endpoint(request, slug))


@router.patch("/{slug}", response={200: EndpointOut}, summary="Change a webhook endpoint")
def change_webhook(request: HttpRequest, given: EndpointChangeIn, slug: str = Slug) -> Any:
    """Change the name, the URL or the events."""
    _require_confirmed(request)
    values = given.model_dump(exclude_none=True, exclude={"reason"})
    found = services.endpoint_change(
        endpoint=_endpoint(request, slug),
        actor=principal_of_request(request),
        reason=given.reason,
        **values,
    )
    return _out(found)


@router.delete("/{slug}", response={204: None}, summary="Delete a webhook endpoint")
def delete_webhook(request: HttpRequest, slug: str = Slug) -> Any:
    """Delete the endpoint with its deliveries. Waiting events are not sent."""
    _require_confirmed(request)
    services.endpoint_delete(endpoint=_endpoint(request, slug), actor=principal_of_request(request))
    return Status(204, None)


@router.post("/{slug}/rotate", response={200: EndpointMadeOut}, summary="Rotate the signing secret")
@shows_secret
def rotate_webhook(request: HttpRequest, slug: str = Slug) -> Any:
    """Create a new signing secret. For 24 hours, requests are also signed with the old one."""
    _require_confirmed(request)
    found = services.endpoint_rotate(
        endpoint=_endpoint(request, slug), actor=principal_of_request(request)
    )
    return _with_secret(found)


@router.post("/{slug}/disable", response={200: EndpointOut}, summary="Disable a webhook endpoint")
def disable_webhook(request: HttpRequest, given: WebhookReasonIn, slug: str = Slug) -> Any:
    """Stop sending events until the endpoint is enabled. Missed events are not sent later."""
    found = services.endpoint_disable(
        endpoint=_endpoint(request, slug),
        actor=principal_of_request(request),
        reason=given.reason,
    )
    return _out(found)


@router.post("/{slug}/enable", response={200: EndpointOut}, summary="Enable a webhook endpoint")
def enable_webhook(request: HttpRequest, slug: str = Slug) -> Any:
    """Send events again. A paused endpoint also gets the events that are waiting."""
    found = services.endpoint_enable(
        endpoint=_endpoint(request, slug), actor=principal_of_request(request)
    )
    return _out(found)


@router.post("/{slug}/test", response={202: DeliveryOut}, summary="Send a test event")
def send_test_event(request: HttpRequest, slug: str = Slug) -> Any:
    """Send an event of the type `endpoint.test`, whichever events the endpoint has chosen."""
    made = services.endpoint_test(
        endpoint=_endpoint(request, slug), actor=principal_of_request(request)
    )
    return Status(202, _delivery_out(made))


@router.get(
    "/{slug}/deliveries", response={200: Page[DeliveryOut]}, summary="List webhook deliveries"
)
def list_webhook_deliveries(
    request: HttpRequest, asked: Query[DeliveriesIn], slug: str = Slug
) -> Any:
    """What was sent to the endpoint in the last 30 days, and what is waiting, newest first."""
    rows = selectors.deliveries(_endpoint(request, slug), state=asked.state, kind=asked.type)
    return page(request, asked, rows, _delivery_out)


@router.get(
    "/{slug}/deliveries/{delivery}",
    response={200: DeliveryDetailOut},
    summary="Get a webhook delivery",
)
def get_webhook_delivery(request: HttpRequest, delivery: int = DeliveryId, slug: str = Slug) -> Any:
    """A delivery with its body and every attempt."""
    row = _delivery(request, slug, delivery)
    log = [
        AttemptOut(
            at=call.at.isoformat(),
            status=call.status,
            error=call.error,
            answer=call.answer,
            duration_ms=call.duration_ms,
        )
        for call in row.calls.order_by("-pk")
    ]
    return DeliveryDetailOut(**_delivery_out(row).model_dump(), body=body_of(row), log=log)


@router.post(
    "/{slug}/deliveries/{delivery}/resend",
    response={202: DeliveryOut},
    summary="Resend a webhook delivery",
)
def resend_webhook_delivery(
    request: HttpRequest, delivery: int = DeliveryId, slug: str = Slug
) -> Any:
    """Send the event again, with the same ID."""
    row = services.delivery_resend(
        delivery=_delivery(request, slug, delivery), actor=principal_of_request(request)
    )
    return Status(202, _delivery_out(row))


@router.post("/{slug}/resend", response={202: ResentOut}, summary="Resend failed deliveries")
def resend_failed_webhook_deliveries(request: HttpRequest, slug: str = Slug) -> Any:
    """Send up to 1,000 failed deliveries again, oldest first."""
    count = services.failed_resend(
        endpoint=_endpoint(request, slug), actor=principal_of_request(request)
    )
    return Status(202, ResentOut(resent=count))


def _require_confirmed(request: HttpRequest) -> None:
    """Require a user to have confirmed the login recently, as on the pages. Tokens need not."""
    if principal_of_request(request).kind == "user":
        require_confirmed(request)


def _endpoint(request: HttpRequest, slug: str) -> WebhookEndpoint:
    try:
        return selectors.endpoint(principal_of_request(request), slug)
    except access.Hidden:
        raise ProblemError("unknown-webhook") from None


def _delivery(request: HttpRequest, slug: str, key: int) -> WebhookDelivery:
    found = _endpoint(request, slug)
    try:
        return selectors.delivery(found, key)
    except access.Hidden:
        raise ProblemError("unknown-delivery") from None


def _fields(row: WebhookEndpoint) -> dict[str, Any]:
    return {
        "id": row.slug,
        "name": row.name,
        "url": row.url,
        "events": row.events,
        "account": row.account.slug if row.account is not None else None,
        "state": row.state,
        "failing_since": iso(row.failing_since),
        "created_at": row.created_at.isoformat(),
    }


def _out(row: WebhookEndpoint) -> EndpointOut:
    return EndpointOut(**_fields(row))


def _with_secret(row: WebhookEndpoint) -> EndpointMadeOut:
    return EndpointMadeOut(**_fields(row), secret=row.secret)


def _delivery_out(row: WebhookDelivery) -> DeliveryOut:
    pending = row.state == WebhookDelivery.State.PENDING
    return DeliveryOut(
        id=row.pk,
        event=f"evt_{row.event_id.hex}",
        type=row.event.type,
        created_at=row.event.created_at.isoformat(),
        state=cast(DeliveryState, row.state),
        attempts=row.attempts,
        status=row.status,
        error=row.error,
        sent_at=iso(row.sent_at),
        next_at=row.next_at.isoformat() if pending else None,
    )
