"""Three of allauth's pages: the two that take codes, and the list of sessions."""

from typing import Any

from allauth.mfa.base import views
from allauth.usersessions import views as sessions
from allauth.usersessions.adapter import get_adapter
from allauth.usersessions.models import UserSession
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.generic.base import TemplateResponseMixin

from poolsite.access.browsers import browser_and_system
from poolsite.access.factor_state import has_factor
from poolsite.access.models import User


class _BlockedMixin(TemplateResponseMixin):
    def render_to_response(self, context: dict[str, Any], **kwargs: Any) -> HttpResponse:
        """Return the page, with status 429 while codes are blocked."""
        response = super().render_to_response(context, **kwargs)
        if context["form"].has_error("code", "blocked"):
            response.status_code = 429
        return response


class LogInCodeView(_BlockedMixin, views.AuthenticateView):
    """The second step of the log-in."""


class ConfirmView(_BlockedMixin, views.ReauthenticateView):
    """The second factor again, before money moves or the log-in changes."""

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """Let users without a second factor set one up first."""
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


class SessionsView(sessions.ListUserSessionsView):
    """The reader's sessions: the current one, then the newest first. Ends one or all others."""

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Add the browser's name to each row."""
        context: dict[str, Any] = super().get_context_data(**kwargs)
        rows = sorted(context["sessions"], key=lambda row: row.created_at, reverse=True)
        rows.sort(key=lambda row: not row.is_current())
        context["sessions"] = [(row, _browser_words(row.user_agent)) for row in rows]
        return context

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """End the named session or, without a name, all but the current one."""
        if "session" not in request.POST:
            page: HttpResponseBase = super().post(request, *args, **kwargs)
            return page
        named = request.POST["session"]
        mine = UserSession.objects.filter(user_id=request.user.pk)
        ending = mine.filter(pk=int(named)) if named.isdecimal() and len(named) < 19 else ()
        ending = [row for row in ending if not row.is_current()]
        get_adapter().end_sessions(ending)
        if ending:
            messages.success(request, _("Session ended."))
        return redirect("usersessions_list")


def _browser_words(agent: str) -> str:
    browser, system = browser_and_system(agent)
    if browser and system:
        return _("%(browser)s on %(system)s") % {"browser": browser, "system": system}
    return browser or system or _("Unknown browser")
