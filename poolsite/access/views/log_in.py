"""Log-in in one step or two, log-out, and the first page."""

import time
from typing import Any

from django.conf import settings
from django.contrib.auth import authenticate, login, logout
from django.db import transaction
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_protect
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from poolsite.access.actions import LoginNeeded
from poolsite.access.first_pages import first_page
from poolsite.access.forms import CodeForm, LoginForm
from poolsite.access.lookup import SESSION_FACTOR
from poolsite.access.models import User
from poolsite.access.principals import principal_of_request
from poolsite.access.services import FactorAnswer, factor_check
from poolsite.access.services.factors import has_factor
from poolsite.access.views.common import next_of

PENDING = "access_pending"
PENDING_SECONDS = 300
BACKEND = "poolsite.access.backends.NameOrEmailBackend"


@sensitive_post_parameters("password")
@never_cache
@csrf_protect
@require_http_methods(["GET", "HEAD", "POST"])
def log_in(request: HttpRequest) -> HttpResponseBase:
    """Name and password; every kind of no reads the same."""
    if request.method != "POST":
        if principal_of_request(request).is_authenticated:
            return redirect(next_of(request, "/"))
        return _login_page(request, LoginForm())
    form = LoginForm(request.POST)
    if not form.is_valid():
        return _login_page(request, form)
    user = authenticate(request, **form.cleaned_data)
    if not isinstance(user, User):
        form.add_error(None, _("That name and password do not fit."))
        return _login_page(request, form)
    if has_factor(user):
        _remember_pending(request, user)
        return redirect("access:login_code")
    return _enter(request, user, next_of(request, "/"))


def _login_page(request: HttpRequest, form: LoginForm, status: int = 200) -> HttpResponse:
    context = {"form": form, "next": next_of(request), "demo": settings.DEMO}
    return render(request, "access/log_in.html", context, status=status)


def locked_out(
    request: HttpRequest, original: HttpResponse | None = None, credentials: Any = None
) -> HttpResponse:
    """What a throttled log-in sees (axes calls this): the same whether the user exists or not."""
    form = LoginForm(request.POST or None)
    form.full_clean()
    form.add_error(None, _("Too many tries. Wait 15 minutes, then try again."))
    response = _login_page(request, form, status=429)
    response["Retry-After"] = str(int(settings.AXES_COOLOFF_TIME.total_seconds()))
    return response


def _remember_pending(request: HttpRequest, user: User) -> None:
    """The password was right; nobody is logged in until the code is. Under a new session key."""
    request.session.cycle_key()
    request.session[PENDING] = {
        "user": user.pk,
        "hash": user.get_session_auth_hash(),
        "at": time.time(),
        "next": next_of(request, "/"),
    }


@never_cache
@csrf_protect
@require_http_methods(["GET", "HEAD", "POST"])
def log_in_code(request: HttpRequest) -> HttpResponseBase:
    """The second step: a code of the app, within five minutes of the password."""
    pending = request.session.get(PENDING) or {}
    user = _pending_user(pending)
    if user is None:
        request.session.pop(PENDING, None)
        return redirect("access:login")
    form = CodeForm(request.POST or None)
    status = 200
    if request.method == "POST" and form.is_valid():
        answer = factor_check(user=user, code=form.cleaned_data["code"])
        if answer is FactorAnswer.OK:
            del request.session[PENDING]
            user.backend = BACKEND
            return _enter(request, user, str(pending["next"]), factor=True)
        status = refuse_code(form, answer)
    return render(request, "access/log_in_code.html", {"form": form}, status=status)


def refuse_code(form: CodeForm, answer: FactorAnswer) -> int:
    """Say why a code was refused; returns the HTTP status."""
    if answer is FactorAnswer.BLOCKED:
        form.add_error("code", _("Too many wrong codes. Wait a few minutes, then try again."))
        return 429
    form.add_error("code", _("That code is not right, or was used already."))
    return 200


def _pending_user(pending: dict[str, Any]) -> User | None:
    if time.time() - float(pending.get("at", 0)) > PENDING_SECONDS:
        return None
    user = User.objects.filter(pk=pending["user"], is_active=True).first()
    if user is None or user.get_session_auth_hash() != pending["hash"]:
        return None
    return user


def _enter(request: HttpRequest, user: User, target: str, *, factor: bool = False) -> HttpResponse:
    """Log in under a new session key, and go on."""
    with transaction.atomic():
        login(request, user)
        if factor:
            request.session[SESSION_FACTOR] = time.time()
    return redirect(target)


@never_cache
@require_POST
def log_out(request: HttpRequest) -> HttpResponseBase:
    """End this session; its sockets close in every process."""
    with transaction.atomic():
        logout(request)
    return redirect(settings.LOGOUT_REDIRECT_URL)


@never_cache
@require_GET
def home(request: HttpRequest) -> HttpResponseBase:
    """Lead each role to its own first page."""
    principal = principal_of_request(request)
    if principal.kind != "user" or not principal.is_authenticated:
        raise LoginNeeded
    return redirect(first_page(principal))


@require_GET
def welcome(request: HttpRequest) -> HttpResponseBase:
    """The first page of a role that no app has a page for yet."""
    if not principal_of_request(request).is_authenticated:
        raise LoginNeeded
    return render(request, "access/welcome.html")
