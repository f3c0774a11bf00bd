"""Credit limits: how far a balance may go below zero. Lower at once, higher with four eyes.

A lower limit takes nothing away: while the balance is below it, nothing more can be spent. A higher
one is an adjustment (`Adjustment.CREDIT_LIMIT`, whose amount is the new limit) that another
operator approves, no matter what limit applies to other adjustments: the account may come to owe us
that much.
"""

from uuid import UUID

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils.translation import gettext as _

from billing.models import Adjustment, Wallet
from billing.money import LIMIT
from billing.services.acting import clean_line, locked, wrong_state
from billing.services.adjustments import TOPIC, note, operator_of
from billing.services.wallets import credit_limit_write
from poolsite import live
from poolsite.access.services.actor import Actor, require


def credit_limit_ask(
    wallet: Wallet, *, actor: Actor, amount: int, reason: str, token: UUID
) -> Adjustment | None:
    """Lower the limit now and return None, or request a higher one and return the request.

    `token` makes repeated submissions one request. The same limit as now changes nothing. Raise
    ValidationError if there is no reason, the amount is bad, the account is closed, another higher
    limit is waiting or the token was used for another request.
    """
    require(actor, "billing.finance", wallet)
    asker = operator_of(actor)
    reason = clean_line(reason, needed=True)
    if not 0 <= amount < LIMIT:
        raise ValidationError(_("Enter an amount, such as 12.50."))
    operation = f"adjust:{token}"
    with transaction.atomic():
        wallet = locked(wallet)
        found = Adjustment.objects.filter(operation_id=operation).first()
        if found is not None:
            return _same(found, wallet, amount)
        if amount <= wallet.credit_limit:
            credit_limit_write(wallet, amount, actor=actor, reason=reason)
            return None
        _check_raise(wallet, amount)
        adjustment = Adjustment.objects.create(
            wallet=wallet,
            kind=Adjustment.CREDIT_LIMIT,
            amount=amount,
            reason=reason,
            asked_by=asker,
            operation_id=operation,
        )
        note(actor, "billing.adjustment_ask", adjustment, reason)
        live.touch(TOPIC)
        return adjustment


def waiting_raise(wallet: Wallet) -> Adjustment | None:
    """Return the higher limit that waits for another operator, or None."""
    rows = Adjustment.objects.filter(wallet=wallet, kind=Adjustment.CREDIT_LIMIT)
    return rows.filter(status=Adjustment.Status.WAITING).select_related("asked_by").first()


def _check_raise(wallet: Wallet, amount: int) -> None:
    if wallet.status == Wallet.Status.CLOSED:
        raise wrong_state(_("This account is closed."))
    if wallet.spendable + wallet.held + amount >= LIMIT:
        raise ValidationError(_("This amount is too large."))
    if waiting_raise(wallet) is not None:
        raise wrong_state(
            _("Another higher credit limit is waiting for approval. Reject or approve it first.")
        )


def _same(found: Adjustment, wallet: Wallet, amount: int) -> Adjustment:
    if (found.wallet_id, found.kind, found.amount) != (wallet.pk, found.CREDIT_LIMIT, amount):
        raise ValidationError(
            _("This form was already submitted. Open the page again to start over.")
        )
    return found
