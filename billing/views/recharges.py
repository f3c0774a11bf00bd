"""Top-ups: the payment, the receipt, the history; what providers send."""

from collections.abc import Iterator
from datetime import date

from django.http import HttpRequest, HttpResponse, JsonResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_GET, require_http_methods, require_POST
from payments import PaymentError, PaymentStatus

from billing import money
from billing.forms import shortest
from billing.models import Recharge, Wallet
from billing.recharging import variants
from billing.recharging.demo_provider import ENDINGS, DemoProvider
from billing.recharging.reports import Answer
from billing.selectors.recharges import SHOWS, RechargeQuery, recharge_get
from billing.selectors.wallets import wallet_get
from billing.services import provider_events
from billing.views.common import address, given, link, number_of
from poolsite import access
from poolsite.access import Decision, Principal
from poolsite.csv_text import csv_file
from poolsite.operations.chips import chips_of
from poolsite.operations.pages import principal_of

CSV_HEAD = (
    *("number", "created", "amount", "currency", "status", "provider", "reference"),
    *("credited", "refunded", "automatic", "requested by"),
)
# What a provider hears as a failure: it sends the event again, or a person there looks.
_REFUSED = {
    Answer.UNKNOWN: 404,
    Answer.TOO_EARLY: 409,
    Answer.WRONG_AMOUNT: 422,
    Answer.WRONG_REFERENCE: 422,
}


@require_http_methods(["GET", "POST"])
def recharge_pay(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """The way to the provider; in the demo this page stands for the provider's own."""
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


@require_GET
def recharge_page(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """One top-up: how it stands, and once it is paid its receipt, printable."""
    principal = principal_of(request)
    recharge = recharge_get(principal, slug, pk)
    order = recharge.wallet.orders.filter(operation_id=recharge.operation_id).first()
    context = {
        "recharge": recharge,
        "wallet": recharge.wallet,
        "state": state_of(recharge),
        "provider": variants.label_of(recharge.variant),
        "order": order,
        "may_pay": may_pay(principal, recharge.wallet),
        "is_open": recharge.status in SHOWS["waiting"],
        "again": shortest(recharge.amount) if recharge.status in SHOWS["failed"] else "",
        "events": recharge.events.all()[:20] if principal.is_operator else [],
        "operations": recharge.wallet.orders.filter(reference=recharge.number),
    }
    return render(request, "billing/recharges/recharge.html", context)


@require_GET
def recharge_state(request: HttpRequest, slug: str, pk: int) -> JsonResponse:
    """How one top-up stands, for the page that waits for its provider."""
    recharge = recharge_get(principal_of(request), slug, pk)
    return JsonResponse({"status": recharge.status, "credited": recharge.credited_at is not None})


def may_pay(principal: Principal, wallet: Wallet) -> bool:
    """Whether the reader may pay in, once a second factor is proved where it is asked for."""
    answer = access.decide(principal, "billing.pay", wallet)
    return answer in (Decision.ALLOW, Decision.FACTOR)


def state_of(recharge: Recharge) -> tuple[str, str, str]:
    """A top-up's status for people: word, chip's class, icon."""
    if recharge.status == PaymentStatus.CONFIRMED and recharge.reversed:
        return _("Partly refunded"), "chip--warn", "undo"
    return {
        PaymentStatus.WAITING: (_("Not paid yet"), "chip--info", "schedule"),
        PaymentStatus.INPUT: (_("Not paid yet"), "chip--info", "schedule"),
        PaymentStatus.PREAUTH: (_("Authorized"), "chip--info", "schedule"),
        PaymentStatus.CONFIRMED: (_("Paid"), "chip--ok", "check"),
        PaymentStatus.REJECTED: (_("Refused"), "chip--bad", "close"),
        PaymentStatus.ERROR: (_("Under review"), "chip--bad", "error"),
        PaymentStatus.CANCELLED: (_("Cancelled"), "", "block"),
        PaymentStatus.REFUNDED: (_("Refunded"), "chip--warn", "undo"),
    }.get(recharge.status, (recharge.status, "", ""))


# -- the history --------------------------------------------------------------------------------


@require_GET
def recharges(request: HttpRequest, slug: str) -> HttpResponse | StreamingHttpResponse:
    """An account's top-ups with filters; `?format=csv` the same as a file."""
    principal = principal_of(request)
    wallet = wallet_get(principal, slug)
    filters = given(request, "q", "show", "variant", "from", "until")
    query = RechargeQuery(
        show=filters["show"] if filters["show"] in SHOWS else "",
        variant=filters["variant"],
        begin=_day(filters["from"]),
        end=_day(filters["until"]),
        search=filters["q"],
        after=number_of(request.GET.get("after", "")) or 0,
    )
    if request.GET.get("format") == "csv":
        return _csv(wallet, query)
    page = query.page(wallet)
    context = {
        "wallet": wallet,
        "filters": filters,
        "shows": _shows(),
        "variants": variants.configured(),
        "chips": _chips(filters),
        "rows": [(row, state_of(row), variants.label_of(row.variant)) for row in page.rows],
        "next_url": address(filters, after=page.following) if page.following else "",
        "back_url": address(filters) if query.after else "",
        "may_pay": may_pay(principal, wallet) and wallet.status != Wallet.Status.CLOSED,
        "refund_url": link("refund_ask", slug),
    }
    return render(request, "billing/recharges/recharges.html", context)


def _shows() -> list[tuple[str, str]]:
    return [
        ("", _("All top-ups")),
        ("paid", _("Paid")),
        ("waiting", _("Not paid yet")),
        ("failed", _("Failed or cancelled")),
        ("refunded", _("Refunded")),
    ]


def _chips(filters: dict[str, str]) -> list[dict[str, str]]:
    names = {
        "q": _("Number or reference"),
        "show": _("Filter"),
        "variant": _("Payment method"),
        "from": _("From"),
        "until": _("Until"),
    }
    words = {**dict(_shows()), **{each.name: str(each.label) for each in variants.configured()}}
    said = {name: words.get(value, value) for name, value in filters.items()}
    return chips_of(filters, names, said)


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def _csv(wallet: Wallet, query: RechargeQuery) -> StreamingHttpResponse:
    return csv_file(f"top-ups-{wallet.slug}.csv", CSV_HEAD, _csv_rows(wallet, query))


def _csv_rows(wallet: Wallet, query: RechargeQuery) -> Iterator[list[str]]:
    for row in query.every(wallet):
        yield [
            row.number,
            row.created.isoformat(),
            money.plain(row.amount),
            row.currency,
            row.status,
            row.variant,
            row.transaction_id,
            row.credited_at.isoformat() if row.credited_at else "",
            money.plain(row.reversed),
            "yes" if row.is_automatic else "",
            row.requested_by,
        ]


# -- what providers send ------------------------------------------------------------------------


@csrf_exempt
@require_POST
def provider_event(request: HttpRequest, variant: str) -> JsonResponse:
    """A provider's event, believed for its signature alone; the answer says what came of it."""
    if variant not in _open_variants():
        return JsonResponse({"error": "There is no such provider."}, status=404)
    # Loaded where it is used: only the web needs Stripe's client, and only with a variant of it.
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
