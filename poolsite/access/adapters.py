"""Where allauth's log-in meets ours: throttle, owner's rules, seals and messages.

allauth has the pages, their order, authenticator apps, recovery codes, passkeys and the list of
sessions (docs/decisions/0038). What it asks its adapters for is answered here.
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
NO_ADDRESS = "0.0.0.0"  # noqa: S104  a peer on a Unix socket has none; the column wants one
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
    """Log-in, password and the question "is it you?"."""

    error_messages = {
        **DefaultAccountAdapter.error_messages,
        "username_password_mismatch": _("Incorrect user name or password."),
        "incorrect_password": _("Incorrect password. Try again."),
        "enter_current_password": _("Incorrect password. Try again."),
    }

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        """Nobody signs up: people are invited."""
        return False

    def pre_login(self, request: HttpRequest, user: User, **kwargs: Any) -> HttpResponseBase | None:
        """After the password, before the second factor: a new session key, and what it was for."""
        refused: HttpResponseBase | None = super().pre_login(request, user, **kwargs)
        if refused is None:
            request.session.cycle_key()
            request.session[PENDING_HASH] = user.get_session_auth_hash()
        return refused

    def login(self, request: HttpRequest, user: User) -> None:
        """Log in, unless the password changed or the user was deactivated since `pre_login`.

        What groups of the log-in provider gave ends with a log-in that it had no part in: else who
        has left the company would keep it by a password.
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
        """End the session; its sockets close in every process after the commit."""
        with transaction.atomic():
            super().logout(request)

    def reauthenticate(self, user: User, password: str) -> bool:
        """Whether it is the user's password; ValidationError after too many wrong ones."""
        try:
            return is_own_password(user, password)
        except TooManyTriesError:
            raise ValidationError(TOO_MANY_TRIES) from None

    def is_reauthentication_required(self, *, app: str, **kwargs: Any) -> bool:
        """Not of who logged in a moment ago.

        Raises ReauthenticationRequired for who has neither password nor second factor and has not
        just confirmed at the provider: allauth would ask nothing of them.
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
        """The second factor of who has one, else the password or the log-in provider.

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
        """To the page that offers the provider's log-out, after a log-in by it."""
        if signed_on(request.session) and end_session_url(request):
            return reverse("sign_on_logged_out")
        return str(super().get_logout_redirect_url(request))

    def set_password(self, user: User, password: str) -> None:
        """Through the services, which audit it and tell the owner."""
        user.password = services.password_set(user=user, password=password, actor=user).password

    def get_client_ip(self, request: HttpRequest) -> str:
        """The address that the throttle counts by too; NO_ADDRESS when there is none."""
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
        """Show one of MESSAGES, or an error; nothing for the rest of allauth's."""
        text = message or MESSAGES.get(message_template or "")
        if text:
            messages.add_message(request, level, text, extra_tags)

    def send_notification_mail(self, *args: Any, **kwargs: Any) -> None:
        """Nothing: `access.signals` queues these mails, in the transaction of the change."""


def _confirmed_lately(request: HttpRequest) -> bool:
    records = get_authentication_records(request, request.user)
    proofs = [float(each["at"]) for each in records if each.get("reauthenticated")]
    return bool(time.time() - max(proofs, default=0) < settings.PASSWORD_FRESH_SECONDS)


class MfaAdapter(DefaultMFAAdapter):
    """Authenticator apps and passkeys."""

    def encrypt(self, text: str) -> str:
        """Seal a secret for SQL."""
        return factors.seal(text)

    def decrypt(self, encrypted_text: str) -> str:
        """Open it."""
        return factors.unseal(encrypted_text)

    def get_totp_label(self, user: User) -> str:
        """What the app shows beside the platform's name."""
        return user.get_username()

    def get_totp_issuer(self) -> str:
        """Whose code it is."""
        return str(settings.PLATFORM_NAME)

    def build_totp_svg(self, url: str) -> str:
        """The QR code, dark on light in both themes."""
        picture = io.BytesIO()
        code = segno.make(url, error="m")
        code.save(picture, kind="svg", scale=5, border=2, light="#ffffff")
        return picture.getvalue().decode()

    def generate_authenticator_name(self, user: User, type: Any) -> str:  # noqa: A002  allauth's name
        """A name to begin with: people have several devices."""
        return str(_("Passkey"))

    def get_public_key_credential_rp_entity(self) -> dict[str, str]:
        """The site that a passkey belongs to: the page's own host, or browsers refuse it."""
        host = context.request.get_host()
        return {"id": host.partition(":")[0], "name": str(settings.PLATFORM_NAME)}


class SessionsAdapter(DefaultUserSessionsAdapter):
    """The list of a user's sessions."""

    def end_sessions(self, sessions: Iterable[Any]) -> None:
        """End them in one transaction, with an audit entry; their sockets close after it."""
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
