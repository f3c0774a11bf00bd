"""The card that a provider stores for automatic top-ups."""

import logging
from functools import partial

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from billing.models import PaymentMethod
from billing.recharging import variants
from billing.services.acting import locked
from poolsite import access
from poolsite.access.services.actor import Actor, require

logger = logging.getLogger(__name__)


def method_remove(method: PaymentMethod, *, actor: Actor) -> None:
    """Remove the card, which stops automatic top-ups. A second click changes nothing."""
    require(actor, "billing.pay", method)
    with transaction.atomic():
        wallet = locked(method.wallet)
        rows = PaymentMethod.objects.filter(pk=method.pk, removed_at=None)
        if rows.update(removed_at=timezone.now()):
            access.audit(
                actor=actor,
                action="billing.method_remove",
                thing=wallet,
                before={"method": method.label, "provider": method.variant},
            )
            transaction.on_commit(partial(_forget, method))


def _forget(method: PaymentMethod) -> None:
    """Have the provider delete the card, too; we never charge it again, even if that fails."""
    if method.variant not in settings.PAYMENT_VARIANTS:
        return
    try:
        variants.provider_of(method.variant).forget(method)
    except variants.ProviderError as error:
        logger.warning("billing: card %s is not forgotten by its provider: %s", method.pk, error)
