"""The two pages that take codes: allauth's, with the status that says when guessing is stopped."""

from typing import Any

from allauth.mfa.base import views
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.utils.translation import gettext as _

from poolsite.access.models import User
from poolsite.access.services.factors import has_factor


class _BlockedMixin:
    def render_to_response(self, context: dict[str, Any], **kwargs: Any) -> HttpResponse:
        """The page; 429 while no code is looked at."""
        response: HttpResponse = super().render_to_response(context, **kwargs)  # type: ignore[misc]
        if context["form"].has_error("code", "blocked"):
            response.status_code = 429
        return response


class LogInCodeView(_BlockedMixin, views.AuthenticateView):  # type: ignore[misc]
    """The second step of the log-in."""


class ConfirmView(_BlockedMixin, views.ReauthenticateView):  # type: ignore[misc]
    """The second factor again, before money moves or the log-in changes."""

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """Who has none sets one up first."""
        if isinstance(request.user, User) and not has_factor(request.user):
            messages.warning(
                request,
                _(
                    "Set up an authenticator app first. Financial actions require two-factor "
                    "authentication."
                ),
            )
            return redirect("mfa_activate_totp")
        page: HttpResponseBase = super().dispatch(request, *args, **kwargs)
        return page
