"""What the routes about people share."""

from datetime import datetime
from typing import Annotated, Any

from allauth.account.internal.flows import reauthentication
from allauth.core.exceptions import ReauthenticationRequired
from django.http import HttpRequest
from ninja import Path
from pydantic import StringConstraints

from poolsite.access.actions import Hidden, require
from poolsite.access.models import Account
from poolsite.access.principal import Principal
from poolsite.access.principals import principal_of_request
from poolsite.api.root import ProblemError

LARGEST_ID = 2**63 - 1
# No control characters: NUL cannot be stored, and a line is one line.
PRINTABLE = r"^[^\x00-\x1f\x7f]*$"
Line = Annotated[str, StringConstraints(max_length=200, pattern=PRINTABLE)]
Reason = Annotated[str, StringConstraints(min_length=1, max_length=200, pattern=PRINTABLE)]
Slug: Any = Path(..., pattern=r"^[a-z0-9-]{1,40}$", description="The account's slug.")  # type: ignore[type-arg]


def id_in_path(what: str) -> Any:
    """A path parameter that is the ID of something."""
    return Path(..., ge=1, le=LARGEST_ID, description=what)  # type: ignore[type-arg]


def allowed(request: HttpRequest, action: str) -> Principal:
    """The caller, who may do `action` at all."""
    principal = principal_of_request(request)
    require(principal, action)
    return principal


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


def text_of(moment: datetime | None) -> str | None:
    """A time as the API writes it."""
    return None if moment is None else moment.isoformat()
