"""Django's 500, for pages and programs. Answers 503 with "try again" if SQL or Redis is away.

As `handler500` it gets the errors of views and also of middleware: after the view, the session is
saved, which waits for the same lock as a login.
"""

import sys
from typing import Final

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.template.loader import render_to_string
from django.utils.translation import gettext as _
from redis.exceptions import RedisError

from poolsite import hotpath
from poolsite.access import context
from poolsite.access.middleware import form_page, is_api
from poolsite.api.problems import django_problem
from poolsite.sql_away import sql_is_away

RETRY_SECONDS: Final = 5


def something_failed(request: HttpRequest) -> HttpResponseBase:
    """Return the response to an unhandled error. Django calls this while it handles the error."""
    error = sys.exc_info()[1]
    busy = sql_is_away(error) or isinstance(error, RedisError | hotpath.Unavailable)
    if is_api(request):
        detail = "The database did not answer in time. Try again in a moment."
        return django_problem("unavailable", detail) if busy else django_problem("fault")
    if not busy:
        return _fault_page(request)
    return _busy_problem(request) if _wants_json(request) else _busy_page(request)


def _wants_json(request: HttpRequest) -> bool:
    """Return whether a page's script sent the request. It shows the problem's title and detail."""
    return request.get_preferred_type(["text/html", "application/json"]) == "application/json"


def _busy_problem(request: HttpRequest) -> HttpResponse:
    """Return the 503 in the reader's language, as static/js/shared/dom.js shows it."""
    told = _("The database did not respond in time. Wait a few seconds, then try again.")
    if request.method not in ("GET", "HEAD"):
        told = _(
            "The database did not respond in time, so your last change may not have been "
            "saved. Wait a few seconds, check, then try again."
        )
    return django_problem("unavailable", told, title=_("The database is busy"))


def _fault_page(request: HttpRequest) -> HttpResponse:
    """Return the page for an error. It shows the request's ID, for a search in the logs."""
    shown = {
        "reads": request.method in ("GET", "HEAD"),
        "back": _back(request),
        "reference": context.current().request_id,
    }
    body = render_to_string("500.html", shown)
    return HttpResponse(body, status=500, headers={"Cache-Control": "no-store"})


def _busy_page(request: HttpRequest) -> HttpResponse:
    """Return the 503 page, rendered without the request: a page's frame needs the same database."""
    reads = request.method in ("GET", "HEAD")
    body = render_to_string("503.html", {"reads": reads, "back": _back(request)})
    headers = {"Retry-After": str(RETRY_SECONDS), "Cache-Control": "no-store"}
    return HttpResponse(body, status=503, headers=headers)


def _back(request: HttpRequest) -> str:
    """Return where to try again: this page, or the page with the form that was sent."""
    if request.method in ("GET", "HEAD"):
        return request.get_full_path()
    return form_page(request, "/")
