"""Payments that need a person: the provider reports another amount, currency or payment."""

from functools import cache
from typing import Final

from django.urls import reverse
from django.utils.translation import gettext_noop

from billing import money
from billing.models import Recharge
from billing.recharging.reports import ProviderReport
from poolsite.operations import incidents

TYPE: Final = "billing.recharge"
incidents.BY_HAND.add(TYPE)  # it is settled at the provider, or by an adjustment

_DETAILS: Final = {
    "amount": gettext_noop(
        "Top-up %(number)s: %(asked)s %(currency)s was requested, but the payment provider "
        "reported %(said)s %(said_currency)s (%(reference)s)."
    ),
    "reference": gettext_noop(
        "Top-up %(number)s: the payment provider reported %(reference)s, which is not the "
        "payment created for this top-up."
    ),
}


@cache
def whole_units() -> frozenset[str]:
    """Return the codes of the currencies that have no smaller coin."""
    # Stripe's client takes a sixth of a second to load; commands and workers do not need it.
    from payments.stripe.providers import zero_decimal_currency

    return frozenset(code.upper() for code in zero_decimal_currency)


def open_incident(recharge: Recharge, report: ProviderReport, why: str) -> None:
    """Alert operators and the customer; nothing was credited."""
    incidents.open(
        type=TYPE,
        object=str(recharge.pk),
        severity="critical",
        title=gettext_noop("A payment doesn't match its top-up"),
        detail=_DETAILS[why],
        remedy=gettext_noop(
            "Check the payment with the provider, then credit or refund it manually."
        ),
        url=reverse("billing:recharge", args=[recharge.wallet.slug, recharge.pk]),
        account=recharge.account_id,
        params={
            "number": recharge.number,
            "asked": money.plain(recharge.amount),
            "currency": recharge.currency,
            "said": money.plain(report.amount),
            "said_currency": report.currency,
            "reference": report.reference or report.payment,
        },
    )


def close_incident(recharge: Recharge) -> None:
    """Close the incident: the correct payment came after all."""
    incidents.close(type=TYPE, object=str(recharge.pk))
