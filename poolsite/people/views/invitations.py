"""Mailing an invitation, and joining by its link."""

import smtplib

from allauth.account.utils import perform_login
from django.conf import settings
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from poolsite.access import client_address, mailed_links, selectors, services
from poolsite.access.limiting import network_of, reached_limit
from poolsite.access.logins import find_user
from poolsite.access.mailed_links import JOIN_SECRET
from poolsite.access.mails import send_invitation, site_of
from poolsite.access.models import Invitation, User
from poolsite.access.services.invitations import invitation_of
from poolsite.console.form_pages import add_errors
from poolsite.people.forms import JoinForm

TRIES_BY_CLIENT, WINDOW_SECONDS = 60, 3600


def mail_invitation(request: HttpRequest, invitation: Invitation, secret: str) -> None:
    """Send the link and show whether that worked. The invitation stays valid either way."""
    try:
        send_invitation(invitation, secret, site_of(request))
    except (OSError, smtplib.SMTPException):
        messages.error(
            request, _("The email couldn't be sent. Invite the person again once email works.")
        )
    else:
        messages.success(request, _("Invitation sent to %s.") % invitation.email)


@sensitive_post_parameters()
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def join_open(request: HttpRequest) -> HttpResponseBase:
    """Show the page that the mailed link opens, and store its secret in the session."""
    if request.method != "POST":
        return mailed_links.page(request)
    if reached_limit("join", network_of(client_address(request)), TRIES_BY_CLIENT, WINDOW_SECONDS):
        return render(request, "access/join_expired.html", status=429)
    secret = mailed_links.secret_of(request)
    if invitation_of(secret) is None:
        return render(request, "access/join_expired.html", status=410)
    request.session[JOIN_SECRET] = secret
    return redirect("access:join")


@sensitive_post_parameters()
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def join(request: HttpRequest) -> HttpResponseBase:
    """Accept the invitation whose link was opened in this session.

    The reader joins as the logged-in user, or as a new one.
    """
    secret = request.session.get(JOIN_SECRET, "")
    invitation = invitation_of(secret)
    if invitation is None:
        return render(request, "access/join_expired.html", status=410)
    known = find_user(invitation.email)
    context = {"invitation": invitation, "known": known is not None}
    if known is not None:
        return _join_as_known(request, secret, known, context)
    form = JoinForm(request.POST or None)
    if request.method == "POST" and form.is_valid() and not settings.OIDC_ONLY:
        user = _new_user(form, secret)
        if user is not None:
            del request.session[JOIN_SECRET]
            _say_what_waits(request, user)
            entered: HttpResponseBase = perform_login(request, user)
            return entered
    return render(request, "access/join.html", {**context, "form": form})


def _join_as_known(
    request: HttpRequest, secret: str, known: User, context: dict[str, object]
) -> HttpResponseBase:
    """Accept as the user whose address was invited; the link alone is not enough."""
    if request.user != known:
        return render(request, "access/join_log_in.html", context)
    if request.method == "POST":
        try:
            services.invitation_accept(secret=secret, user=known)
        except ValidationError as error:
            context = {"why": " ".join(error.messages)}
            return render(request, "access/join_expired.html", context, status=410)
        del request.session[JOIN_SECRET]
        messages.success(request, _("You've joined."))
        _say_what_waits(request, known)
        return redirect("/")
    return render(request, "access/join_known.html", context)


def _say_what_waits(request: HttpRequest, user: User) -> None:
    if selectors.waiting_finance_requests(user).exists():
        messages.info(
            request, _("Your Finance grant is waiting for approval by another finance operator.")
        )


def _new_user(form: JoinForm, secret: str) -> User | None:
    data = form.cleaned_data
    try:
        return services.invitation_accept(
            secret=secret,
            username=data["username"],
            full_name=data["full_name"],
            password=data["new_password"],
            user=None,
        )
    except ValidationError as error:
        add_errors(form, error)
        return None
