"""The form of a top-up: the amount, and its effect on the balance."""

from functools import partial
from typing import Any

from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from billing import money
from billing.forms import OTHER, TopUpForm, shortest
from billing.models import Wallet
from billing.presentation import amount as in_words
from billing.presentation import rounded
from billing.recharging import variants
from billing.selectors import top_up as selectors
from billing.selectors.wallets import wallet_get
from billing.services.recharges import check_amount, recharge_start
from poolsite.console.form_pages import form_page, saved
from poolsite.console.pages import principal_of
from poolsite.console.templatetags.console import figure

YEAR_HOURS = 24 * 365


@require_http_methods(["GET", "POST"])
def top_up(request: HttpRequest, slug: str) -> HttpResponse:
    """Ask for the amount, then redirect to the provider.

    `?amount=`, in currency units, was chosen before: it is shown and not asked for again, until
    `?change=` leads back to the choice. Without it, the default amount is selected.
    """
    principal = principal_of(request)
    wallet = wallet_get(principal, slug, "billing.pay")
    chosen = request.GET.get("amount", "")[:24]
    given = chosen or request.GET.get("change", "")[:24]
    initial = {"amount": given or shortest(selectors.DEFAULT)}
    form = TopUpForm(request.POST or None, wallet=wallet, initial=initial)
    answer = saved(
        form,
        partial(recharge_start, wallet, actor=principal),
        lambda recharge: redirect("billing:recharge_pay", slug=slug, pk=recharge.pk),
    )
    if answer:
        return answer
    units = _units(form["amount"].value() or "", wallet)
    context = {
        "wallet": wallet,
        "form": form,
        "offered": variants.configured(),
        "closed": wallet.status == Wallet.Status.CLOSED,
        "fixed": chosen if units and chosen and not form.errors else "",
        **_amounts(wallet, units, form["amount"].value() or ""),
    }
    return form_page(request, "billing/recharges/top_up.html", context)


def _units(text: str, wallet: Wallet) -> int:
    """Return the amount in the form, or 0 if it cannot be paid."""
    try:
        units = money.parse(text)
        check_amount(units, wallet.account.currency)
    except (money.MoneyError, ValidationError):
        return 0
    return units


def _amounts(wallet: Wallet, units: int, text: str) -> dict[str, Any]:
    now = selectors.outlook(wallet)
    currency = wallet.account.currency
    presets = selectors.presets(wallet)
    known = {shortest(each) for each in presets}
    chosen = text if text in known else OTHER
    return {
        "units": units,
        "chosen": chosen,
        "other": OTHER,
        "typed": text if chosen == OTHER else "",
        "pay": _("Pay %(amount)s") % {"amount": in_words(units, currency)} if units else _("Pay"),
        "outlook": now,
        "sentence": _sentence(now, units, currency),
        "presets": [
            (shortest(each), in_words(each, currency), _lasts(now.hours(each))) for each in presets
        ],
        "page": {
            "currency": currency,
            "balance": now.balance,
            "credit_limit": now.credit_limit,
            "owed": now.owed,
            "per_hour": now.per_hour,
        },
    }


def _sentence(now: selectors.Outlook, units: int, currency: str) -> str:
    """Describe the effect of the payment, or return "" without an amount."""
    if not units:
        return ""
    said = {
        "amount": in_words(units, currency),
        "balance": rounded(now.after(units), currency),
        "span": _lasts(now.hours(units)),
    }
    if not said["span"]:
        return _("You pay %(amount)s. Your balance becomes about %(balance)s.") % said
    return (
        _(
            "You pay %(amount)s. Your balance becomes about %(balance)s,"
            " which lasts about %(span)s at the pace of the last 24 h."
        )
        % said
    )


def _lasts(hours: float | None) -> str:
    """Return this many hours as text: 11 h, 3 days; like spanOf of js/billing/lasts.js."""
    if hours is None:
        return ""
    if hours < 1:
        return _("%(m)s min") % {"m": figure(round(hours * 60))}
    if hours < 72:
        return _("%(h)s h") % {"h": figure(round(hours))}
    if hours > YEAR_HOURS:
        return _("a year")
    return _("%(d)s days") % {"d": figure(round(hours / 24))}
