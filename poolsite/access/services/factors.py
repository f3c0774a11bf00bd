"""Rules for second factors that allauth lacks: single use, blocked guesses, encryption."""

import base64
import hashlib
import hmac
import secrets
import time
import unicodedata
from datetime import timedelta

import pyotp
from allauth.mfa.models import Authenticator
from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.conf import settings
from django.db import transaction
from django.utils import timezone

from poolsite.access.auditing import audit
from poolsite.access.models import AccessLink, CodeGuard, User
from poolsite.access.notices import tell_owner
from poolsite.access.services.actor import Actor
from poolsite.access.services.links import link_access

STEP_SECONDS = 30
WINDOW_STEPS = 1  # a phone's clock may be half a minute off
FREE_FAILURES = 5
BLOCK_SECONDS = 60  # doubled with every further wrong code
LONGEST_BLOCK_SECONDS = 3600


class CodesBlockedError(Exception):
    """The code was not checked: there were too many wrong codes before."""


def _box() -> MultiFernet:
    """Return the cipher of secrets in SQL: a stolen copy of the database yields no codes."""
    keys = [settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS]
    derived = [hashlib.sha256(f"poolsite.access.totp:{key}".encode()).digest() for key in keys]
    return MultiFernet([Fernet(base64.urlsafe_b64encode(each)) for each in derived])


def seal(plain: str) -> str:
    """Return a secret encrypted for SQL."""
    return _box().encrypt(plain.encode()).decode()


def unseal(sealed: str) -> str:
    """Return the secret (base32 or hex); a random one if its key is no longer known."""
    try:
        return _box().decrypt(sealed.encode()).decode()
    except InvalidToken:
        return base64.b32encode(secrets.token_bytes(20)).decode()


@transaction.atomic
def code_use(*, user: User, code: str) -> Authenticator | None:
    """Use up an app's or a recovery code. Return its authenticator, or None if the code is wrong.

    A code works once, even if two requests send it at the same time. From the fifth wrong code on,
    each one blocks for longer, up to an hour: raise CodesBlockedError without checking the code.
    """
    guard = _guard_of(user)
    if guard.blocked_until is not None and guard.blocked_until > timezone.now():
        raise CodesBlockedError
    found = _app_code(guard, code) or _recovery_code(user, code)
    if found is None:
        _count_failure(guard)
    else:
        guard.failures, guard.blocked_until = 0, None
    guard.save()
    return found


@transaction.atomic
def first_code_use(*, user: User, secret: str, code: str) -> bool:
    """Return whether the code fits the secret of a new app. If so, it is used up."""
    guard = _guard_of(user)
    step = _matching_step(secret, code, after=0)
    if step is None:
        return False
    guard.last_step = step
    guard.save()
    return True


def _guard_of(user: User) -> CodeGuard:
    CodeGuard.objects.get_or_create(user=user)
    return CodeGuard.objects.select_for_update().get(user=user)


def _app_code(guard: CodeGuard, code: str) -> Authenticator | None:
    app = Authenticator.objects.filter(user=guard.user, type=Authenticator.Type.TOTP).first()
    if app is None:
        return None
    secret = unseal(app.data["secret"])
    step = _matching_step(secret, code, after=guard.last_step)
    if step is None:
        return None
    guard.last_step = step
    app.data["secret"] = seal(secret)  # by the newest key
    app.save(update_fields=["data"])
    return app


def _matching_step(secret: str, code: str, *, after: int) -> int | None:
    """Return the time step of this code if it is later than `after`, else None."""
    digits = "".join(unicodedata.normalize("NFKC", code).split())
    if len(digits) != 6 or not digits.isascii() or not digits.isdecimal():
        return None
    app = pyotp.TOTP(secret)
    present = int(time.time()) // STEP_SECONDS
    found = None
    for step in range(present - WINDOW_STEPS, present + WINDOW_STEPS + 1):
        if hmac.compare_digest(app.generate_otp(step), digits) and step > after:
            found = step
    return found


def _recovery_code(user: User, code: str) -> Authenticator | None:
    kept = Authenticator.objects.filter(user=user, type=Authenticator.Type.RECOVERY_CODES).first()
    if kept is None or not kept.wrap().validate_code(unicodedata.normalize("NFKC", code)):
        return None
    audit(actor=user, action="access.recovery_code_use", thing=user)
    tell_owner(user, "access.recovery_code_use")
    return kept


def _count_failure(guard: CodeGuard) -> None:
    guard.failures += 1
    over = guard.failures - FREE_FAILURES
    if over >= 0:
        seconds = min(BLOCK_SECONDS * 2 ** min(over, 10), LONGEST_BLOCK_SECONDS)
        guard.blocked_until = timezone.now() + timedelta(seconds=seconds)
        audit(
            actor="access.factor",
            action="access.factor_blocked",
            thing=guard.user,
            after={"failures": guard.failures, "blocked_until": guard.blocked_until},
        )
    if over == 0:
        tell_owner(guard.user, "access.factor_blocked")


@transaction.atomic
def factors_remove(*, user: User, actor: Actor, reason: str = "") -> bool:
    """Delete a user's app, passkeys and recovery codes; return whether there were any."""
    User.objects.select_for_update().get(pk=user.pk)
    removed, _rows = Authenticator.objects.filter(user=user).delete()  # unaudited: just below
    if not removed:
        return False
    audit(actor=actor, action="access.factor_remove", thing=user, reason=reason)
    link_access(giver=actor, receiver=user, how=AccessLink.How.FACTOR_RESET)
    tell_owner(user, "access.factor_remove")
    return True
