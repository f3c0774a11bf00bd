"""An account's limits: the customer's own rules, and how far the balance may go below zero."""

from functools import partial

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from billing.forms import CreditLimitForm
from billing.forms_limits import LimitsForm, NoticeForm
from billing.models import Adjustment, Wallet
from billing.selectors import figures
from billing.selectors.people import names_of
from billing.selectors.recharges import RECIPIENTS_LIMIT, method_of, recipients_of
from billing.selectors.wallets import wallet_get
from billing.services import credit_limits
from billing.services.acting import person
from billing.services.alert_recipients import recipient_add
from billing.services.payment_methods import method_remove
from billing.services.wallets import CUSTOMERS, wallet_configure
from billing.views.common import number_of
from poolsite.access import Principal, four_eyes
from poolsite.console.form_pages import form_page, redirect_with, saved
from poolsite.console.pages import principal_of
from poolsite.operations.models import NoticeTarget
from poolsite.operations.services import delete_target


@require_http_methods(["GET", "POST"])
def limits(request: HttpRequest, slug: str) -> HttpResponse:
    """Show one page with three forms; the field `part` names the one that was sent."""
    principal = principal_of(request)
    wallet = wallet_get(principal, slug, "billing.pay")
    part = request.POST.get("part", "")
    method = method_of(wallet)
    form = LimitsForm(
        request.POST if part == "rules" else None,
        initial={name: getattr(wallet, name) for name in CUSTOMERS},
        currency=wallet.account.currency,
        # Rules without a saved method stay editable, so that they can be turned off.
        automatic=method is not None or bool(wallet.top_up_below),
    )
    notice = NoticeForm(request.POST if part == "target" else None)
    done = redirect_with(request, _("Saved."), "billing:limits", slug=slug)
    if part == "forget":
        _forget(principal, wallet, request.POST.get("target", ""))
        return done(None)
    answer = saved(form, partial(wallet_configure, wallet, actor=principal), done) or saved(
        notice, partial(recipient_add, wallet, actor=principal), done
    )
    if answer:
        return answer
    context = {
        "wallet": wallet,
        "form": form,
        "notice": notice,
        "method": method,
        "method_by": names_of([method.added_by])[method.added_by] if method else "",
        "targets": recipients_of(wallet)[:RECIPIENTS_LIMIT],
        "spent": figures.of(wallet).spent_today if wallet.daily_limit else None,
    }
    return form_page(request, "billing/recharges/limits.html", context)


def _forget(principal: Principal, wallet: Wallet, key: str) -> None:
    found = NoticeTarget.objects.filter(account=wallet.account_id, pk=number_of(key) or 0).first()
    if found is not None:
        delete_target(found, actor=principal)


@require_POST
def card_remove(request: HttpRequest, slug: str) -> HttpResponse:
    """Remove the saved card."""
    principal = principal_of(request)
    wallet = wallet_get(principal, slug, "billing.pay")
    method = method_of(wallet)
    if method is not None:
        method_remove(method, actor=principal)
        messages.success(request, _("Payment method removed."))
    return redirect("billing:limits", slug=slug)


@require_http_methods(["GET", "POST"])
def credit_limit(request: HttpRequest, slug: str) -> HttpResponse:
    """Change how far one account's balance may go below zero."""
    principal = principal_of(request)
    wallet = wallet_get(principal, slug, "billing.finance")
    form = CreditLimitForm(
        request.POST or None,
        currency=wallet.account.currency,
        initial={"amount": wallet.credit_limit},
    )

    def done(waiting: Adjustment | None) -> HttpResponse:
        if waiting is not None:
            messages.info(request, _("The higher credit limit is waiting for approval."))
            return redirect("billing:adjustment", pk=waiting.pk)
        messages.success(request, _("Credit limit changed."))
        return redirect("billing:account", slug=slug)

    save = partial(credit_limits.credit_limit_ask, wallet, actor=principal)
    if answer := saved(form, save, done):
        return answer
    context = {
        "wallet": wallet,
        "form": form,
        "now": figures.of(wallet),
        "waiting": credit_limits.waiting_raise(wallet),
        "approvers": four_eyes.approvers(person(principal)),
    }
    return form_page(request, "billing/adjustments/credit_limit.html", context)
