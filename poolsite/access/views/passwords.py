"""A new password by mail. The answers never tell whether an address is known."""

from typing import Any

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.encoding import force_str
from django.utils.http import urlsafe_base64_decode
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods
from kombu.exceptions import OperationalError

from poolsite.access import mailed_links, services
from poolsite.access.addresses import client_address
from poolsite.access.forms import NewPasswordMixin, ResetForm
from poolsite.access.limiting import network_of, reached_limit
from poolsite.access.logins import normal
from poolsite.access.mails import site_of
from poolsite.access.models import User
from poolsite.access.reset_links import reset_links
from poolsite.access.tasks import send_reset_mail

RESET_SECRET = "access_reset_secret"  # noqa: S105  a session key
MAILS_PER_ADDRESS, MAILS_BY_CLIENT, WINDOW_SECONDS = 3, 20, 3600


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def reset(request: HttpRequest) -> HttpResponseBase:
    """Ask for the mail. The worker looks the address up, so that time tells nothing either."""
    form = ResetForm(request.POST or None)
    if request.method != "POST" or not form.is_valid():
        return render(request, "access/reset.html", {"form": form})
    email = form.cleaned_data["email"]
    by_client = reached_limit(
        "reset", network_of(client_address(request)), MAILS_BY_CLIENT, WINDOW_SECONDS
    )
    if by_client:
        form.add_error(None, _("Too many tries. Wait an hour, then try again."))
        return render(request, "access/reset.html", {"form": form}, status=429)
    if not reached_limit("reset-mail", normal(email), MAILS_PER_ADDRESS, WINDOW_SECONDS):
        try:
            send_reset_mail.delay(email, site_of(request))
        except OperationalError:
            form.add_error(None, _("Mail cannot be sent at the moment. Try again in a minute."))
            return render(request, "access/reset.html", {"form": form}, status=503)
    return render(request, "access/reset_sent.html", {"email": email})


@sensitive_post_parameters()
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def reset_open(request: HttpRequest) -> HttpResponseBase:
    """The page that the mailed link opens: its secret moves into the session."""
    if request.method != "POST":
        return mailed_links.page(request)
    secret = mailed_links.secret_of(request)
    if _user_of(secret) is None:
        return _no_longer(request)
    request.session[RESET_SECRET] = secret
    return redirect("access:reset_confirm")


@sensitive_post_parameters()
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def reset_confirm(request: HttpRequest) -> HttpResponseBase:
    """Set the new password of whose link was opened in this session."""
    secret = request.session.get(RESET_SECRET, "")
    user = _user_of(secret)
    if user is None:
        return _no_longer(request)
    form = NewPasswordMixin(request.POST or None)
    form.user_for_validation = user
    if request.method == "POST" and form.is_valid():
        data: dict[str, Any] = form.cleaned_data
        try:
            token = secret.partition(".")[2]
            services.password_reset(user=user, secret=token, password=data["new_password"])
        except ValidationError:
            return _no_longer(request)
        request.session.pop(RESET_SECRET, None)
        messages.success(request, _("Your password is changed. Log in with it."))
        return redirect("access:login")
    return render(request, "access/reset_confirm.html", {"form": form})


def _user_of(secret: str) -> User | None:
    """The active user whose link it is; None when it is used, too old or nobody's."""
    uid, _dot, token = secret.partition(".")
    try:
        pk = int(force_str(urlsafe_base64_decode(uid)))
    except (ValueError, OverflowError):
        return None
    user = User.objects.filter(pk=pk, is_active=True).first() if 0 < pk < 2**63 else None
    return user if user is not None and reset_links.check_token(user, token) else None


def _no_longer(request: HttpRequest) -> HttpResponse:
    return render(request, "access/reset_expired.html", status=410)
