"""Top-ups as customers open them; recharge_reports.py settles them by the provider's reports."""

from typing import Any
from uuid import UUID

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils.translation import gettext as _

from billing import money
from billing.models import Recharge, Wallet
from billing.presentation import amount as in_words
from billing.recharging import variants
from billing.services import provider_trouble
from billing.services.acting import clean_amount, locked, wrong_state
from poolsite import access
from poolsite.access.services.actor import Actor, name_of, require

LEAST = money.UNITS  # one currency unit
MOST = 9_999_999 * money.UNITS  # the library's column holds nine digits, two of them cents


def recharge_start(
    wallet: Wallet,
    *,
    actor: Actor,
    amount: int,
    variant: str,
    token: UUID,
    keep_method: bool = False,
) -> Recharge:
    """Open a top-up; no money moves. `token` makes repeated submissions of the form one top-up.

    Raise ValidationError for a bad amount or provider, a closed account, or a token of another
    top-up.
    """
    require(actor, "billing.pay", wallet)
    check_amount(clean_amount(amount), wallet.account.currency)
    if variant not in settings.PAYMENT_VARIANTS:
        raise ValidationError(_("This payment method is not available."))
    with transaction.atomic():
        wallet = locked(wallet)
        found = Recharge.objects.filter(token=str(token)).first()
        if found is not None:
            return _same(found, wallet, amount, variant)
        if wallet.status == Wallet.Status.CLOSED:
            raise wrong_state(_("This account is closed."))
        keep = keep_method and variants.keeps_methods(variant)
        return recharge_write(
            wallet, actor=actor, amount=amount, variant=variant, token=str(token), keep_method=keep
        )


def _same(found: Recharge, wallet: Wallet, amount: int, variant: str) -> Recharge:
    if (found.wallet_id, found.amount, found.variant) != (wallet.pk, amount, variant):
        raise ValidationError(
            _("This form was already submitted. Open the page again to start over.")
        )
    return found


def recharge_write(
    wallet: Wallet, *, actor: Actor, amount: int, variant: str, token: str, **more: Any
) -> Recharge:
    """Write the row of a checked top-up and its audit entry, in the caller's transaction."""
    recharge = Recharge(
        wallet=wallet,
        requested_by=name_of(actor),
        amount=amount,
        total=money.as_decimal(amount).quantize(money.as_decimal(100)),
        currency=wallet.account.currency,
        variant=variant,
        token=token,
        description=_("Top-up for %(account)s") % {"account": wallet.account.name},
        **more,
    )
    recharge.save()
    access.audit(
        actor=actor,
        action="billing.recharge_start",
        thing=wallet,
        after={"recharge": recharge.pk, "amount": amount, "provider": variant},
    )
    return recharge


def check_amount(amount: int, currency: str) -> None:
    """Raise ValidationError, with a text for the field, for an amount that no provider takes."""
    if not LEAST <= amount <= MOST:
        raise ValidationError(
            _("Enter an amount from %(least)s to %(most)s.")
            % {"least": in_words(LEAST, currency), "most": in_words(MOST, currency)}
        )
    whole = money.UNITS if currency in provider_trouble.whole_units() else money.UNITS // 100
    if amount % whole:
        raise ValidationError(_("Round the amount to the smallest unit of the currency."))
