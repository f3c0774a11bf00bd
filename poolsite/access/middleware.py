"""What every Django request gets: a principal, an ID, session limits, headers, refusals."""

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
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _

from poolsite.access import context
from poolsite.access.actions import AccessRefused, Decision
from poolsite.access.addresses import client_address
from poolsite.access.lookup import SESSION_STARTED
from poolsite.access.principals import principal_of_request

GetResponse = Callable[[HttpRequest], HttpResponse]
SESSION_SEEN = "access_seen"
SEEN_SECONDS = 60  # how often the idle limit moves: one SQL write a minute, not one per request
REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{8,64}\Z")

# The admin's theme evaluates expressions and sets styles (docs/reference/access.md).
ADMIN_POLICY = {
    "script-src": ["'self'", "'unsafe-eval'"],
    "style-src": ["'self'", "'unsafe-inline'"],
}
PERMISSIONS_POLICY = "camera=(), geolocation=(), microphone=(), payment=(), usb=()"


def is_api(request: HttpRequest) -> bool:
    """Return whether a program sent it: it gets a problem document, never the log-in page."""
    return request.path.startswith("/api/") or "Authorization" in request.headers


class RequestNameMiddleware:
    """Sets the request's ID for audit log and logs: a valid `X-Request-ID`, else a new one."""

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
    """Sets `request.principal`, applies the session's limits, and answers refusals.

    It comes after AuthenticationMiddleware. A session ends at its idle limit (its row's expiry,
    moved at most once a minute) or SESSION_ABSOLUTE_SECONDS after log-in.
    """

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        self._limit_session(request)
        principal = SimpleLazyObject(lambda: principal_of_request(request))
        vars(request)["principal"] = principal  # for templates
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        """Turn a refusal of `access.require` into its response."""
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
    """Return the HTTP response of a refusal, or None where Django's own 403 or 404 page is used."""
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
    """Redirect to the page that confirms the user's identity, and back.

    allauth would store a submitted form and run it after the confirmation. A thief of a session
    could then plant a form that its owner's password sets off.
    """
    back = _shown(request) or form_page(request, request.path)
    return _lead_to(confirm_page(request), back=back)


def form_page(request: HttpRequest, default: str) -> str:
    """Return the page with the form that was sent, if the browser names a page of this site."""
    form = request.headers.get("Referer", "")
    own = url_has_allowed_host_and_scheme(form, {request.get_host()}, request.is_secure())
    return form if own else default


def confirm_page(request: HttpRequest) -> str:
    """Return the page where the user confirms their identity; the log-in page without a method."""
    methods = get_adapter().get_reauthentication_methods(request.user)
    return str(methods[0]["url"]) if methods else reverse("account_login")


def _shown(request: HttpRequest) -> str:
    """Return the requested page, or "" for a form, which is not sent a second time."""
    return request.get_full_path() if request.method in ("GET", "HEAD") else ""


def _lead_to(page: str, *, back: str) -> HttpResponseRedirect:
    """Redirect to a page that leads back. The first page needs no `next`."""
    query = f"?{urlencode({'next': back})}" if back and back != "/" else ""
    return HttpResponseRedirect(page + query)


def problem(decision: Decision) -> dict[str, Any]:
    """Return the body of a refusal as in RFC 9457, for the API and the hot lane."""
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
