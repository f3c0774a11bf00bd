"""Log-in by user name or e-mail address."""

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
    """An unknown name costs one password hash as a known one does, so that timing tells nothing.

    Model permissions are for superusers alone: what operators may do in the admin is answered
    by `access.decide`, like everywhere else.
    """

    def authenticate(
        self,
        request: HttpRequest | None,
        username: str | None = None,
        password: str | None = None,
        **kwargs: Any,
    ) -> "User | None":
        """The user with this name or address and password; None for every kind of no.

        Nobody where people log in by the provider only (POOLSITE_OIDC_ONLY).
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
        """The active user with this primary key."""
        user = get_user_model().objects.filter(pk=user_id).first()
        return user if user is not None and self.user_can_authenticate(user) else None
