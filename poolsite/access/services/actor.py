"""The type of every service's `actor`, and functions about the actor."""

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

from poolsite.access.actions import require as require_principal
from poolsite.access.models import User
from poolsite.access.principal import Principal
from poolsite.access.principals import principal_of_user
from poolsite.plain_text import one_line

Actor = Principal | User | str  # str: a part of the system, for example "demo_data"

NAME_LENGTH = 150
REASON_LENGTH = 200  # bytes: scripts store reasons, too


def require(actor: Actor, action: str, thing: object | None = None) -> None:
    """Raise the refusal unless the actor may do it. A part of the system (text) may do all."""
    if isinstance(actor, str):
        return
    principal = principal_of_user(actor) if isinstance(actor, User) else actor
    require_principal(principal, action, thing)


def name_of(actor: Actor) -> str:
    """Return the actor's name as pages show it."""
    if isinstance(actor, str):
        return actor[:NAME_LENGTH]
    return (actor.get_username() if isinstance(actor, User) else actor.name)[:NAME_LENGTH]


def is_person(actor: Actor) -> bool:
    """Whether this is a person or a program with a credential, and no part of the system."""
    return not isinstance(actor, str)


def user_of(actor: Actor) -> User | None:
    """Return the user who acts; None for tokens and parts of the system."""
    if isinstance(actor, User):
        return actor
    user_id = actor.user_id if isinstance(actor, Principal) else None
    return User.objects.filter(pk=user_id).first() if user_id else None


def clean_reason(reason: str, *, needed: bool = False) -> str:
    """Return the reason as one line of at most 200 bytes.

    Raise ValidationError if a reason is needed but blank.
    """
    cleaned = one_line(reason).encode()[:REASON_LENGTH].decode(errors="ignore")
    if needed and not cleaned:
        raise ValidationError(_("Enter a short reason."))
    return cleaned
