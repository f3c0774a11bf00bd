"""Give a user a second factor, without the pages that set it up."""

import pyotp
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import TOTP
from django.db import transaction

from poolsite.access.models import User


def give_app(user: User) -> str:
    """Give the user an authenticator app. Return its secret."""
    secret = pyotp.random_base32()
    with transaction.atomic():
        TOTP.activate(user, secret)
    return secret


def give_codes(user: User) -> list[str]:
    """Give the user recovery codes, and return them."""
    with transaction.atomic():
        codes: list[str] = RecoveryCodes.activate(user).generate_codes()
    return codes
