"""Decides for allauth who may log in by the provider: matching, rights, confirming, linking."""

import logging
import time
from typing import Any, Never

from allauth.account.internal.flows.login import record_authentication
from allauth.core.exceptions import ImmediateHttpResponse
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from allauth.socialaccount.models import SocialAccount
from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import IntegrityError, transaction
from django.http import HttpRequest
from django.shortcuts import redirect
from django.utils.crypto import constant_time_compare

from poolsite.access.addresses import client_address
from poolsite.access.auditing import audit
from poolsite.access.factor_state import has_factor
from poolsite.access.logins import find_user
from poolsite.access.mailed_links import JOIN_SECRET
from poolsite.access.models import Invitation, User
from poolsite.access.oidc.id_token import LEEWAY_SECONDS
from poolsite.access.oidc.mapping import rights_of
from poolsite.access.oidc.provider import Provider, provider_of, shown_name
from poolsite.access.oidc.refusals import refuse
from poolsite.access.principals import principal_of_user
from poolsite.access.services import invitation_accept, single_sign_on
from poolsite.access.services.invitations import invitation_of

log = logging.getLogger("poolsite.access")


class SingleSignOnAdapter(DefaultSocialAccountAdapter):
    """One provider, from the settings. Users sign up only as `pre_social_login` allows."""

    def get_provider(self, request: HttpRequest, provider: str, client_id: Any = None) -> Provider:
        """Return the only provider, whatever the name."""
        return provider_of(request)

    def list_apps(self, *args: Any, **kwargs: Any) -> list[Any]:
        """Return an empty list: the database has no apps."""
        return []

    def is_open_for_signup(self, request: HttpRequest, sociallogin: Any) -> bool:
        """Return False: allauth's own sign-up would accept anyone."""
        return False

    def serialize_instance(self, instance: Any) -> Any:
        """Serialize what a log-in that waits for its second factor stores, without user fields."""
        if isinstance(instance, User):
            instance = User(pk=instance.pk)
        return super().serialize_instance(instance)

    def on_authentication_error(
        self,
        request: HttpRequest,
        provider: Provider,
        error: Any = None,
        exception: Exception | None = None,
        extra_context: dict[str, Any] | None = None,
    ) -> Never:
        """Show one page for every failure on the way; the log has the details."""
        started = bool((extra_context or {}).get("state"))
        code = "provider"
        if exception is None:
            code = "denied" if started and error == "cancelled" else "provider"
            code = code if started else "stale"
        told = request.GET.get("error", "")[:100] if started else ""
        log.warning(
            "single sign-on failed: %s from %s: %s",
            code,
            client_address(request),
            str(exception or told).replace("\n", " ")[:500],
        )
        raise ImmediateHttpResponse(refuse(request, code))

    def pre_social_login(self, request: HttpRequest, sociallogin: Any) -> None:
        """Log in, link or confirm the verified person, or show the page that states why not."""
        sociallogin.token = None  # not needed any more, and never stored
        claims, state = sociallogin.claims, sociallogin.state
        if not constant_time_compare(str(claims.get("nonce", "")), state["nonce"]):
            log.warning("single sign-on failed: nonce from %s", client_address(request))
            raise ImmediateHttpResponse(refuse(request, "provider"))
        act = {"login": _log_in, "link": _link, "confirm": _confirm}[state["purpose"]]
        try:
            with transaction.atomic():
                code = act(request, sociallogin)
        except (ValidationError, IntegrityError) as error:  # a claim that fits no field, or a race
            log.warning("single sign-on failed: %s", str(error).replace("\n", " ")[:500])
            raise ImmediateHttpResponse(refuse(request, "provider")) from error
        if code:
            user = sociallogin.user if sociallogin.is_existing else None
            who = shown_name(claims) or claims["sub"]
            raise ImmediateHttpResponse(refuse(request, code, user=user, who=who))
        if state["purpose"] != "login":
            raise ImmediateHttpResponse(redirect(state.get("next") or "mfa_index"))


def groups_of(claims: dict[str, Any]) -> list[str]:
    """Return the groups in the claims; none if the claim is missing or not a list of texts."""
    given = claims.get(settings.OIDC_GROUPS_CLAIM)
    rows = given if isinstance(given, list) else [given]
    return [each for each in rows if isinstance(each, str)]


def _log_in(request: HttpRequest, login: Any) -> str:
    """Sync the rights and log in a user who has some; return the refusal's code, or "".

    A new user needs a group with rights or an invitation.
    """
    rights = single_sign_on.known_rights(rights_of(groups_of(login.claims)))
    invitation = None if login.is_existing else _invitation(request)
    if not login.is_existing:
        if not rights and invitation is None:
            return "no_access"
        if _is_taken(login.claims, invitation):
            return "email_taken"
        email = _proved_email(login.claims) or (invitation.email if invitation else "")
        login.connect(request, single_sign_on.user_of_claims(login.claims, email=email))
        single_sign_on.sign_on_linked(user=login.user, actor=single_sign_on.ACTOR)
    elif not login.user.is_active:
        return "inactive"
    login.user = single_sign_on.rights_sync(user=login.user, rights=rights)
    if invitation is not None:
        invitation_accept(secret=request.session.pop(JOIN_SECRET), user=login.user)
        login.user.refresh_from_db()
    principal = principal_of_user(login.user)
    if not (principal.is_operator or principal.memberships or principal.thing_grants):
        return "no_access"
    audit(actor=login.user, action="access.sign_on", thing=login.user)
    return ""


def _invitation(request: HttpRequest) -> Invitation | None:
    """Return the invitation whose mailed link was opened in this session, if it still works."""
    secret = request.session.get(JOIN_SECRET, "")
    return invitation_of(secret) if secret else None


def _is_taken(claims: dict[str, Any], invitation: Invitation | None) -> bool:
    """Return whether a user has the address: then a log-in with it is refused.

    It must neither let the person in as that user nor create a second user.
    """
    addresses = [str(claims.get("email") or ""), invitation.email if invitation else ""]
    return any("@" in each and find_user(each) is not None for each in addresses)


def _proved_email(claims: dict[str, Any]) -> str:
    """Return the address if the provider has verified it, else "": mails could go to another."""
    email = claims.get("email")
    if claims.get("email_verified") is not True or not isinstance(email, str):
        return ""
    try:
        validate_email(email)
    except ValidationError:
        return ""
    return email


def _link(request: HttpRequest, login: Any) -> str:
    """Link the provider to the user who began it and is still logged in; return a refusal or ""."""
    user = request.user
    if not isinstance(user, User) or login.state.get("user") != user.pk:
        return "other_user"
    linked = SocialAccount.objects.filter(user=user, provider=settings.OIDC_ISSUER)
    if login.is_existing or linked.exists():
        return "linked_elsewhere"
    login.connect(request, user)
    single_sign_on.sign_on_linked(user=user, actor=user)
    return ""


def _confirm(request: HttpRequest, login: Any) -> str:
    """Record that the logged-in user has just logged in at the provider again.

    Return the refusal's code, or "".
    """
    if not login.is_existing or login.user != request.user:
        return "other_user"
    if has_factor(login.user):
        return "not_asked"  # the user confirms with the factor, or a stolen session could remove it
    at = login.claims.get("auth_time")
    if isinstance(at, bool) or not isinstance(at, int | float):
        return "not_asked"
    if at < login.state["asked_at"] - LEEWAY_SECONDS or at > time.time() + LEEWAY_SECONDS:
        return "not_asked"
    record_authentication(request, login.user, "socialaccount", reauthenticated=True)
    return ""
