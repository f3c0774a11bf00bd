"""The form of an account's credit limit: lower at once, higher when another operator approves."""

from functools import partial

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from billing.forms import CreditLimitForm
from billing.models import Adjustment
from billing.selectors import figures
from billing.selectors.wallets import wallet_get
from billing.services import credit_limits
from billing.services.acting import person
from poolsite.access import four_eyes
from poolsite.console.form_pages import form_page, saved
from poolsite.console.pages import principal_of


@require_http_methods(["GET", "POST"])
def credit_limit(request: HttpRequest, slug: str) -> HttpResponse:
    """Change how far the balance of one account may go below zero."""
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
