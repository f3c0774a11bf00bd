"""The pages for 403 and 404: with the navigation for logged-in users, otherwise without it.

The navigation is read from SQL. If that fails, the answer is the page without it: a user who opens
a page that doesn't exist does not see another error.
"""

import logging

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.views.defaults import page_not_found, permission_denied

from poolsite.api.problems import django_problem
from poolsite.console.pages import navigation_of, principal_of

logger = logging.getLogger(__name__)


def nothing_there(request: HttpRequest, exception: Exception) -> HttpResponseBase:
    """Handle Django's 404: return a problem below /api/, even without a route, otherwise a page."""
    if request.path.startswith("/api/"):
        return django_problem("not-found")
    return not_found(request, exception)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponseBase:
    """Return the 404 page for a reader."""
    return _known(request, 404) or page_not_found(request, exception)


def not_allowed(request: HttpRequest, exception: Exception | None = None) -> HttpResponseBase:
    """Return the 403 page for a reader. Django's handler403."""
    return _known(request, 403) or permission_denied(request, exception or PermissionDenied())


def _known(request: HttpRequest, status: int) -> HttpResponse | None:
    """Return the page with the navigation, or None if the user is not logged in or it fails."""
    try:
        if principal_of(request).kind != "user" or not principal_of(request).is_authenticated:
            return None
        shown = {"navigation": navigation_of(request, page="")}  # it belongs to no entry
        return render(request, f"operations/{status}.html", shown, status=status)
    except Exception:
        logger.exception("the page for %d was made without the navigation", status)
        return None
