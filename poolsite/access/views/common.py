"""What the pages here share."""

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec
from urllib.parse import urlencode

from allauth.account.decorators import reauthentication_required
from allauth.account.internal.flows import reauthentication
from allauth.core.exceptions import ReauthenticationRequired
from django.core.exceptions import ValidationError
from django.forms import BaseForm
from django.http import HttpRequest, HttpResponseBase
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme

from poolsite.access import selectors
from poolsite.access.actions import require
from poolsite.access.middleware import confirm_page
from poolsite.access.models import User
from poolsite.access.principal import Principal
from poolsite.access.principals import principal_of_request

P = ParamSpec("P")
View = Callable[Concatenate[HttpRequest, P], HttpResponseBase]


def asks(action: str) -> Callable[[View[P]], View[P]]:
    """Let a view run only for principals who may do `action` at all."""

    def decorate(view: View[P]) -> View[P]:
        @wraps(view)
        def asked(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
            require(principal_of_request(request), action)
            return view(request, *args, **kwargs)

        return asked

    return decorate


def asks_again(view: View[P]) -> View[P]:
    """Let a view run only for who logged in, or confirmed who they are, a moment ago.

    By the second factor of who has one, else by the password: a stolen session has neither.
    """
    guarded: View[P] = reauthentication_required(app="access")(view)
    return guarded


def confirm_url(request: HttpRequest) -> str:
    """Where the reader confirms who they are and comes back; "" when that was a moment ago.

    For a form that `asks_again`: asked before it is filled in, nothing that was typed is lost.
    """
    try:
        if not reauthentication.is_reauthentication_required(request, app="access"):
            return ""
    except ReauthenticationRequired:  # AccountAdapter: of who logs in by the provider alone
        pass
    return f"{confirm_page(request)}?{urlencode({'next': request.get_full_path()})}"


def factor_url(request: HttpRequest) -> str:
    """Where the reader proves a second factor, or sets one up first, and comes back."""
    return f"{reverse('mfa_reauthenticate')}?{urlencode({'next': request.get_full_path()})}"


def actor_of(request: HttpRequest) -> Principal:
    """Who does it, for services."""
    return principal_of_request(request)


def user_of(request: HttpRequest) -> User:
    """The user who is logged in; views ask `access.profile` first."""
    user = request.user
    if not isinstance(user, User):  # a token has no profile
        raise TypeError("no user is logged in")
    return user


def sign_on_of(user: User) -> dict[str, Any]:
    """For a page about a person: the login provider's account, and what its groups gave."""
    linked = selectors.linked_account(user)
    return {"linked": linked, "rights_by_group": selectors.rights_by_group(user) if linked else []}


def next_of(request: HttpRequest, default: str = "") -> str:
    """Where the reader wanted to go: a path of this site, else `default`."""
    wanted = request.POST.get("next") or request.GET.get("next") or ""
    safe = url_has_allowed_host_and_scheme(
        wanted, allowed_hosts={request.get_host()}, require_https=request.is_secure()
    )
    return wanted if safe else default


def saved(form: BaseForm, save: Callable[..., object]) -> bool:
    """Hand what was sent with a form to a service; what it refuses is shown. Whether it took it."""
    if not form.is_valid():
        return False
    try:
        save(**form.cleaned_data)
    except ValidationError as error:
        add_errors(form, error)
        return False
    return True


def add_errors(form: BaseForm, error: ValidationError) -> None:
    """Show what a service refused beside its field, or above the form."""
    if not hasattr(error, "error_dict"):
        form.add_error(None, error)
        return
    for name, messages in error.message_dict.items():
        target: Any = name if name in form.fields else None
        form.add_error(target, messages)
