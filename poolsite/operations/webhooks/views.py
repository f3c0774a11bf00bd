"""Webhook endpoints: the list, an endpoint with its deliveries, and its settings."""

from functools import partial
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods

from poolsite import access
from poolsite.access import visible
from poolsite.access.confirming import asks_again, confirm_url
from poolsite.access.models import Account
from poolsite.console import tables
from poolsite.console.form_pages import form_page, saved
from poolsite.console.pages import principal_of, topic_of
from poolsite.console.tables import SqlColumn
from poolsite.moments import iso
from poolsite.operations.models import WebhookDelivery, WebhookEndpoint
from poolsite.operations.models.webhooks import EVERY_EVENT
from poolsite.operations.webhooks import event_types, selectors, services
from poolsite.operations.webhooks.forms import EndpointForm

CHANGE = services.CHANGE


@never_cache
@require_GET
def endpoints(request: HttpRequest) -> HttpResponse:
    """List the endpoints that the user may see, newest first."""
    principal = principal_of(request)
    access.require(principal, selectors.VIEW)
    options = [("", _("All states")), *WebhookEndpoint.State.choices]
    state = tables.choice_of(request, "state", _("State"), options)
    return tables.answer(
        request,
        "operations/webhooks.html",
        selectors.endpoints(principal, state=state.value),
        _columns(),
        given={"state": state.value},
        file="webhooks",
        counted=lambda n: ngettext("%(n)s endpoint", "%(n)s endpoints", n) % {"n": n},
        context={
            "may_change": access.decide(principal, CHANGE).possible,
            "choices": [state],
            "topic": topic_of(request, selectors.VIEW),
        },
    )


def _columns() -> list[SqlColumn[WebhookEndpoint]]:
    return [
        SqlColumn("name", _("Endpoint"), lambda row: row.name, order=("name",)),
        SqlColumn("id", "", lambda row: row.slug),
        SqlColumn("url", "", lambda row: row.url),
        SqlColumn(
            "account",
            _("Account"),
            lambda row: row.account.slug if row.account is not None else None,
            order=("account__name",),
            nullable=True,
        ),
        SqlColumn("events", _("Events"), lambda row: " ".join(row.events)),
        SqlColumn("state", _("State"), lambda row: row.state, order=("state",)),
        SqlColumn(
            "sent",
            _("Last request"),
            lambda row: iso(row.last_sent_at),  # type: ignore[attr-defined]  # annotated
            order=("last_sent_at",),
            nullable=True,
        ),
        SqlColumn("failing", "", lambda row: iso(row.failing_since)),
    ]


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@asks_again
def endpoint_add(request: HttpRequest) -> HttpResponse:
    """Create an endpoint."""
    principal = principal_of(request)
    access.require(principal, CHANGE)
    accounts = visible(Account.objects.all(), principal, CHANGE, account_field="pk")
    platform = "operate" in principal.grants
    form = EndpointForm(
        request.POST or None,
        accounts=accounts,
        platform=platform,
        initial={"account": None if platform else accounts.first()},
    )
    answer = saved(
        form,
        partial(services.endpoint_create, actor=principal),
        lambda made: redirect("operations:webhook", slug=made.slug),
    )
    return answer or form_page(request, "operations/webhook_form.html", {"form": form})


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@asks_again
def endpoint_edit(request: HttpRequest, slug: str) -> HttpResponse:
    """Change the settings of an endpoint."""
    principal = principal_of(request)
    found = selectors.endpoint(principal, slug, CHANGE)
    initial = {
        "name": found.name,
        "url": found.url,
        "events": found.events,
        "every": EVERY_EVENT in found.events,
    }
    form = EndpointForm(request.POST or None, initial=initial)
    save = partial(services.endpoint_change, endpoint=found, actor=principal)
    answer = saved(form, save, lambda _done: redirect("operations:webhook", slug=slug))
    context = {"form": form, "endpoint": found}
    return answer or form_page(request, "operations/webhook_form.html", context)


@never_cache
@require_GET
def endpoint(request: HttpRequest, slug: str) -> HttpResponse:
    """Show an endpoint and its deliveries."""
    principal = principal_of(request)
    found = selectors.endpoint(principal, slug)
    options = [("", _("All deliveries")), *WebhookDelivery.State.choices]
    state = tables.choice_of(request, "state", _("State"), options)
    kinds = [("", _("All events")), *((name, name) for name in event_types.known())]
    kind = tables.choice_of(request, "type", _("Event"), kinds)
    rows = selectors.deliveries(found, state=state.value, kind=kind.value)
    failed = WebhookDelivery.State.FAILED
    return tables.answer(
        request,
        "operations/webhook.html",
        rows,
        _delivery_columns(),
        given={"state": state.value, "type": kind.value},
        file=f"webhook-{slug}",
        counted=lambda n: ngettext("%(n)s delivery", "%(n)s deliveries", n) % {"n": n},
        context={
            "endpoint": found,
            "may_change": access.decide(principal, CHANGE, found).possible,
            "confirm_url": confirm_url(request),  # a stolen session must not show the secret
            "has_failed": selectors.deliveries(found, state=failed).exists(),
            "choices": [state, kind],
            "topic": topic_of(request, selectors.VIEW),
        },
    )


def _delivery_columns() -> list[SqlColumn[WebhookDelivery]]:
    return [
        SqlColumn("type", _("Event"), lambda row: row.event.type),
        SqlColumn("event", "", lambda row: f"evt_{row.event_id.hex}"),
        SqlColumn("created", _("Created"), lambda row: iso(row.event.created_at)),
        SqlColumn("state", _("State"), lambda row: row.state),
        SqlColumn("status", _("Response"), lambda row: row.status),
        SqlColumn("error", "", lambda row: row.error),
        SqlColumn("attempts", _("Attempts"), lambda row: row.attempts, right=True),
        SqlColumn("sent", _("Last attempt"), lambda row: iso(row.sent_at)),
        SqlColumn("next", "", lambda row: iso(row.next_at)),
    ]


@never_cache
@require_GET
def delivery(request: HttpRequest, slug: str, delivery_id: int) -> HttpResponse:
    """Show a delivery: the request's body, and every attempt."""
    from poolsite.operations.webhooks.sending import body_of

    principal = principal_of(request)
    found = selectors.endpoint(principal, slug)
    row = selectors.delivery(found, delivery_id)
    context: dict[str, Any] = {
        "endpoint": found,
        "delivery": row,
        "body": body_of(row),
        "calls": row.calls.order_by("-pk"),
        "may_change": access.decide(principal, CHANGE, found).possible,
        "topic": topic_of(request, selectors.VIEW),
    }
    return render(request, "operations/webhook_delivery.html", context)
