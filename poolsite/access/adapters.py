"""Connects allauth's log-in with this platform: throttle, platform rules, encryption, messages.

allauth provides the pages, their order, authenticator apps, recovery codes, passkeys and the list
of sessions (docs/decisions/0038). It calls these adapters for what differs from its defaults.
"""

import io
import time
from collections.abc import Iterable
from ipaddress import ip_address
from typing import Any

import segno
from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.internal.flows.login import get_authentication_records
from allauth.account.internal.flows.reauthentication import get_reauthentication_flows
from allauth.core import context
from allauth.core.exceptions import ImmediateHttpResponse, ReauthenticationRequired
from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.usersessions.adapter import DefaultUserSessionsAdapter
from django.conf import settings
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.db import transaction
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.crypto import constant_time_compare
from django.utils.translation import gettext_lazy as _

from poolsite.access import selectors, services
from poolsite.access.addresses import client_address
from poolsite.access.auditing import audit
from poolsite.access.logins import TooManyTriesError, is_own_password
from poolsite.access.lookup import SESSION_STARTED
from poolsite.access.models import User
from poolsite.access.oidc.log_out import end_session_url, signed_on
from poolsite.access.services import factors
from poolsite.access.services.single_sign_on import rights_sync

PENDING_HASH = "access_pending_hash"
NO_ADDRESS = "0.0.0.0"  # noqa: S104  a Unix socket's peer has no address, but the column needs one
TOO_MANY_TRIES = _("Too many attempts. Try again in 15 minutes.")
MESSAGES = {
    "account/messages/password_changed.txt": _("Password changed. Your other sessions have ended."),
    "mfa/messages/totp_activated.txt": _("Authenticator app set up."),
    "mfa/messages/totp_deactivated.txt": _("Authenticator app removed."),
    "mfa/messages/webauthn_added.txt": _("Passkey added."),
    "mfa/messages/webauthn_removed.txt": _("Passkey removed."),
    "usersessions/messages/sessions_logged_out.txt": _("Your other sessions have ended."),
}


class AccountAdapter(DefaultAccountAdapter):
    """Log-in, password and the confirmation of a user's identity."""

    error_messages = {
        **DefaultAccountAdapter.error_messages,
        "username_password_mismatch": _("Incorrect user name or password."),
        "incorrect_password": _("Incorrect password. Try again."),
        "enter_current_password": _("Incorrect password. Try again."),
    }

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        """Return False: people cannot sign up, they are invited."""
        return False

    def pre_login(self, request: HttpRequest, user: User, **kwargs: Any) -> HttpResponseBase | None:
        """Renew the session key after the password and before the second factor.

        The session also remembers the user's password hash, which `login` compares.
        """
        refused: HttpResponseBase | None = super().pre_login(request, user, **kwargs)
        if refused is None:
            request.session.cycle_key()
            request.session[PENDING_HASH] = user.get_session_auth_hash()
        return refused

    def login(self, request: HttpRequest, user: User) -> None:
        """Log in, unless the password changed or the user was deactivated since `pre_login`.

        Rights from groups of the log-in provider end at a log-in without the provider. Otherwise
        people who have left the company would keep these rights by a password.
        """
        if not constant_time_compare(
            request.session.pop(PENDING_HASH, ""), user.get_session_auth_hash()
        ):
            raise ImmediateHttpResponse(redirect("account_login"))
        with transaction.atomic():
            if not signed_on(request.session) and selectors.rights_by_group(user):
                rights_sync(user=user, rights=())
            super().login(request, user)

    def logout(self, request: HttpRequest) -> None:
        """End the session. Its sockets close in every process after the commit."""
        with transaction.atomic():
            super().logout(request)

    def reauthenticate(self, user: User, password: str) -> bool:
        """Return whether this is the user's password.

        Raise ValidationError after too many wrong ones.
        """
        try:
            return is_own_password(user, password)
        except TooManyTriesError:
            raise ValidationError(TOO_MANY_TRIES) from None

    def is_reauthentication_required(self, *, app: str, **kwargs: Any) -> bool:
        """Whether the user must confirm their identity: not if they logged in a moment ago.

        Raise ReauthenticationRequired for a user with neither password nor second factor who has
        not just confirmed at the provider: allauth would ask this user for nothing.
        """
        request = context.request
        started = float(request.session.get(SESSION_STARTED, 0))
        if time.time() - started <= settings.PASSWORD_FRESH_SECONDS:
            return False
        if not get_reauthentication_flows(request.user):
            if _confirmed_lately(request):
                return False
            raise ReauthenticationRequired
        return True

    def get_reauthentication_methods(self, user: Any) -> list[dict[str, Any]]:
        """Return the user's second factors, else the password or the log-in provider.

        A stolen session together with a known password must not remove the second factor.
        """
        methods: list[dict[str, Any]] = super().get_reauthentication_methods(user)
        factors = [each for each in methods if each["id"] != "reauthenticate"]
        if factors:
            return factors
        if not selectors.is_linked(user):
            return methods
        text = _("Use %(name)s instead") % {"name": settings.OIDC_NAME}
        provider = {"id": "sign_on", "description": text, "url": reverse("sign_on_confirm")}
        return [provider] if settings.OIDC_ONLY else [*methods, provider]

    def get_logout_redirect_url(self, request: HttpRequest) -> str:
        """Return the page that offers the provider's log-out, after a log-in with the provider."""
        if signed_on(request.session) and end_session_url(request):
            return reverse("sign_on_logged_out")
        return str(super().get_logout_redirect_url(request))

    def set_password(self, user: User, password: str) -> None:
        """Set the password through the services, which audit it and notify its owner."""
        user.password = services.password_set(user=user, password=password, actor=user).password

    def get_client_ip(self, request: HttpRequest) -> str:
        """Return the address that the throttle counts, or NO_ADDRESS."""
        address = client_address(request)
        try:
            return str(ip_address(address))
        except ValueError:
            return NO_ADDRESS

    def add_message(
        self,
        request: HttpRequest,
        level: int,
        message_template: str | None = None,
        message_context: dict[str, Any] | None = None,
        extra_tags: str = "",
        message: Any = None,
    ) -> None:
        """Show one of MESSAGES or an error. allauth's other messages are dropped."""
        text = message or MESSAGES.get(message_template or "")
        if text:
            messages.add_message(request, level, text, extra_tags)

    def send_notification_mail(self, *args: Any, **kwargs: Any) -> None:
        """Send nothing: `access.signals` queues these mails in the transaction of the change."""


def _confirmed_lately(request: HttpRequest) -> bool:
    records = get_authentication_records(request, request.user)
    proofs = [float(each["at"]) for each in records if each.get("reauthenticated")]
    return bool(time.time() - max(proofs, default=0) < settings.PASSWORD_FRESH_SECONDS)


class MfaAdapter(DefaultMFAAdapter):
    """Authenticator apps and passkeys."""

    def encrypt(self, text: str) -> str:
        """Encrypt a secret for SQL."""
        return factors.seal(text)

    def decrypt(self, encrypted_text: str) -> str:
        """Decrypt a secret from SQL."""
        return factors.unseal(encrypted_text)

    def get_totp_label(self, user: User) -> str:
        """Return the user name, which the authenticator app shows next to the issuer."""
        return user.get_username()

    def get_totp_issuer(self) -> str:
        """Return the platform's name, which the authenticator app shows as the issuer."""
        return str(settings.PLATFORM_NAME)

    def build_totp_svg(self, url: str) -> str:
        """Return the QR code, dark on light in both themes."""
        picture = io.BytesIO()
        code = segno.make(url, error="m")
        code.save(picture, kind="svg", scale=5, border=2, light="#ffffff")
        return picture.getvalue().decode()

    def generate_authenticator_name(self, user: User, type: Any) -> str:  # noqa: A002  of allauth
        """Return the initial name of a new passkey. Users with several devices can change it."""
        return str(_("Passkey"))

    def get_public_key_credential_rp_entity(self) -> dict[str, str]:
        """Return the site of a passkey: it must be the page's own host, or browsers refuse it."""
        host = context.request.get_host()
        return {"id": host.partition(":")[0], "name": str(settings.PLATFORM_NAME)}


class SessionsAdapter(DefaultUserSessionsAdapter):
    """The list of a user's sessions."""

    def end_sessions(self, sessions: Iterable[Any]) -> None:
        """End sessions in one transaction with an audit entry. Their sockets close after it."""
        ending = list(sessions)
        if not ending:
            return
        with transaction.atomic():
            super().end_sessions(ending)
            user = ending[0].user
            audit(
                actor=user,
                action="access.sessions_end",
                thing=user,
                after={"sessions": len(ending)},
            )
