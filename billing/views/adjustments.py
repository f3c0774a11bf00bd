"""Decisions of operators: adjustments with four eyes, refund requests, opening and closing."""

from collections.abc import Callable
from functools import partial

from django.forms import Form
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from billing.forms import AcceptRefundForm, OpenForm, ReasonForm, RefundForm
from billing.models import Adjustment, MoneyOrder, RefundRequest
from billing.presentation import amount as in_words
from billing.selectors import figures
from billing.selectors import recharges as selectors
from billing.selectors.adjustments import effect
from billing.selectors.promotions import own_balance
from billing.selectors.wallets import wallet_get
from billing.services import adjustments as services
from billing.services import adjustments_giving_up as giving_up
from billing.services import refunds, wallets
from billing.services.acting import person
from billing.views.adjustments_asking import asked
from billing.views.adjustments_list import row_of
from poolsite import access
from poolsite.access import four_eyes
from poolsite.console.form_pages import form_page, redirect_with, saved
from poolsite.console.pages import principal_of
from poolsite.console.verbs import carry_out


@require_GET
def adjustment(request: HttpRequest, pk: int) -> HttpResponse:
    """Show one adjustment with everything that a second operator needs."""
    return _page(request, pk, ReasonForm(), 200)


def _page(request: HttpRequest, pk: int, form: Form, status: int) -> HttpResponse:
    principal = principal_of(request)
    found = selectors.adjustment_get(principal, pk)
    waiting = found.status == Adjustment.Status.WAITING
    order = found.wallet.orders.filter(operation_id=found.operation_id).first()
    on_its_way = order is not None and order.applied_at is None and order.cancelled_at is None
    reader = person(principal)
    now = figures.of(found.wallet)
    context = {
        **row_of(found),
        "wallet": found.wallet,
        "now": now,
        "after": effect(
            *(
                found.kind,
                found.amount,
                now.balance,
                now.receivable,
                now.credit_limit,
                now.promotional,
            )
        ),
        "is_limit": found.kind == Adjustment.CREDIT_LIMIT,
        "order": order,
        "stuck": on_its_way and found.kind == MoneyOrder.Kind.CASH_REFUND,
        "refund": RefundRequest.objects.filter(adjustment=found).first(),
        "own": found.asked_by_id == reader.pk,
        "why_not": services.why_not_approve(found, reader) if waiting else "",
        "approvers": four_eyes.approvers(found.asked_by) if waiting else [],
        "waiting": waiting,
        "form": form,
    }
    return render(request, "billing/adjustments/adjustment.html", context, status=status)


@require_POST
def adjustment_approve(request: HttpRequest, pk: int) -> HttpResponse:
    """Approve as the second operator."""
    principal = principal_of(request)
    found = selectors.adjustment_get(principal, pk)
    return _decided(
        request,
        pk,
        lambda: services.adjustment_approve(found, actor=principal),
        _("Adjustment approved."),
    )


@require_POST
def adjustment_reject(request: HttpRequest, pk: int) -> HttpResponse:
    """Reject an adjustment, or withdraw one's own."""
    return _reasoned(
        request, pk, services.adjustment_reject, _("Adjustment rejected. No money moved.")
    )


@require_POST
def adjustment_give_up(request: HttpRequest, pk: int) -> HttpResponse:
    """Cancel a cash refund that the balance does not cover."""
    words = _("Refund cancelled. Nothing was paid out.")
    return _reasoned(request, pk, giving_up.adjustment_give_up, words)


def _reasoned(
    request: HttpRequest, pk: int, decide: Callable[..., object], words: str
) -> HttpResponse:
    """Decide with the given reason; without one, show the page again."""
    principal = principal_of(request)
    found = selectors.adjustment_get(principal, pk)
    form = ReasonForm(request.POST)
    if not form.is_valid():
        return _page(request, pk, form, 422)
    reason = form.cleaned_data["reason"]
    return _decided(request, pk, lambda: decide(found, actor=principal, reason=reason), words)


def _decided(
    request: HttpRequest, pk: int, decide: Callable[[], object], words: str
) -> HttpResponse:
    carry_out(request, decide, words)
    return redirect("billing:adjustment", pk=pk)


# -- refunds that customers request ----------------------------------------------------------------


@require_http_methods(["GET", "POST"])
def refund_ask(request: HttpRequest, slug: str) -> HttpResponse:
    """Let a customer request a refund, and show earlier requests."""
    principal = principal_of(request)
    wallet = wallet_get(principal, slug, "billing.pay")
    currency = wallet.account.currency
    most = in_words(own_balance(wallet), currency)
    form = RefundForm(request.POST or None, currency=currency, most=most)
    save = partial(refunds.refund_ask, wallet, actor=principal)
    done = redirect_with(request, _("Refund request submitted."), "billing:refund_ask", slug=slug)
    if answer := saved(form, save, done):
        return answer
    found = list(wallet.refund_requests.select_related("adjustment")[:50])
    context = {
        "wallet": wallet,
        "form": form,
        "most": most,
        "requests": found,
        "open": next((each for each in found if each.status == RefundRequest.Status.OPEN), None),
    }
    return form_page(request, "billing/adjustments/refund_ask.html", context)


@require_POST
def refund_withdraw(request: HttpRequest, pk: int) -> HttpResponse:
    """Withdraw the customer's request."""
    principal = principal_of(request)
    found = selectors.refund_get(principal, pk, "billing.pay")
    carry_out(
        request,
        lambda: refunds.refund_withdraw(found, actor=principal),
        _("Request withdrawn."),
    )
    return redirect("billing:refund_ask", slug=found.wallet.slug)


@require_http_methods(["GET", "POST"])
def refund(request: HttpRequest, pk: int) -> HttpResponse:
    """Answer a refund request as an operator: accept it as an adjustment, or decline it."""
    principal = principal_of(request)
    found = selectors.refund_get(principal, pk, "billing.finance")
    accept = AcceptRefundForm(request.POST if "accept" in request.POST else None)
    decline = ReasonForm(request.POST if "decline" in request.POST else None)
    save = partial(refunds.refund_accept, found, actor=principal)
    if answer := saved(accept, save, partial(asked, request)):
        return answer
    if decline.is_bound and decline.is_valid():
        reason = decline.cleaned_data["reason"]
        carry_out(
            request,
            lambda: refunds.refund_decline(found, actor=principal, reason=reason),
            _("Request declined."),
        )
        return redirect("billing:adjustments")
    context = {
        "refund": found,
        "wallet": found.wallet,
        "accept": accept,
        "decline": decline,
        "is_open": found.status == RefundRequest.Status.OPEN,
        "why_not": refunds.why_not_accept(found, person(principal)),
    }
    return form_page(request, "billing/adjustments/refund.html", context)


# -- the account itself ----------------------------------------------------------------------------


@require_http_methods(["GET", "POST"])
def wallet_close(request: HttpRequest, slug: str) -> HttpResponse:
    """Close an account for good, with a reason; GET shows the form."""
    principal = principal_of(request)
    wallet = wallet_get(principal, slug, "billing.finance")
    form = ReasonForm(request.POST or None)
    save = partial(wallets.wallet_close, wallet, actor=principal)
    done = redirect_with(request, _("The account is closed."), "billing:account", slug=slug)
    context = {"wallet": wallet, "form": form}
    return saved(form, save, done) or form_page(
        request, "billing/adjustments/wallet_close.html", context
    )


@require_http_methods(["GET", "POST"])
def wallet_open(request: HttpRequest) -> HttpResponse:
    """Open an account's wallet; a second click returns the existing one."""
    principal = principal_of(request)
    access.require(principal, "billing.finance")
    form = OpenForm(request.POST or None, initial={"account": request.GET.get("account")})
    answer = saved(
        form,
        partial(wallets.wallet_open, actor=principal),
        lambda wallet: redirect("billing:account", slug=wallet.slug),
    )
    return answer or form_page(request, "billing/adjustments/wallet_open.html", {"form": form})
