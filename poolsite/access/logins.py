"""The user that a log-in form means, and how often passwords may be guessed.

Failures are counted in the cache in three ways: by user and address together, by user, and by
address. A single count does not do: an attacker gets round a count by address by changing the
address, and round one by user by changing the user. The limits of the latter two are higher, so
that the first few failures do not lock an office behind one address, or a user whom an attacker
wants to lock out.
"""

import hashlib
import unicodedata
from typing import TYPE_CHECKING, Any

from axes.handlers.cache import AxesCacheHandler
from axes.signals import user_locked_out
from django.conf import settings
from django.core.cache import cache
from django.http import HttpRequest

from poolsite.access.addresses import client_address

if TYPE_CHECKING:
    from poolsite.access.models import User

LONGEST_NAME = 254


def normal(name: str) -> str:
    """Normalize a typed name: fold compatibility letters, drop case and surrounding spaces."""
    return unicodedata.normalize("NFKC", name).strip().casefold()[:LONGEST_NAME]


def find_user(name: str) -> "User | None":
    """Return the user with this user name, or this email address if it contains an @; one query."""
    from poolsite.access.models import User

    name = unicodedata.normalize("NFKC", name).strip()
    if not name or "\x00" in name or len(name) > LONGEST_NAME:
        return None
    by = "email__iexact" if "@" in name else "username__iexact"
    return User.objects.filter(**{by: name}).first()


def identity_of(name: str) -> str:
    """Return what a typed name counts against: the user, by whatever name, else the name itself."""
    user = find_user(name)
    return f"user:{user.pk}" if user is not None else f"name:{normal(name)}"


def axes_username(request: HttpRequest, credentials: dict[str, Any] | None = None) -> str:
    """Return the name that is being tried (axes calls this); never None."""
    return str((credentials or {}).get("username") or request.POST.get("login", ""))


class LoginThrottle(AxesCacheHandler):
    """axes' cache handler with a limit for each way of counting."""

    def get_failures(self, request: HttpRequest, credentials: dict[str, Any] | None = None) -> int:
        """Return 1 if any limit is reached, else 0; axes' own limit is 1."""
        for key, limit in _counters(request, credentials):
            if cache.get(key, 0) >= limit:
                return 1
        return 0

    def user_login_failed(
        self,
        sender: Any,
        credentials: dict[str, Any],
        request: HttpRequest | None = None,
        **kwargs: Any,
    ) -> None:
        """Count a failure, but not while locked: more guesses do not lengthen the lock."""
        if request is None or getattr(request, "axes_locked_out", False):
            return
        reached = False
        for key, limit in _counters(request, credentials):
            reached = _count(key) >= limit or reached
        if reached:
            vars(request)["axes_locked_out"] = True  # axes reads it
            vars(request)["axes_credentials"] = credentials  # likewise
            user_locked_out.send(
                "axes",
                request=request,
                username=axes_username(request, credentials),
                ip_address=client_address(request),
            )

    def user_logged_in(self, sender: Any, request: HttpRequest, user: Any, **kwargs: Any) -> None:
        """Forget this user's failures, not the address's: an attacker may have an account too."""
        together, by_user, _by_address = _counters(request, {"username": user.get_username()})
        cache.delete_many([together[0], by_user[0]])


def _counters(
    request: HttpRequest, credentials: dict[str, Any] | None
) -> tuple[tuple[str, int], tuple[str, int], tuple[str, int]]:
    who = identity_of(axes_username(request, credentials))
    address = client_address(request)
    return (
        (_key("both", who, address), settings.LOGIN_FAILURES_TOGETHER),
        (_key("user", who), settings.LOGIN_FAILURES_BY_USER),
        (_key("address", address), settings.LOGIN_FAILURES_BY_ADDRESS),
    )


def _key(*parts: str) -> str:
    digest = hashlib.sha256("\x00".join(parts).encode()).hexdigest()
    return f"login:{parts[0]}:{digest}"


def _count(key: str) -> int:
    seconds = int(settings.AXES_COOLOFF_TIME.total_seconds())
    if cache.add(key, 1, timeout=seconds):
        return 1
    try:
        return int(cache.incr(key))
    except ValueError:  # it expired between the two commands
        cache.add(key, 1, timeout=seconds)
        return 1


class TooManyTriesError(Exception):
    """The password was not checked: there were too many wrong ones before."""


def is_own_password(user: "User", password: str) -> bool:
    """Return whether the person who is logged in as this user also knows the password.

    Tries count for the user, whatever the session. Raise TooManyTriesError after
    LOGIN_FAILURES_TOGETHER wrong ones in 15 minutes, so that a stolen session can't be used to
    guess.
    """
    key = _key("present", str(user.pk))
    if _count(key) > settings.LOGIN_FAILURES_TOGETHER:
        raise TooManyTriesError
    if not user.check_password(password):
        return False
    cache.delete(key)
    return True
