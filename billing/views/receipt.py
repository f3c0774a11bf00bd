"""One top-up: its state, and its receipt once it is paid, on the page and as a document."""

from datetime import datetime

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST
from payments import PaymentStatus

from billing.forms import shortest
from billing.models import Recharge
from billing.presentation import amount
from billing.recharging import variants
from billing.selectors.people import names_of
from billing.selectors.recharges import SHOWS, recharge_get
from billing.services import recharges_asking as services
from billing.services.days import zone_of
from billing.views.common import may_pay
from poolsite.console.pages import principal_of
from poolsite.paper import Column, Paper


@require_GET
def recharge_page(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Show one top-up: its state, and its printable receipt once it is paid."""
    principal = principal_of(request)
    recharge = recharge_get(principal, slug, pk)
    order = recharge.wallet.orders.filter(operation_id=recharge.operation_id).first()
    context = {
        "recharge": recharge,
        "wallet": recharge.wallet,
        "state": state_of(recharge),
        "provider": variants.label_of(recharge.variant),
        "person": names_of([recharge.requested_by])[recharge.requested_by],
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
    """Return the state of one top-up, for the page that waits for its provider."""
    recharge = recharge_get(principal_of(request), slug, pk)
    return JsonResponse({"status": recharge.status, "credited": recharge.credited_at is not None})


@require_POST
def recharge_cancel(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Cancel an unpaid top-up."""
    principal = principal_of(request)
    recharge = recharge_get(principal, slug, pk, "billing.pay")
    if services.recharge_cancel(recharge, actor=principal):
        messages.success(request, _("Top-up %s cancelled.") % recharge.number)
    return redirect("billing:recharges", slug=slug)


@require_GET
def receipt_pdf(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Return the receipt as a document; an unpaid top-up has none."""
    recharge = recharge_get(principal_of(request), slug, pk)
    if recharge.credited_at is None:
        messages.warning(request, _("The receipt is available once the top-up is paid."))
        return redirect("billing:recharge", slug=slug, pk=pk)
    answer = HttpResponse(receipt_document(recharge), content_type="application/pdf")
    answer["Content-Disposition"] = f'attachment; filename="receipt-{recharge.number}.pdf"'
    return answer


def receipt_document(recharge: Recharge) -> bytes:
    """Return the PDF, in the active language. The same top-up gives the same bytes."""
    account, zone = recharge.wallet.account, zone_of(recharge.wallet.account)
    paid: datetime = (recharge.credited_at or recharge.created).astimezone(zone)
    title = _("Receipt %(number)s") % {"number": recharge.number}
    footer = f"{settings.PLATFORM_NAME} · {account.name} · {title}"
    paper = Paper(f"{title} · {account.name}", paid, footer)
    paper.text(title, 18, bold=True)
    paper.space(4)
    paper.facts(
        (
            (_("Seller"), settings.PLATFORM_NAME),
            (_("Customer"), account.name),
            (_("Paid on"), f"{date_format(paid, 'DATETIME_FORMAT')} ({account.zone})"),
            (_("Payment method"), variants.label_of(recharge.variant)),
            (_("Payment reference"), recharge.transaction_id or "–"),
            (_("Paid by"), names_of([recharge.requested_by])[recharge.requested_by]),
        )
    )
    paper.heading(_("Payment"))
    columns = [Column("", 3), Column(recharge.currency, 1, is_figure=True)]
    rows = [(recharge.description, amount(recharge.amount))]
    if recharge.reversed:
        rows.append((_("Refunded or charged back"), amount(-recharge.reversed)))
    rows.append((_("Total paid"), amount(recharge.amount - recharge.reversed, recharge.currency)))
    paper.table(columns, rows, last_is_total=True)
    paper.space(6)
    paper.text(_("This receipt confirms a payment. It is not a tax invoice."), 8, muted=True)
    return paper.finish()


def state_of(recharge: Recharge) -> tuple[str, str, str]:
    """Return a top-up's status for people: label, chip's class, icon."""
    if recharge.status == PaymentStatus.CONFIRMED and recharge.reversed:
        return _("Partly refunded"), "chip--warn", "undo"
    return {
        PaymentStatus.WAITING: (_("Not paid yet"), "chip--info", "schedule"),
        PaymentStatus.INPUT: (_("Not paid yet"), "chip--info", "schedule"),
        PaymentStatus.PREAUTH: (_("Authorized"), "chip--info", "schedule"),
        PaymentStatus.CONFIRMED: (_("Paid"), "chip--ok", "check"),
        PaymentStatus.REJECTED: (_("Declined"), "chip--bad", "close"),
        PaymentStatus.ERROR: (_("Under review"), "chip--bad", "error"),
        PaymentStatus.CANCELLED: (_("Cancelled"), "", "block"),
        PaymentStatus.REFUNDED: (_("Refunded"), "chip--warn", "undo"),
    }.get(recharge.status, (recharge.status, "", ""))
