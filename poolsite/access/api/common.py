"""What the routes about people share."""

from typing import Annotated

from allauth.account.internal.flows import reauthentication
from allauth.core.exceptions import ReauthenticationRequired
from django.http import HttpRequest
from pydantic import StringConstraints

from poolsite.access.actions import Hidden, require
from poolsite.access.models import Account, User
from poolsite.access.principal import Principal
from poolsite.access.principals import principal_of_request
from poolsite.api.paths import slug_in_path
from poolsite.api.reading import LINE
from poolsite.api.root import ProblemError

Line = Annotated[str, StringConstraints(max_length=200, pattern=LINE)]
Reason = Annotated[str, StringConstraints(min_length=1, max_length=200, pattern=LINE)]
Slug = slug_in_path("The account's slug.")


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


def account_of(principal: Principal, slug: str, action: str) -> Account:
    """The account, when the caller may do that to it; a foreign one looks like a missing one."""
    require(principal, action)
    account = Account.objects.filter(slug=slug).first()
    try:
        if account is None:
            raise Hidden(action)
        require(principal, action, account)
    except Hidden:
        raise ProblemError("unknown-account", "account not found") from None
    return account


def require_confirmed(request: HttpRequest) -> None:
    """Raise `unconfirmed` unless the person logged in or confirmed the login a moment ago.

    The pages ask for the same before they give somebody access: a stolen session has neither the
    password nor the second factor.
    """
    try:
        missing = reauthentication.is_reauthentication_required(request, app="access")
    except ReauthenticationRequired:
        missing = True
    if missing:
        raise ProblemError("unconfirmed")
