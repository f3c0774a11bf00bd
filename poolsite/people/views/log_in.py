"""The page of a throttled log-in, and the first page. allauth has the log-in itself."""

from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from poolsite.access import LoginNeeded, first_page, principal_of_request
from poolsite.access.adapters import TOO_MANY_TRIES
from poolsite.console.verbs import next_of
from poolsite.people.log_in_forms import LoginForm


def locked_out(
    request: HttpRequest, original: HttpResponse | None = None, credentials: Any = None
) -> HttpResponse:
    """Show a throttled log-in (called by axes), the same page whether the user exists or not."""
    form = LoginForm(request=request, initial={"login": request.POST.get("login", "")})
    context = {"form": form, "problem": TOO_MANY_TRIES, "next": next_of(request)}
    response = render(request, "account/login.html", context, status=429)
    response["Retry-After"] = str(int(settings.AXES_COOLOFF_TIME.total_seconds()))
    return response


@never_cache
@require_GET
def home(request: HttpRequest) -> HttpResponseBase:
    """Redirect each role to its own first page."""
    principal = principal_of_request(request)
    if principal.kind != "user" or not principal.is_authenticated:
        raise LoginNeeded
    return redirect(first_page(principal))


@require_GET
def welcome(request: HttpRequest) -> HttpResponseBase:
    """Show the first page of a role for which no app has a page yet."""
    if not principal_of_request(request).is_authenticated:
        raise LoginNeeded
    return render(request, "access/welcome.html")
