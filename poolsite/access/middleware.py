"""What every Django request gets: a principal, a name, session limits, headers, the answers."""

import re
import time
import uuid
from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

from allauth.account.adapter import get_adapter
from allauth.core.exceptions import ReauthenticationRequired
from django.conf import settings
from django.contrib.auth import logout
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.urls import reverse
from django.utils.functional import SimpleLazyObject
from django.utils.translation import gettext as _

from poolsite.access import context
from poolsite.access.actions import AccessRefused, Decision
from poolsite.access.addresses import client_address
from poolsite.access.lookup import SESSION_STARTED
from poolsite.access.principals import principal_of_request

GetResponse = Callable[[HttpRequest], HttpResponse]
SESSION_SEEN = "access_seen"
SEEN_SECONDS = 60  # how often an idle limit moves on: one SQL write a minute, not one a request
REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{8,64}\Z")

# The admin's theme evaluates expressions and sets styles (docs/reference/access.md).
ADMIN_POLICY = {
    "script-src": ["'self'", "'unsafe-eval'"],
    "style-src": ["'self'", "'unsafe-inline'"],
}
PERMISSIONS_POLICY = "camera=(), geolocation=(), microphone=(), payment=(), usb=()"


def is_api(request: HttpRequest) -> bool:
    """Whether a program asked: it gets a problem document, never the log-in page."""
    return request.path.startswith("/api/") or "Authorization" in request.headers


class RequestNameMiddleware:
    """Names the request (`X-Request-ID` when a proxy gave a sane one) for audit log and logs."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        given = request.headers.get("X-Request-ID", "")
        name = given if REQUEST_ID.match(given) else uuid.uuid4().hex
        with context.serving(name, client_address(request)):
            response = self.get_response(request)
        response["X-Request-ID"] = name
        return response


class HeadersMiddleware:
    """Headers that Django's own middleware does not set, and the admin's wider policy."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        response.setdefault("Permissions-Policy", PERMISSIONS_POLICY)
        response.setdefault("Cross-Origin-Resource-Policy", "same-origin")
        is_page = response.get("Content-Type", "").startswith("text/html")
        if is_page and not response.has_header("Cache-Control"):
            response["Cache-Control"] = "no-store"
        if request.path.startswith("/admin/"):
            vars(response)["_csp_replace"] = ADMIN_POLICY  # django-csp reads it there
        return response


class PrincipalMiddleware:
    """`request.principal`, the session's limits, and the answers to a refusal.

    Stands after AuthenticationMiddleware. A session ends at its idle limit (its row's expiry,
    moved on at most once a minute) or at SESSION_ABSOLUTE_SECONDS after log-in.
    """

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        self._limit_session(request)
        request.principal = SimpleLazyObject(  # type: ignore[attr-defined]  # for templates
            lambda: principal_of_request(request)
        )
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        """Turn what `access.require` raised into its answer."""
        if isinstance(error, AccessRefused):
            return answer(request, error.decision)
        if isinstance(error, ReauthenticationRequired):
            return _ask_again(request)
        if isinstance(error, PermissionDenied) and is_api(request):
            return answer(request, Decision.FORBIDDEN)
        return None

    def _limit_session(self, request: HttpRequest) -> None:
        if settings.SESSION_COOKIE_NAME not in request.COOKIES:
            return
        session = request.session
        if not request.user.is_authenticated:
            return
        now = time.time()
        started = session.get(SESSION_STARTED)
        if started is None or now - float(started) >= settings.SESSION_ABSOLUTE_SECONDS:
            with transaction.atomic():
                logout(request)
            return
        if now - float(session.get(SESSION_SEEN, 0)) >= SEEN_SECONDS:
            session[SESSION_SEEN] = now


def answer(request: HttpRequest, decision: Decision) -> HttpResponse | None:
    """The HTTP answer of a refusal; None where Django's own 403 or 404 page is the answer."""
    if is_api(request):
        return JsonResponse(
            problem(decision),
            status=decision.http_status,
            content_type="application/problem+json",
            headers={"WWW-Authenticate": "Bearer"} if decision is Decision.LOGIN else None,
        )
    if decision is Decision.LOGIN:
        return _lead_to(reverse("account_login"), back=_shown(request))
    if decision is Decision.FACTOR:
        return _lead_to(reverse("mfa_reauthenticate"), back=_shown(request))
    return None


def _ask_again(request: HttpRequest) -> HttpResponse:
    """To "is it you?", and back to the page.

    allauth would keep a form that was sent, and take it after the answer: then whoever has stolen
    a session could plant a form that its owner's password sets off.
    """
    return _lead_to(confirm_page(request), back=_shown(request) or request.path)


def confirm_page(request: HttpRequest) -> str:
    """The page on which the reader confirms who they are; without any way to, where one logs in."""
    methods = get_adapter().get_reauthentication_methods(request.user)
    return str(methods[0]["url"]) if methods else reverse("account_login")


def _shown(request: HttpRequest) -> str:
    """The page that was asked for; "" for a form, which is not sent a second time."""
    return request.get_full_path() if request.method in ("GET", "HEAD") else ""


def _lead_to(page: str, *, back: str) -> HttpResponseRedirect:
    """To a page that leads back; the first page needs no word."""
    query = f"?{urlencode({'next': back})}" if back and back != "/" else ""
    return HttpResponseRedirect(page + query)


def problem(decision: Decision) -> dict[str, Any]:
    """The body of a refusal by RFC 9457, for the API and the hot lane."""
    words = {
        Decision.LOGIN: ("login-needed", _("Log in or send a valid token.")),
        Decision.FORBIDDEN: ("forbidden", _("Your role or token doesn't allow this.")),
        Decision.FACTOR: (
            "second-factor-needed",
            _("Confirm with two-factor authentication first."),
        ),
        Decision.HIDDEN: ("not-found", _("Not found.")),
    }
    name, title = words[decision]
    return {"type": f"/problems/{name}", "title": title, "status": decision.http_status}
