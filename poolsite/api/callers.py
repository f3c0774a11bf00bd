"""The caller of an API operation behind Django, and what they may do."""

from django.http import HttpRequest

from poolsite.access import Principal, principal_of_request, require
from poolsite.access.confirming import is_confirmed
from poolsite.access.models import User
from poolsite.api.root import ProblemError


def allowed(request: HttpRequest, action: str) -> Principal:
    """Return the caller if they may do `action` at all. Otherwise raise the refusal."""
    principal = principal_of_request(request)
    require(principal, action)
    return principal


def person_of(request: HttpRequest) -> User:
    """Return the user who calls, for operations about a person's own data.

    Raise `forbidden` for a token: it belongs to no user.
    """
    principal = principal_of_request(request)
    if principal.user_id is None:
        raise ProblemError("forbidden", "an API token belongs to no user; log in instead")
    require(principal, "access.profile")
    return User.objects.get(pk=principal.user_id)


def require_confirmed(request: HttpRequest) -> None:
    """Raise `unconfirmed` unless the user logged in or confirmed the login a moment ago.

    The pages require the same before they give someone access: with a stolen session, an attacker
    has neither the password nor the second factor.
    """
    if not is_confirmed(request):
        raise ProblemError("unconfirmed")
