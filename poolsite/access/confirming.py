"""Pages that ask people to confirm who they are before they change something that matters."""

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
    """Let a view run only for who logged in, or confirmed who they are, a moment ago.

    By the second factor of who has one, else by the password: a stolen session has neither.
    """
    guarded: View[P] = reauthentication_required(app="access")(view)
    return guarded


def is_confirmed(request: HttpRequest) -> bool:
    """Whether the reader logged in, or confirmed who they are, a moment ago."""
    try:
        return not reauthentication.is_reauthentication_required(request, app="access")
    except ReauthenticationRequired:  # AccountAdapter: of who logs in by the provider alone
        return False


def confirm_url(request: HttpRequest) -> str:
    """Where the reader confirms who they are and comes back; "" when that was a moment ago.

    For a form that `asks_again`: asked before it is filled in, nothing that was typed is lost.
    """
    if is_confirmed(request):
        return ""
    return f"{confirm_page(request)}?{urlencode({'next': request.get_full_path()})}"


def factor_url(request: HttpRequest) -> str:
    """Where the reader proves a second factor, or sets one up first, and comes back."""
    return f"{reverse('mfa_reauthenticate')}?{urlencode({'next': request.get_full_path()})}"
