"""Django's 500, for pages and programs; 503 with "try again" while SQL or Redis cannot be asked.

As `handler500` it sees what a view raised and also what a middleware did: on the way out the
session is saved, which waits for the same lock as a log-in.
"""

import sys
from typing import Final

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.template.loader import render_to_string
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from redis.exceptions import RedisError

from poolsite import hotpath
from poolsite.access import context
from poolsite.access.middleware import is_api
from poolsite.api.problems import django_problem
from poolsite.sql_away import sql_is_away

RETRY_SECONDS: Final = 5


def something_failed(request: HttpRequest) -> HttpResponseBase:
    """The answer to an error that nobody handled; Django calls this while it is being handled."""
    error = sys.exc_info()[1]
    busy = sql_is_away(error) or isinstance(error, RedisError | hotpath.Unavailable)
    if is_api(request):
        detail = "The database did not answer in time. Try again in a moment."
        return django_problem("unavailable", detail) if busy else django_problem("fault")
    if not busy:
        return _fault_page(request)
    return _busy_problem(request) if _wants_json(request) else _busy_page(request)


def _wants_json(request: HttpRequest) -> bool:
    """Whether the script of a page asks, which shows the problem's title and detail."""
    return request.get_preferred_type(["text/html", "application/json"]) == "application/json"


def _busy_problem(request: HttpRequest) -> HttpResponse:
    """The same in the reader's words, as static/js/shared/dom.js shows it."""
    told = _("The database did not respond in time. Wait a few seconds, then try again.")
    if request.method not in ("GET", "HEAD"):
        told = _(
            "The database did not respond in time, so your last change may not have been "
            "saved. Wait a few seconds, check, then try again."
        )
    return django_problem("unavailable", told, title=_("The database is busy"))


def _fault_page(request: HttpRequest) -> HttpResponse:
    """What happened, and the request's name: it finds the failure in the logs."""
    shown = {
        "reads": request.method in ("GET", "HEAD"),
        "back": _back(request),
        "reference": context.current().request_id,
    }
    body = render_to_string("500.html", shown)
    return HttpResponse(body, status=500, headers={"Cache-Control": "no-store"})


def _busy_page(request: HttpRequest) -> HttpResponse:
    """Rendered without the request: what a page's frame needs is in the same database."""
    reads = request.method in ("GET", "HEAD")
    body = render_to_string("503.html", {"reads": reads, "back": _back(request)})
    headers = {"Retry-After": str(RETRY_SECONDS), "Cache-Control": "no-store"}
    return HttpResponse(body, status=503, headers=headers)


def _back(request: HttpRequest) -> str:
    """Where to try again: this page, or the one with the form that was sent."""
    if request.method in ("GET", "HEAD"):
        return request.get_full_path()
    form = request.headers.get("Referer", "")
    own = url_has_allowed_host_and_scheme(form, {request.get_host()}, request.is_secure())
    return form if own else "/"
