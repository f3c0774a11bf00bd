"""Redirects the admin's own log-in, log-out and password pages to the console's.

So there is only one log-in, with one throttle.
"""

from urllib.parse import urlencode

from allauth.account.views import logout
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect
from django.urls import path, reverse
from django.views.decorators.csrf import csrf_protect
from django.views.decorators.http import require_POST

from poolsite.console.verbs import next_of


def to_log_in(request: HttpRequest) -> HttpResponseBase:
    """Redirect to the log-in page and back, and logged-in users to their first page."""
    if request.user.is_authenticated:
        return redirect("access:home")
    wanted = next_of(request, reverse("admin:index"))
    return redirect(f"{reverse('account_login')}?{urlencode({'next': wanted})}")


def to_password(request: HttpRequest) -> HttpResponseBase:
    """Redirect to the console's page for a new password."""
    return redirect("account_change_password")


urlpatterns = [
    path("admin/login/", to_log_in),
    path("admin/logout/", csrf_protect(require_POST(logout))),
    path("admin/password_change/", to_password),
    path("admin/password_change/done/", to_password),
]
