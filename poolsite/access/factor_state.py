"""Whether a user has a second factor. Rights depend on it, whichever page set it up."""

from allauth.mfa.models import Authenticator

from poolsite.access.models import User


def has_factor(user: User) -> bool:
    """Return whether the user's log-in needs more than the password."""
    types = (Authenticator.Type.TOTP, Authenticator.Type.WEBAUTHN)
    return bool(Authenticator.objects.filter(user=user, type__in=types).exists())
