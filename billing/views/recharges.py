"""The payment of a top-up, and the events of providers."""

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods, require_POST
from payments import PaymentError

from billing.recharging import variants
from billing.recharging.demo_provider import ENDINGS, DemoProvider
from billing.recharging.reports import ReportResult
from billing.selectors.recharges import SHOWS, recharge_get
from billing.services import provider_events
from poolsite.console.pages import principal_of

# The HTTP status of a failure. The provider then sends the event again, or a person there checks
# it.
_REFUSED = {
    ReportResult.UNKNOWN: 404,
    ReportResult.TOO_EARLY: 409,
    ReportResult.WRONG_AMOUNT: 422,
    ReportResult.WRONG_REFERENCE: 422,
}


@require_http_methods(["GET", "POST"])
def recharge_pay(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Show the way to the provider; in the demo this page takes the place of the provider's."""
    principal = principal_of(request)
    recharge = recharge_get(principal, slug, pk, "billing.pay")
    receipt = redirect("billing:recharge", slug=slug, pk=pk)
    if recharge.status not in SHOWS["waiting"] or recharge.variant not in _open_variants():
        return receipt
    provider = variants.provider_of(recharge.variant)
    if isinstance(provider, DemoProvider):
        ending = request.POST.get("ending", "")
        if request.method == "POST" and ending in ENDINGS:
            provider.end(recharge, ending)
            return receipt
        return render(request, "billing/recharges/demo_pay.html", {"recharge": recharge})
    try:
        pay_url = provider.open(recharge)
    except variants.ProviderError:
        context = {"recharge": recharge, "failed": True}
        return render(request, "billing/recharges/pay.html", context, status=502)
    context = {"recharge": recharge, "pay_url": pay_url}
    return render(request, "billing/recharges/pay.html", context)


def _open_variants() -> set[str]:
    return {variant.name for variant in variants.configured()}


@csrf_exempt
@require_POST
def provider_event(request: HttpRequest, variant: str) -> JsonResponse:
    """Take a provider's event, trusted only for its signature; answer its result."""
    if variant not in _open_variants():
        return JsonResponse({"error": "There is no such provider."}, status=404)
    # Imported here: only the web needs Stripe's client, and only if Stripe is configured.
    from billing.recharging.stripe_provider import StripeProvider

    provider = variants.provider_of(variant)
    if not isinstance(provider, StripeProvider):
        return JsonResponse({"error": "This provider sends nothing."}, status=404)
    try:
        event = provider.read_event(request)
        report = provider.report_of(event)
    except PaymentError as error:
        return JsonResponse({"error": str(error)}, status=int(error.code or 400))
    answer = provider_events.event_take(
        variant, str(event["id"]), str(event.get("type", "")), report
    )
    return JsonResponse({"answer": answer.value}, status=_REFUSED.get(answer, 200))
