"""Promotional credit: written when its adjustment is approved, revoked by one operator.

A grant is an adjustment of the kind `grant`, with an expiry, a reason and four eyes above the
limit. Orders of the outbox move the money: `grant` when it is applied, and `revoke` takes the rest.
"""

from datetime import datetime, timedelta

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from billing.models import Adjustment, MoneyOrder, Promotion, Wallet
from billing.selectors.promotions import active_count
from billing.services import outbox
from billing.services.acting import clean_line, locked, person, wrong_state
from billing.wallet import MOST_GRANTS
from poolsite import access, live
from poolsite.access.services.actor import Actor, name_of, require

LONGEST = timedelta(days=5 * 366)


def check_grant(wallet: Wallet, expires_at: datetime | None) -> None:
    """Raise ValidationError if a grant with this expiry is not allowed; None is no grant.

    Call this under the wallet's lock, or where another operator's approval takes it.
    """
    if expires_at is None:
        return
    now = timezone.now()
    if not now < expires_at <= now + LONGEST:
        raise ValidationError(_("Enter a time within the next five years."))
    if active_count(wallet) >= MOST_GRANTS:
        raise ValidationError(
            _("This account has %s promotional credits. Revoke one first.") % MOST_GRANTS
        )


def promotion_write(adjustment: Adjustment) -> Promotion:
    """Write the promotion of an adjustment that is applied now; its order follows."""
    if adjustment.expires_at is None:
        raise ValueError(f"{adjustment} is no grant")
    return Promotion.objects.create(
        wallet=adjustment.wallet,
        amount=adjustment.amount,
        expires_at=adjustment.expires_at,
        reason=adjustment.reason,
        granted_by=adjustment.asked_by.get_username()[:150],
        operation_id=adjustment.operation_id,
    )


def promotion_revoke(promotion: Promotion, *, actor: Actor, reason: str) -> Promotion:
    """Take the rest of a promotion. A second call changes nothing.

    One that Redis has not granted yet is never granted. What open holds return to it later expires.
    Raise ValidationError if there is no reason, it has expired, or Redis has not granted it and is
    away.
    """
    require(actor, "billing.finance", promotion)
    person(actor)
    reason = clean_line(reason, needed=True)
    with transaction.atomic():
        wallet = locked(promotion.wallet)
        found = Promotion.objects.select_for_update().get(pk=promotion.pk)
        if found.revoked_at is not None:
            return found
        if found.expires_at <= timezone.now():
            raise wrong_state(_("This promotional credit has expired."))
        found.revoked_at, found.revoked_by = timezone.now(), name_of(actor)
        found.save(update_fields=["revoked_at", "revoked_by"])
        # Redis takes a revocation where it refuses a grant (no memory): the grant would follow.
        if not outbox.give_up(wallet, found.operation_id):
            kind = MoneyOrder.Kind.REVOKE
            outbox.order(wallet, kind, found.amount, found.revoke_id, reason[:120])
        access.audit(
            actor=actor,
            action="billing.promotion_revoke",
            thing=wallet,
            after={"promotion": found.pk, "amount": found.amount},
            reason=reason,
        )
        live.touch(f"billing.wallet:{wallet.slug}")
    return found
