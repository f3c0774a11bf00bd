"""Who acts on money, and what every act here has: a right, a name, a reason, one transaction."""

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

from billing.models import Wallet
from billing.money import MoneyError, check_units
from poolsite import access
from poolsite.access.models import User
from poolsite.access.services.actor import Actor

REASON_LENGTH = 200


def require(actor: Actor, action: str, thing: object | None = None) -> None:
    """Raise the refusal unless the actor may; a part of the system (text) may do everything."""
    if isinstance(actor, str):
        return
    principal = access.principal_of_user(actor) if isinstance(actor, User) else actor
    access.require(principal, action, thing)


def person(actor: Actor) -> User:
    """The user that acts. access.Forbidden for tokens and parts of the system."""
    if isinstance(actor, User):
        return actor
    if isinstance(actor, str) or actor.user_id is None:
        raise access.Forbidden("a person must do this")
    return User.objects.get(pk=actor.user_id)


def name_of(actor: Actor) -> str:
    """The actor's name as pages show it."""
    if isinstance(actor, str):
        return actor[:150]
    return (actor.get_username() if isinstance(actor, User) else actor.name)[:150]


def clean_line(text: str, *, needed: bool = False) -> str:
    """One line of at most 200 characters. ValidationError when it is needed and missing."""
    cleaned = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    if needed and not cleaned:
        raise ValidationError(_("Say why, in a few words."))
    return cleaned[:REASON_LENGTH]


def clean_amount(units: int) -> int:
    """An amount above zero and below 2^53 units. ValidationError otherwise."""
    try:
        return check_units(units)
    except MoneyError as error:
        raise ValidationError(str(error)) from None


def locked(wallet: Wallet) -> Wallet:
    """The wallet's row, locked until the transaction ends."""
    rows = Wallet.objects.select_related("account").select_for_update(of=("self",))
    return rows.get(pk=wallet.pk)
