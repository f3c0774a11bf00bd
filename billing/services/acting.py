"""Checks for every action on money: a person, a one-line reason, a valid amount."""

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

from billing.models import Wallet
from billing.money import MoneyError, check_units
from poolsite import access
from poolsite.access.models import User
from poolsite.access.services.actor import Actor
from poolsite.plain_text import one_line

REASON_LENGTH = 200


def person(actor: Actor) -> User:
    """Return the user who acts. Raise access.Forbidden for tokens and parts of the system."""
    if isinstance(actor, User):
        return actor
    if isinstance(actor, str) or actor.user_id is None:
        raise access.Forbidden("a person must do this")
    return User.objects.get(pk=actor.user_id)


def clean_line(text: str, *, needed: bool = False) -> str:
    """Return one line of at most 200 characters.

    Raise ValidationError if a needed text is missing.
    """
    cleaned = one_line(text)
    if needed and not cleaned:
        raise ValidationError(_("Enter a short reason."))
    return cleaned[:REASON_LENGTH]


def clean_amount(units: int) -> int:
    """Return an amount above zero and below 2^53 units. Raise ValidationError otherwise."""
    try:
        return check_units(units)
    except MoneyError as error:
        raise ValidationError(str(error)) from None


def wrong_state(text: str) -> ValidationError:
    """Return the refusal of what an object's state does not allow: 409 in the API."""
    return ValidationError(text, code="wrong-state")


def locked(wallet: Wallet) -> Wallet:
    """Return the wallet's row, locked until the transaction ends."""
    rows = Wallet.objects.select_related("account").select_for_update(of=("self",))
    return rows.get(pk=wallet.pk)
