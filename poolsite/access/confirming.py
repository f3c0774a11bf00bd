"""Pages that ask users to confirm their identity before they change something important."""

from collections.abc import Callable
from typing import Concatenate, ParamSpec
from urllib.parse import urlencode

from allauth.account.decorators import reauthentication_required
from allauth.account.internal.flows import reauthentication
from allauth.core.exceptions import ReauthenticationRequired
from django.http import HttpRequest, HttpResponseBase
from django.urls import reverse

from poolsite.access.middleware import confirm_page

P = ParamSpec("P")
View = Callable[Concatenate[HttpRequest, P], HttpResponseBase]


def asks_again(view: View[P]) -> View[P]:
    """Let a view run only for users who logged in or confirmed their identity a moment ago.

    Users with a second factor confirm with it, others with the password: a stolen session has
    neither.
    """
    guarded: View[P] = reauthentication_required(app="access")(view)
    return guarded


def require_confirmed(request: HttpRequest) -> None:
    """Lead users to confirm their identity, like `asks_again`, for a part of what a view does."""
    if not is_confirmed(request):
        raise ReauthenticationRequired


def is_confirmed(request: HttpRequest) -> bool:
    """Whether the user logged in or confirmed their identity a moment ago."""
    try:
        return not reauthentication.is_reauthentication_required(request, app="access")
    except ReauthenticationRequired:  # of users who log in by the provider alone
        return False


def confirm_url(request: HttpRequest) -> str:
    """Return where the user confirms their identity and comes back, or "" if they just did.

    For a form whose view is `asks_again`: the user confirms before filling it in, so no input is
    lost.
    """
    if is_confirmed(request):
        return ""
    return f"{confirm_page(request)}?{urlencode({'next': request.get_full_path()})}"


def factor_url(request: HttpRequest) -> str:
    """Return where the user proves a second factor, or first sets one up, and comes back."""
    return f"{reverse('mfa_reauthenticate')}?{urlencode({'next': request.get_full_path()})}"
