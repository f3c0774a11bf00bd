"""The password again, before something that would outlive a stolen session."""

import time
from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec
from urllib.parse import urlencode

from django.conf import settings
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from poolsite.access.forms import PresentPasswordForm
from poolsite.access.lookup import SESSION_PASSWORD
from poolsite.access.views.common import asks, next_of, user_of

P = ParamSpec("P")
View = Callable[Concatenate[HttpRequest, P], HttpResponseBase]


def asks_password(view: View[P]) -> View[P]:
    """Let a view run only if the password was given in the last PASSWORD_FRESH_SECONDS."""

    @wraps(view)
    def asked(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        given = float(request.session.get(SESSION_PASSWORD, 0))
        if time.time() - given <= settings.PASSWORD_FRESH_SECONDS:
            return view(request, *args, **kwargs)
        query = urlencode({"next": request.path})
        return redirect(f"{reverse('access:confirm_password')}?{query}")

    return asked


@sensitive_post_parameters()
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@asks("access.profile")
def confirm_password(request: HttpRequest) -> HttpResponseBase:
    """Take the password, and lead back to what asked for it."""
    form = PresentPasswordForm(request.POST or None)
    form.user_for_validation = user_of(request)
    if request.method == "POST" and form.is_valid():
        request.session[SESSION_PASSWORD] = time.time()
        return redirect(next_of(request, reverse("access:security")))
    context = {"form": form, "next": next_of(request)}
    return render(request, "access/confirm_password.html", context)
