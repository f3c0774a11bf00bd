"""Why a person was not logged in, as the page and the audit log show it."""

from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext_lazy as _

from poolsite.access.addresses import client_address
from poolsite.access.auditing import audit
from poolsite.access.limiting import network_of, reached_limit
from poolsite.access.models import User
from poolsite.access.services.single_sign_on import ACTOR

TRIES_BY_CLIENT, WINDOW_SECONDS = 60, 3600


@dataclass(frozen=True, slots=True)
class Refusal:
    """The status and the page's texts; %(name)s is the provider."""

    status: int
    title: Any
    text: Any
    is_logged: bool = False  # the provider named the person: write an audit entry


REFUSALS = {
    "stale": Refusal(
        400,
        _("This login has expired"),
        _("It took more than ten minutes, or was started in another browser. Start again."),
    ),
    "denied": Refusal(
        403,
        _("You weren't logged in"),
        _("The login with %(name)s was canceled, or %(name)s doesn't allow it."),
    ),
    "provider": Refusal(
        502,
        _("The login with %(name)s didn't work"),
        _(
            "%(name)s can't be reached, or its answer was refused. Nothing has been changed. Try "
            "again in a minute. If this continues, tell your administrator."
        ),
    ),
    "too_many": Refusal(
        429,
        _("Too many attempts"),
        _("Try again in an hour."),
    ),
    "no_access": Refusal(
        403,
        _("You have no access yet"),
        _(
            "%(name)s knows you, but none of your groups has access here. Ask your administrator "
            "to add you to a group, or ask for an invitation."
        ),
        is_logged=True,
    ),
    "inactive": Refusal(
        403,
        _("Your user is deactivated"),
        _("Ask an operator to reactivate it."),
        is_logged=True,
    ),
    "email_taken": Refusal(
        403,
        _("You already have a user here"),
        _(
            "A user with your email address exists. Log in as that user and link %(name)s under "
            "Security, or ask an operator."
        ),
        is_logged=True,
    ),
    "other_user": Refusal(
        403,
        _("This is another user"),
        _("The person who logged in with %(name)s isn't linked to your user. Nothing was changed."),
        is_logged=True,
    ),
    "linked_elsewhere": Refusal(
        403,
        _("Already linked"),
        _("This login with %(name)s is linked to another user, or you have linked one already."),
        is_logged=True,
    ),
    "not_asked": Refusal(
        403,
        _("%(name)s didn't ask you again"),
        _(
            "To confirm that it's you, %(name)s must ask you to log in again. It didn't, or didn't "
            "say when. Nothing was changed."
        ),
        is_logged=True,
    ),
}


def refuse(request: HttpRequest, code: str, *, user: User | None = None, who: str = "") -> Any:
    """Return the page that states why, and write its audit entry.

    who: the provider's name of the person. After many refusals from one address, the page states
    that instead and no entry is written, so that no one can fill the audit log.
    """
    client = network_of(client_address(request))
    if reached_limit("sign-on", client, TRIES_BY_CLIENT, WINDOW_SECONDS):
        code = "too_many"
    refusal = REFUSALS[code]
    if refusal.is_logged:
        with transaction.atomic():
            audit(
                actor=ACTOR,
                action="access.sign_on_refuse",
                thing=user,
                label="" if user else who,
                after={"why": code},
            )
    return page(request, refusal)


def page(request: HttpRequest, refusal: Refusal) -> HttpResponse:
    """Return the page of a refusal, with a way back."""
    name = {"name": settings.OIDC_NAME}
    words = {"title": str(refusal.title) % name, "text": str(refusal.text) % name}
    return render(request, "access/sign_on_refused.html", words, status=refusal.status)
