"""The card that a provider keeps for automatic top-ups."""

from django.db import transaction
from django.utils import timezone

from billing.models import PaymentMethod
from billing.services.acting import locked, require
from poolsite import access
from poolsite.access.services.actor import Actor


def method_remove(method: PaymentMethod, *, actor: Actor) -> None:
    """Keep it no longer; automatic top-ups stop with it. A second click changes nothing."""
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
