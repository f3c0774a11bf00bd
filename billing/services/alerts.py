"""Low balances: one alert by email, webhook and console, and none again until they recover."""

from collections.abc import Iterable

from django.db import transaction
from django.urls import reverse
from django.utils.translation import gettext_noop

from billing import money, webhook_events
from billing.models import Wallet
from billing.selectors.wallets import low_balances
from poolsite.operations import incidents
from poolsite.operations.models import Incident

TYPE = "billing.low_balance"
AT_ONCE = 500
RECOVERED_SHARE = 110  # percent: refunds of a few messages at the threshold are no recovery


def check_low_balances() -> dict[str, int]:
    """Open an incident for each wallet below its threshold; close those that recovered."""
    told = set(_open_objects())
    low = (
        low_balances(Wallet.objects.filter(status=Wallet.Status.OPEN))
        .select_related("account")
        .order_by("pk")
    )
    opened = 0
    for wallet in low.exclude(account__slug__in=told)[:AT_ONCE]:
        _open(wallet)
        opened += 1
    return {"opened": opened, "closed": _close_recovered(told)}


def _open_objects() -> Iterable[str]:
    return Incident.objects.filter(type=TYPE, until=None).values_list("object", flat=True)


def _close_recovered(told: set[str]) -> int:
    closed = 0
    for wallet in Wallet.objects.filter(account__slug__in=told).select_related("account"):
        mark = wallet.alert_below * RECOVERED_SHARE // 100
        still = wallet.alert_below and wallet.status == Wallet.Status.OPEN
        if not still or wallet.can_spend >= mark:
            closed += _close(wallet)
    return closed


@transaction.atomic
def _close(wallet: Wallet) -> bool:
    closed = incidents.close(type=TYPE, object=wallet.slug)
    if closed:
        webhook_events.balance("balance.recovered", wallet)
    return closed


@transaction.atomic
def _open(wallet: Wallet) -> None:
    webhook_events.balance("balance.low", wallet)
    incidents.open(
        type=TYPE,
        object=wallet.slug,
        severity="warning" if wallet.can_spend else "critical",
        title=gettext_noop("%(account)s: low balance"),
        detail=gettext_noop(
            "The balance is %(balance)s %(currency)s. The alert threshold is %(mark)s."
        )
        if not wallet.credit_limit
        else gettext_noop(
            "%(balance)s %(currency)s can be spent, including the credit limit."
            " The alert threshold is %(mark)s."
        ),
        remedy=gettext_noop("Top up. Sending stops when the balance is used up."),
        url=reverse("billing:top_up", args=[wallet.slug]),
        account=wallet.account_id,
        params={
            "account": wallet.account.name,
            "balance": money.plain(wallet.can_spend),
            "currency": wallet.account.currency,
            "mark": money.plain(wallet.alert_below),
        },
    )
