"""Log-in by the provider: redirects, linking it to a user, confirming by it, logging out.

Pages lead to the provider by links. A form could not: the Content-Security-Policy lets forms go to
this site only, and Chromium applies that to redirects of a form, too.
"""

import logging
import secrets
from collections.abc import Callable
from functools import wraps
from typing import Any
from urllib.parse import urlencode

from allauth.socialaccount.providers.oauth2.client import OAuth2Error
from allauth.socialaccount.providers.oauth2.views import OAuth2CallbackView
from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.crypto import constant_time_compare
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from poolsite.access import selectors
from poolsite.access.confirming import asks_again
from poolsite.access.factor_state import has_factor
from poolsite.access.oidc.log_out import end_session_url
from poolsite.access.oidc.provider import ProviderClient, is_on, provider_of
from poolsite.access.oidc.refusals import refuse
from poolsite.access.services.single_sign_on import sign_on_unlink
from poolsite.console.pages import user_of
from poolsite.console.verbs import next_of
from poolsite.people.views.common import asks

log = logging.getLogger("poolsite.access")
LINK_KEY = "access_sign_on_link"
View = Callable[..., HttpResponseBase]


def local(view: View) -> View:
    """Mark a page about passwords: 404 if people log in by the provider only."""

    @wraps(view)
    def shown(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if settings.OIDC_ONLY:
            raise Http404
        return view(request, *args, **kwargs)

    return shown


def provided(view: View) -> View:
    """Mark a page that needs a provider: 404 if the settings name none."""

    @wraps(view)
    def shown(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if not is_on():
            raise Http404
        return view(request, *args, **kwargs)

    return shown


def _send(request: HttpRequest, purpose: str, back: str, **asked: str) -> HttpResponseBase:
    """Redirect to the provider, or show the page that states why this is not possible."""
    try:
        return provider_of(request).send(request, purpose, back, **asked)
    except OAuth2Error as error:
        log.warning("single sign-on cannot start: %s", error)
        page: HttpResponseBase = refuse(request, "provider")
        return page


@never_cache
@require_GET
@provided
def log_in(request: HttpRequest) -> HttpResponseBase:
    """Redirect to the provider, and then to the page that the reader wanted."""
    back = next_of(request, settings.LOGIN_REDIRECT_URL)
    if request.user.is_authenticated:
        return redirect(back)
    return _send(request, "login", back)


@never_cache
@require_GET
@provided
def callback(request: HttpRequest) -> HttpResponseBase:
    """Handle the redirect from the provider. `oidc.adapter` decides what follows."""
    answer: HttpResponseBase = OAuth2CallbackView.adapter_view(
        ProviderClient(request, settings.OIDC_ISSUER)
    )(request)
    return answer


@never_cache
@require_GET
@provided
@asks("access.profile")
@asks_again
def link(request: HttpRequest) -> HttpResponseBase:
    """Show the linked account, or a link that begins to link one: it works once, from this page."""
    key = request.session[LINK_KEY] = secrets.token_urlsafe(24)
    user = user_of(request)
    context = {
        "linked": selectors.linked_account(user),
        "rights": selectors.rights_by_group(user),
        "key": key,
    }
    return render(request, "access/sign_on_link.html", context)


@never_cache
@require_GET
@provided
@asks("access.profile")
@asks_again
def link_start(request: HttpRequest) -> HttpResponseBase:
    """Redirect to the provider.

    The key prevents a link on another site from linking another person's login.
    """
    kept = request.session.pop(LINK_KEY, "")
    if not kept or not constant_time_compare(kept, request.GET.get("key", "")):
        return redirect("sign_on_link")
    return _send(request, "link", reverse("sign_on_link"), prompt="login")


@never_cache
@require_POST
@provided
@asks("access.profile")
@asks_again
def unlink(request: HttpRequest) -> HttpResponseBase:
    """Remove the link to the provider, unless the user could no longer log in."""
    user = user_of(request)
    if settings.OIDC_ONLY or not user.has_usable_password():
        messages.error(request, _("Without it, you couldn't log in. Set a password first."))
    elif sign_on_unlink(user=user, issuer=settings.OIDC_ISSUER, actor=user):
        messages.success(request, _("Single sign-on removed."))
    return redirect("sign_on_link")


@never_cache
@require_GET
@provided
@asks("access.profile")
def confirm(request: HttpRequest) -> HttpResponseBase:
    """Show the page that makes the logged-in user log in at the provider again."""
    back = next_of(request, reverse("mfa_index"))
    if has_factor(user_of(request)):
        return redirect(f"{reverse('mfa_reauthenticate')}?{urlencode({'next': back})}")
    url = f"{reverse('sign_on_confirm_start')}?{urlencode({'next': back})}"
    return render(request, "access/sign_on_confirm.html", {"url": url})


@never_cache
@require_GET
@provided
@asks("access.profile")
def confirm_start(request: HttpRequest) -> HttpResponseBase:
    """Redirect to the provider, which must request a new log-in, however recent the last was."""
    back = next_of(request, reverse("mfa_index"))
    return _send(request, "confirm", back, prompt="login", max_age="0")


@never_cache
@require_GET
@provided
def logged_out(request: HttpRequest) -> HttpResponseBase:
    """Show the page after the log-out, with a link that ends the provider's session, too."""
    return render(request, "access/signed_off.html", {"url": end_session_url(request)})
