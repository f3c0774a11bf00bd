"""Who calls an operation of the API behind Django, and what that caller may do."""

from django.http import HttpRequest

from poolsite.access import Principal, principal_of_request, require
from poolsite.access.confirming import is_confirmed
from poolsite.access.models import User
from poolsite.api.root import ProblemError


def allowed(request: HttpRequest, action: str) -> Principal:
    """The caller, who may do `action` at all."""
    principal = principal_of_request(request)
    require(principal, action)
    return principal


def person_of(request: HttpRequest) -> User:
    """Who asks, for what each person has alone. A token is no person's: `forbidden`."""
    principal = principal_of_request(request)
    if principal.user_id is None:
        raise ProblemError("forbidden", "an API token belongs to no user; log in instead")
    require(principal, "access.profile")
    return User.objects.get(pk=principal.user_id)


def require_confirmed(request: HttpRequest) -> None:
    """Raise `unconfirmed` unless the person logged in or confirmed the login a moment ago.

    The pages ask for the same before they give somebody access: a stolen session has neither the
    password nor the second factor.
    """
    if not is_confirmed(request):
        raise ProblemError("unconfirmed")
