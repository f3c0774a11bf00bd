"""Promotional credit of one account: the credits granted, a form to grant more, revoking."""

from functools import partial
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import pgettext
from django.views.decorators.http import require_http_methods, require_POST

from billing.forms import PromotionForm, ReasonForm
from billing.models import MoneyOrder, Promotion, Wallet
from billing.selectors.promotions import promotions_in, state_of, with_granted
from billing.selectors.wallets import wallet_get
from billing.services.acting import person
from billing.services.adjustments import adjustment_ask
from billing.services.promotions import promotion_revoke
from billing.views.adjustments_asking import asked
from billing.views.messages_words import place_of, range_words
from poolsite import access
from poolsite.access import four_eyes
from poolsite.console.form_pages import form_page, saved
from poolsite.console.lists import address
from poolsite.console.pages import principal_of
from poolsite.console.tables import PAGE_ROWS, key_of
from poolsite.console.verbs import carry_out
from poolsite.paging import older_page


@require_http_methods(["GET", "POST"])
def promotions(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the account's promotional credits; a POST grants another."""
    principal = principal_of(request)
    wallet = wallet_get(principal, slug, "billing.finance")
    form = PromotionForm(request.POST or None, wallet=wallet)
    save = partial(adjustment_ask, wallet, actor=principal, kind=MoneyOrder.Kind.GRANT)
    return saved(form, save, partial(asked, request)) or _page(request, wallet, form)


def _page(request: HttpRequest, wallet: Wallet, form: PromotionForm) -> HttpResponse:
    rows = promotions_in(wallet)
    before, first = key_of(request, "before"), place_of(request)
    found, following = older_page(with_granted(rows), before, PAGE_ROWS)
    context = {
        "wallet": wallet,
        "form": form,
        "rows": [_row(each) for each in found],
        "shown": range_words(first, len(found), rows.count()),
        "next_url": address({}, before=following, at=first + len(found)) if following else "",
        "back_url": address({}) if before else "",
        "approvers": four_eyes.approvers(person(principal_of(request))),
    }
    return form_page(request, "billing/adjustments/promotions.html", context)


def _row(promotion: Promotion) -> dict[str, Any]:
    state = state_of(promotion)
    word, chip = {
        "waiting": (pgettext("promotion", "Not granted yet"), ""),
        "active": (pgettext("promotion", "Active"), "chip--ok"),
        "used": (pgettext("promotion", "Used up"), ""),
        "expired": (pgettext("promotion", "Expired"), "chip--warn"),
        "revoked": (pgettext("promotion", "Revoked"), "chip--warn"),
    }[state]
    may_revoke = state in ("waiting", "active", "used")
    return {"promotion": promotion, "word": word, "chip": chip, "may_revoke": may_revoke}


@require_POST
def revoke(request: HttpRequest, pk: int) -> HttpResponse:
    """Take the rest of a promotional credit, with a reason."""
    principal = principal_of(request)
    rows = Promotion.objects.select_related("wallet__account").filter(pk=pk)
    found = access.require_one(rows, principal, "billing.finance")
    form = ReasonForm(request.POST)
    if not form.is_valid():
        messages.error(request, _("Enter a short reason."))
        return redirect("billing:promotions", slug=found.wallet.slug)
    reason = form.cleaned_data["reason"]
    carry_out(
        request,
        lambda: promotion_revoke(found, actor=principal, reason=reason),
        _("Promotional credit revoked."),
    )
    return redirect("billing:promotions", slug=found.wallet.slug)
