"""The actions of the buttons on a webhook endpoint's pages."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST

from poolsite.access.confirming import asks_again
from poolsite.console.pages import principal_of
from poolsite.console.verbs import carry_out, word_of
from poolsite.operations.models import WebhookEndpoint
from poolsite.operations.webhooks import selectors, services


@require_POST
def disable(request: HttpRequest, slug: str) -> HttpResponse:
    """Stop sending to the endpoint until it is enabled."""
    found, actor = _found(request, slug), principal_of(request)

    def verb() -> str:
        services.endpoint_disable(endpoint=found, actor=actor, reason=word_of(request, "reason"))
        return _("Endpoint disabled.")

    return _done(request, slug, verb)


@require_POST
def enable(request: HttpRequest, slug: str) -> HttpResponse:
    """Send to the endpoint again."""
    found, actor = _found(request, slug), principal_of(request)

    def verb() -> str:
        services.endpoint_enable(endpoint=found, actor=actor)
        return _("Endpoint enabled.")

    return _done(request, slug, verb)


@require_POST
@asks_again
def rotate(request: HttpRequest, slug: str) -> HttpResponse:
    """Create a new signing secret. The old one also signs for a day."""
    found, actor = _found(request, slug), principal_of(request)

    def verb() -> str:
        services.endpoint_rotate(endpoint=found, actor=actor)
        return _("New signing secret created. The old one also signs for 24 hours.")

    return _done(request, slug, verb)


@require_POST
def test(request: HttpRequest, slug: str) -> HttpResponse:
    """Send a test event."""
    found, actor = _found(request, slug), principal_of(request)

    def verb() -> str:
        services.endpoint_test(endpoint=found, actor=actor)
        return _("Test event queued.")

    return _done(request, slug, verb)


@require_POST
def resend(request: HttpRequest, slug: str, delivery_id: int) -> HttpResponse:
    """Send a delivery again."""
    found, actor = _found(request, slug), principal_of(request)
    row = selectors.delivery(found, delivery_id)

    def verb() -> str:
        services.delivery_resend(delivery=row, actor=actor)
        return _("Event queued to be sent again.")

    return _done(request, slug, verb)


@require_POST
def resend_failed(request: HttpRequest, slug: str) -> HttpResponse:
    """Send the failed deliveries again."""
    found, actor = _found(request, slug), principal_of(request)

    def verb() -> str:
        count = services.failed_resend(endpoint=found, actor=actor)
        return ngettext("%(n)s event queued.", "%(n)s events queued.", count) % {"n": count}

    return _done(request, slug, verb)


@require_POST
@asks_again
def delete(request: HttpRequest, slug: str) -> HttpResponse:
    """Delete the endpoint with its log."""
    found, actor = _found(request, slug), principal_of(request)

    def verb() -> str:
        services.endpoint_delete(endpoint=found, actor=actor, reason=word_of(request, "reason"))
        return _("Endpoint deleted.")

    if carry_out(request, verb):
        return redirect("operations:webhooks")
    return redirect("operations:webhook", slug=slug)


def _found(request: HttpRequest, slug: str) -> WebhookEndpoint:
    return selectors.endpoint(principal_of(request), slug, services.CHANGE)


def _done(request: HttpRequest, slug: str, verb: Callable[[], str]) -> HttpResponse:
    carry_out(request, verb)
    return redirect("operations:webhook", slug=slug)
