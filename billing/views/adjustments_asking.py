"""The form for an adjustment: a kind, its own fields, the balance before and after."""

from dataclasses import dataclass
from functools import partial
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods

from billing import money
from billing.forms import AdjustmentForm
from billing.models import Adjustment, MoneyOrder, Wallet
from billing.presentation import amount as in_words
from billing.selectors import figures
from billing.selectors.adjustments import effect
from billing.selectors.wallets import wallet_get
from billing.services import adjustments as services
from billing.services.acting import person
from poolsite.access import four_eyes
from poolsite.console.form_pages import form_page, saved
from poolsite.console.pages import principal_of

Kind = MoneyOrder.Kind


@dataclass(frozen=True)
class Choice:
    """One kind of adjustment as the form offers it."""

    kind: str
    label: Promise
    text: Promise
    verb: Promise  # of the button, if no approval is needed


CHOICES = (
    Choice(
        Kind.CREDIT,
        gettext_lazy("Credit"),
        gettext_lazy(
            "Adds money, such as a bank transfer or goodwill. It pays what is owed first."
        ),
        gettext_lazy("Credit balance"),
    ),
    Choice(
        Kind.DEBIT,
        gettext_lazy("Debit"),
        gettext_lazy("Takes money. What the balance doesn't cover is owed until the next top-up."),
        gettext_lazy("Debit balance"),
    ),
    Choice(
        Kind.CASH_REFUND,
        gettext_lazy("Cash refund"),
        gettext_lazy("Pays money out to the customer, up to the available balance."),
        gettext_lazy("Pay out refund"),
    ),
    Choice(
        Kind.CHARGEBACK,
        gettext_lazy("Chargeback"),
        gettext_lazy("The bank took a top-up back. What the balance doesn't cover is owed."),
        gettext_lazy("Record chargeback"),
    ),
)
KINDS = {each.kind: each for each in CHOICES}


@require_http_methods(["GET", "POST"])
def adjust(request: HttpRequest, slug: str) -> HttpResponse:
    """Request an adjustment of one account; `?kind=` chooses the fields."""
    principal = principal_of(request)
    wallet = wallet_get(principal, slug, "billing.finance")
    kind = request.POST.get("kind") or request.GET.get("kind", "")
    choice = KINDS.get(kind, CHOICES[0])
    initial = {
        "kind": choice.kind,
        "amount": request.GET.get("amount", "")[:24],
        "recharge": request.GET.get("top_up", "")[:20],
    }
    form = AdjustmentForm(request.POST or None, wallet=wallet, kind=choice.kind, initial=initial)
    save = partial(services.adjustment_ask, wallet, actor=principal)
    if answer := saved(form, save, partial(asked, request)):
        return answer
    limit: int = settings.BILLING_FOUR_EYES_ABOVE
    alone = services.alone_up_to(wallet, person(principal), choice.kind)
    effects = _before_and_after(wallet, choice.kind, form["amount"].value())
    needs_approval = not alone or effects["units"] > alone
    submit = _("Submit for approval")
    effects["page"] |= {"alone": alone, "submit": submit, "verb": str(choice.verb)}
    context = {
        "wallet": wallet,
        "form": form,
        "choice": choice,
        "choices": CHOICES,
        "approvers": four_eyes.approvers(person(principal)),
        "limit": limit,
        "receipts": wallet.recharges.exclude(credited_at=None).order_by("-pk")[:20],
        "button": submit if needs_approval else choice.verb,
        **effects,
    }
    return form_page(request, "billing/adjustments/adjust.html", context)


def _before_and_after(wallet: Wallet, kind: str, text: Any) -> dict[str, Any]:
    now = figures.of(wallet)
    try:
        units = max(0, money.parse(str(text or 0)))
    except money.MoneyError:
        units = 0
    return {
        "now": now,
        "units": units,
        "after": effect(
            kind, units, now.balance, now.receivable, now.credit_limit, now.promotional
        ),
        "page": {
            "kind": kind,
            "currency": wallet.account.currency,
            "balance": now.balance,
            "credit_limit": now.credit_limit,
            "promotional": now.promotional,
            "owed": now.receivable,
        },
    }


def asked(request: HttpRequest, made: Adjustment) -> HttpResponse:
    """Show the request, with a message about what happens next."""
    words = in_words(made.amount, made.wallet.account.currency)
    if made.status == Adjustment.Status.WAITING:
        messages.info(request, _("%s is waiting for another operator's approval.") % words)
    else:
        messages.success(request, _("%s will be applied to the balance shortly.") % words)
    return redirect("billing:adjustment", pk=made.pk)
