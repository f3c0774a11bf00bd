"""Payments without a report of their provider: asked for, cancelled, or closed if unfinished."""

import logging
from datetime import timedelta

from django.conf import settings
from django.utils import timezone
from payments import PaymentStatus

from billing.models import Recharge
from billing.recharging import reports, variants
from poolsite.access.services.actor import Actor, require

logger = logging.getLogger(__name__)
UNPAID_DAYS = 7  # an unfinished payment is closed then
ASK_AGAIN_MINUTES = 10
AT_ONCE = 50
_OPEN = (PaymentStatus.WAITING, PaymentStatus.INPUT)


def ask_providers() -> dict[str, int]:
    """Ask for the state of open payments, each every ten minutes: an event may have been lost.

    The answer is a report like any other; a payment made in the meantime is credited once.
    """
    before = timezone.now() - timedelta(minutes=ASK_AGAIN_MINUTES)
    silent = Recharge.objects.filter(status__in=_OPEN, modified__lt=before)
    silent = silent.filter(variant__in=list(settings.PAYMENT_VARIANTS)).exclude(transaction_id="")
    asked = heard = 0
    for recharge in silent.select_related("wallet__account").order_by("modified")[:AT_ONCE]:
        Recharge.objects.filter(pk=recharge.pk).update(modified=timezone.now())
        asked += 1
        heard += _ask(recharge)
    return {"asked": asked, "heard": heard}


def _ask(recharge: Recharge) -> bool:
    try:
        report = variants.provider_of(recharge.variant).look(recharge)
    except variants.ProviderError as error:
        logger.warning("billing: top-up %s cannot be asked for: %s", recharge.pk, error)
        return False
    if report is None:
        return False
    answer = reports.deliver(report)
    logger.info("billing: top-up %s was asked for: %s", recharge.pk, answer)
    return True


def close_unfinished() -> dict[str, int]:
    """Close top-ups that were not paid in a week; a later payment is credited all the same."""
    before = timezone.now() - timedelta(days=UNPAID_DAYS)
    rows = Recharge.objects.filter(status__in=_OPEN, created__lt=before)
    return {"closed": rows.update(status=PaymentStatus.CANCELLED, message="not finished in time")}


def recharge_cancel(recharge: Recharge, *, actor: Actor) -> bool:
    """Cancel an unpaid top-up for its payer; return whether it was open.

    A later payment is credited.
    """
    require(actor, "billing.pay", recharge.wallet)
    if recharge.status not in _OPEN:
        return False
    said = recharge.report_of(PaymentStatus.CANCELLED, "")
    return reports.deliver(said) is reports.ReportResult.NOT_CREDITED
