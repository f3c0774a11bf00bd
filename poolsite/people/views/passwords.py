"""The page that a mailed link to a new password opens. allauth has the rest."""

from allauth.account.views import INTERNAL_RESET_SESSION_KEY
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from poolsite.access import mailed_links

OPENED = "set-password"  # allauth's word for a key that is in the session
NOBODY = "0"


@sensitive_post_parameters()
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def reset_open(request: HttpRequest) -> HttpResponseBase:
    """Move the link's secret into the session, where allauth's page expects it."""
    if request.method != "POST":
        return mailed_links.page(request)
    user, _dash, key = mailed_links.secret_of(request).partition("-")
    request.session[INTERNAL_RESET_SESSION_KEY] = key
    known = user if user.isascii() and user.isalnum() else NOBODY
    return redirect("account_reset_password_from_key", uidb36=known, key=OPENED)
