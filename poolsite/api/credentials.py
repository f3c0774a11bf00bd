"""The credentials for an operation behind Django: a token or a session."""

from typing import Any, NamedTuple

from django.http import HttpRequest
from ninja.security.base import SecuritySchema
from ninja.utils import check_csrf

from poolsite import access

SAFE_METHODS = ("GET", "HEAD", "OPTIONS")


class CredentialDescription(NamedTuple):
    """For the API reference: accepted credentials, and the actions of which a token needs one."""

    accepts: tuple[str, ...]
    rights: tuple[str, ...] = ()


class CredentialAuth:
    """Accepts a valid token or the session of a logged-in user, otherwise answers 401.

    A cookie alone may only read. A change by cookie must pass Django's CSRF check.
    """

    openapi_security_schema = SecuritySchema(type="http", scheme="bearer")
    openapi_scopes: list[str] = []

    def told(self, method: str) -> CredentialDescription:
        """Return the credentials that a request with this method needs."""
        return CredentialDescription(("token", "login"))

    def __call__(self, request: HttpRequest) -> Any:
        principal = access.principal_of_request(request)
        if not principal.is_authenticated:
            return None
        if request.method not in SAFE_METHODS and "Authorization" not in request.headers:
            refused = check_csrf(request)
            if refused:
                return None
        return principal
