"""Log-in by user name or email address."""

from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.contrib.auth import get_user_model
from django.contrib.auth.backends import ModelBackend
from django.contrib.auth.hashers import make_password
from django.http import HttpRequest

from poolsite.access.logins import find_user

if TYPE_CHECKING:
    from poolsite.access.models import User


class NameOrEmailBackend(ModelBackend):
    """A backend that takes a user name or an email address.

    An unknown name costs one password hash, like a known one, so that the time reveals nothing.
    Only superusers have model permissions: `access.decide` decides what operators may do in the
    admin.
    """

    def authenticate(
        self,
        request: HttpRequest | None,
        username: str | None = None,
        password: str | None = None,
        **kwargs: Any,
    ) -> "User | None":
        """Return the user with this name or address and password, or None for every failure.

        Always return None where people log in by the provider only (POOLSITE_OIDC_ONLY).
        """
        if username is None or password is None or settings.OIDC_ONLY:
            return None
        user = find_user(username)
        if user is None:
            make_password(password)
            return None
        if user.check_password(password) and self.user_can_authenticate(user):
            return user
        return None

    def get_user(self, user_id: int) -> "User | None":
        """Return the active user with this primary key, or None."""
        user = get_user_model().objects.filter(pk=user_id).first()
        return user if user is not None and self.user_can_authenticate(user) else None
