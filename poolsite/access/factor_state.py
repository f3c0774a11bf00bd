"""Whether a user has a second factor: what rights depend on, whoever sets it up."""

from allauth.mfa.models import Authenticator

from poolsite.access.models import User


def has_factor(user: User) -> bool:
    """Whether the user's log-in asks for more than the password."""
    types = (Authenticator.Type.TOTP, Authenticator.Type.WEBAUTHN)
    return bool(Authenticator.objects.filter(user=user, type__in=types).exists())
