"""What changes a principal's rights is told to every process after the commit. Log-ins are logged.

By signals, so that the admin and a shell count as well as the services; the services say so
themselves where they use `update()`, which sends none.
"""

import logging
import time
from typing import Any

from django.contrib.auth import SESSION_KEY
from django.contrib.auth.signals import user_logged_in, user_logged_out, user_login_failed
from django.contrib.sessions.models import Session
from django.db.models.signals import post_delete, post_save
from django.utils import timezone

from poolsite.access.addresses import client_address
from poolsite.access.logins import axes_username, identity_of
from poolsite.access.lookup import SESSION_FACTOR, SESSION_PASSWORD, SESSION_STARTED
from poolsite.access.rights.versions import changed

log = logging.getLogger("poolsite.access")

HARMLESS_FIELDS = frozenset({"last_login", "zone", "locale"})


def connect() -> None:
    """Called once, by AppConfig.ready()."""
    from poolsite.access.models import ApiToken, Grant, Membership, Totp, User

    for model in (Grant, Membership, Totp):
        post_save.connect(_of_user_changed, sender=model, dispatch_uid=f"rights {model}")
        post_delete.connect(_of_user_changed, sender=model, dispatch_uid=f"rights {model}")
    post_save.connect(_user_changed, sender=User, dispatch_uid="rights user")
    post_delete.connect(_user_changed, sender=User, dispatch_uid="rights user")
    post_save.connect(_token_changed, sender=ApiToken, dispatch_uid="rights token")
    post_delete.connect(_token_changed, sender=ApiToken, dispatch_uid="rights token")
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
    """Start the absolute limit; forget what an earlier person in this browser had proved.

    Whoever logs in has just given, or chosen, the password.
    """
    session = getattr(request, "session", None)
    if session is None:
        return
    session[SESSION_STARTED] = session[SESSION_PASSWORD] = time.time()
    session.pop(SESSION_FACTOR, None)


def _session_deleted(instance: Any, **kwargs: Any) -> None:
    """Log-out, or a new key for the same session: its sockets look again.

    One that had ended by itself is only swept up: its sockets were closed at its time.
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
    """Without an unknown name: people type passwords into the wrong field."""
    if request is None:
        return
    who = identity_of(axes_username(request, credentials))
    shown = who if who.startswith("user:") else "an unknown name"
    log.warning("log-in failed: %s from %s", shown, client_address(request))
