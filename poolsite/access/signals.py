"""Notifies every process after the commit when a principal's rights change, and logs log-ins.

Signals cover changes in the admin and in a shell as well as by the services. Services that use
`update()`, which sends no signal, notify the processes themselves.
"""

import logging
import time
from typing import Any

from allauth.account.internal.flows.login import record_authentication
from allauth.mfa.signals import authenticator_added
from django.contrib.auth import SESSION_KEY
from django.contrib.auth.signals import user_logged_in, user_logged_out, user_login_failed
from django.contrib.sessions.models import Session
from django.db.models.signals import post_delete, post_save
from django.utils import timezone

from poolsite.access.addresses import client_address
from poolsite.access.auditing import audit
from poolsite.access.logins import axes_username, identity_of
from poolsite.access.lookup import SESSION_STARTED
from poolsite.access.notices import tell_owner
from poolsite.access.rights.changes import changed

log = logging.getLogger("poolsite.access")

APP, PASSKEY = "totp", "webauthn"  # allauth's types of second factors
HARMLESS_FIELDS = frozenset({"last_login", "zone", "locale"})


def connect() -> None:
    """Connect the signals. Called once, by AppConfig.ready()."""
    from allauth.mfa.models import Authenticator

    from poolsite.access.models import ApiToken, Grant, Membership, User

    for model in (Grant, Membership, Authenticator):
        post_save.connect(_of_user_changed, sender=model, dispatch_uid=f"rights {model}")
        post_delete.connect(_of_user_changed, sender=model, dispatch_uid=f"rights {model}")
    post_save.connect(_user_changed, sender=User, dispatch_uid="rights user")
    post_delete.connect(_user_changed, sender=User, dispatch_uid="rights user")
    post_save.connect(_token_changed, sender=ApiToken, dispatch_uid="rights token")
    post_delete.connect(_token_changed, sender=ApiToken, dispatch_uid="rights token")
    post_save.connect(_factor_saved, sender=Authenticator, dispatch_uid="audit factor")
    post_delete.connect(_factor_deleted, sender=Authenticator, dispatch_uid="audit factor")
    authenticator_added.connect(_factor_proved, dispatch_uid="factor")
    user_logged_in.connect(_logged_in, dispatch_uid="rights")
    user_logged_in.connect(_log_log_in, dispatch_uid="log")
    user_logged_out.connect(_log_log_out, dispatch_uid="log")
    user_login_failed.connect(_log_failure, dispatch_uid="log")
    post_delete.connect(_session_deleted, sender=Session, dispatch_uid="rights session")


def _of_user_changed(instance: Any, **kwargs: Any) -> None:
    changed("user", instance.user_id)


def _user_changed(instance: Any, update_fields: Any = None, **kwargs: Any) -> None:
    if kwargs.get("created") or (update_fields and HARMLESS_FIELDS.issuperset(update_fields)):
        return
    changed("user", instance.pk)


def _token_changed(instance: Any, **kwargs: Any) -> None:
    if not kwargs.get("created"):
        changed("token", instance.pk)


def _logged_in(request: Any, user: Any, **kwargs: Any) -> None:
    """Start the absolute limit."""
    session = getattr(request, "session", None)
    if session is not None:
        session[SESSION_STARTED] = time.time()


def _factor_saved(instance: Any, created: bool, **kwargs: Any) -> None:
    if not created:  # a code was used
        return
    user = instance.user
    if instance.type == APP:
        audit(actor=user, action="access.factor_add", thing=user)
        tell_owner(user, "access.factor_add")
    elif instance.type == PASSKEY:
        audit(actor=user, action="access.passkey_add", thing=user)
        tell_owner(user, "access.passkey_add")


def _factor_deleted(instance: Any, origin: Any = None, **kwargs: Any) -> None:
    """Audit a removal by the owner. `factors_remove` audits a removal by another user."""
    if origin is not instance:
        return
    user = instance.user
    if instance.type == APP:
        audit(actor=user, action="access.factor_remove", thing=user)
        tell_owner(user, "access.factor_remove")
    elif instance.type == PASSKEY:
        audit(actor=user, action="access.passkey_remove", thing=user)
        tell_owner(user, "access.passkey_remove")


def _factor_proved(request: Any, user: Any, authenticator: Any, **kwargs: Any) -> None:
    """Count the setup of a factor as its first use."""
    if authenticator.type in (APP, PASSKEY):
        proof = {"id": authenticator.pk, "type": authenticator.type, "reauthenticated": True}
        record_authentication(request, user, "mfa", **proof)


def _session_deleted(instance: Any, **kwargs: Any) -> None:
    """Recheck the sockets after a log-out or a new key for the same session.

    A session that had expired is only cleaned up: its sockets were closed when it expired.
    """
    if instance.expire_date <= timezone.now():
        return
    user_id = instance.get_decoded().get(SESSION_KEY)
    if user_id:
        changed("user", user_id)


def _log_log_in(request: Any, user: Any, **kwargs: Any) -> None:
    log.info("logged in: user:%s from %s", user.pk, client_address(request))


def _log_log_out(request: Any, user: Any, **kwargs: Any) -> None:
    if user is not None:
        log.info("logged out: user:%s from %s", user.pk, client_address(request))


def _log_failure(request: Any = None, credentials: Any = None, **kwargs: Any) -> None:
    """Log a failure without an unknown name: people type passwords into the wrong field."""
    if request is None:
        return
    who = identity_of(axes_username(request, credentials))
    shown = who if who.startswith("user:") else "an unknown name"
    log.warning("log-in failed: %s from %s", shown, client_address(request))
