"""What pages and the API read about webhooks. Results are limited to tenants."""

from django.db.models import Max, QuerySet

from poolsite import access
from poolsite.access import Principal, require_one, visible
from poolsite.operations.models import WebhookDelivery, WebhookEndpoint

VIEW = "operations.webhooks"


def endpoints(principal: Principal, *, state: str = "") -> QuerySet[WebhookEndpoint]:
    """Return the endpoints that the principal may see, each with `last_sent_at`."""
    access.require(principal, VIEW)
    rows = visible(WebhookEndpoint.objects.all(), principal, VIEW)
    if state:
        rows = rows.filter(state=state)
    return rows.select_related("account").annotate(last_sent_at=Max("deliveries__sent_at"))


def endpoint(principal: Principal, slug: str, action: str = VIEW) -> WebhookEndpoint:
    """Return an endpoint. Raise Hidden if it is missing or belongs to another account."""
    rows = WebhookEndpoint.objects.select_related("account").filter(slug=slug)
    return require_one(rows, principal, action)


def deliveries(
    found: WebhookEndpoint, *, state: str = "", kind: str = ""
) -> QuerySet[WebhookDelivery]:
    """Return the endpoint's deliveries. kind: only events of this type."""
    rows = WebhookDelivery.objects.filter(endpoint=found).select_related("event__account")
    if state:
        rows = rows.filter(state=state)
    if kind:
        rows = rows.filter(event__type=kind)
    return rows


def delivery(found: WebhookEndpoint, key: int) -> WebhookDelivery:
    """Return a delivery of the endpoint. Raise Hidden if it is missing."""
    row = deliveries(found).select_related("endpoint__account").filter(pk=key).first()
    if row is None:
        raise access.Hidden(VIEW)
    return row
