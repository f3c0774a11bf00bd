"""The second factor: an authenticator app (TOTP), and recovery codes on paper."""

import base64
import hashlib
import hmac
import secrets
import time
import unicodedata
from datetime import timedelta
from enum import Enum

import pyotp
from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from poolsite.access.auditing import audit
from poolsite.access.mails import tell_owner
from poolsite.access.models import AccessLink, RecoveryCode, Totp, User
from poolsite.access.services.actor import Actor
from poolsite.access.services.links import link_access
from poolsite.access.tokens import hash_of

STEP_SECONDS = 30
WINDOW_STEPS = 1  # a phone's clock may be half a minute off
FREE_FAILURES = 5
BLOCK_SECONDS = 60  # doubled with every further wrong code
LONGEST_BLOCK_SECONDS = 3600


class FactorAnswer(Enum):
    """What became of a code."""

    OK = "ok"
    WRONG = "wrong"
    BLOCKED = "blocked"


def _box() -> MultiFernet:
    """Seals secrets in SQL, so that a stolen copy of the database yields no codes."""
    keys = [settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS]
    derived = [hashlib.sha256(f"poolsite.access.totp:{key}".encode()).digest() for key in keys]
    return MultiFernet([Fernet(base64.urlsafe_b64encode(each)) for each in derived])


def has_factor(user: User) -> bool:
    """Whether the user's log-in asks for a code."""
    return Totp.objects.filter(user=user, confirmed_at__isnull=False).exists()


@transaction.atomic
def factor_begin(*, user: User) -> str:
    """A new secret for the app (base32), stored unconfirmed; repeating gives the same one.

    ValidationError when a confirmed app exists: it is removed first, with a code.
    """
    User.objects.select_for_update().get(pk=user.pk)
    totp = Totp.objects.filter(user=user).first()
    if totp is not None and totp.confirmed_at is not None:
        raise ValidationError(_("Remove the present app first."))
    if totp is not None:
        opened = _open(totp)
        if opened:
            return opened
        totp.delete()
    secret = pyotp.random_base32()
    Totp.objects.create(user=user, secret_sealed=_box().encrypt(secret.encode()).decode())
    return secret


def provisioning_uri(user: User, secret: str) -> str:
    """What the QR code says, for the app."""
    totp = pyotp.TOTP(secret)
    return totp.provisioning_uri(name=user.get_username(), issuer_name=settings.PLATFORM_NAME)


@transaction.atomic
def factor_confirm(*, user: User, code: str, actor: Actor) -> list[str]:
    """Take the app into use by a first code; returns recovery codes, shown once.

    ValidationError when the code is wrong, or there is nothing to confirm.
    """
    totp = Totp.objects.select_for_update().filter(user=user, confirmed_at__isnull=True).first()
    step = None if totp is None else _matching_step(totp, code)
    if totp is None or step is None:
        raise ValidationError(_("That code is not right. Codes change every 30 seconds."))
    totp.confirmed_at = timezone.now()
    totp.last_step = step
    totp.save()
    audit(actor=actor, action="access.factor_add", thing=user)
    tell_owner(user, "access.factor_add")
    return _new_recovery_codes(user)


@transaction.atomic
def factor_check(*, user: User, code: str) -> FactorAnswer:
    """Use up one code of the app, or one recovery code.

    A code counts once, also when two requests bring it at the same time. After five wrong ones
    every further one blocks for longer, up to an hour; while blocked nothing is looked at.
    """
    totp = Totp.objects.select_for_update().filter(user=user, confirmed_at__isnull=False).first()
    if totp is None:
        return FactorAnswer.WRONG
    now = timezone.now()
    if totp.blocked_until is not None and totp.blocked_until > now:
        return FactorAnswer.BLOCKED
    step = _matching_step(totp, code)
    if step is not None:
        totp.last_step = step
        totp.secret_sealed = _box().rotate(totp.secret_sealed.encode()).decode()
    if step is not None or _use_recovery_code(user, code):
        totp.failures = 0
        totp.blocked_until = None
        totp.save()
        return FactorAnswer.OK
    _count_failure(totp)
    return FactorAnswer.WRONG


def _count_failure(totp: Totp) -> None:
    totp.failures += 1
    over = totp.failures - FREE_FAILURES
    if over >= 0:
        seconds = min(BLOCK_SECONDS * 2 ** min(over, 10), LONGEST_BLOCK_SECONDS)
        totp.blocked_until = timezone.now() + timedelta(seconds=seconds)
        audit(
            actor="access.factor",
            action="access.factor_blocked",
            thing=totp.user,
            after={"failures": totp.failures, "blocked_until": totp.blocked_until},
        )
    if over == 0:
        tell_owner(totp.user, "access.factor_blocked")
    totp.save()


def _open(totp: Totp) -> str:
    """The secret; "" when it was sealed with a key that is no longer known."""
    try:
        return _box().decrypt(totp.secret_sealed.encode()).decode()
    except InvalidToken:
        return ""


def _matching_step(totp: Totp, code: str) -> int | None:
    """The time step whose code this is, if it was not used; newest last."""
    digits = "".join(unicodedata.normalize("NFKC", code).split())
    secret = _open(totp)
    if len(digits) != 6 or not digits.isascii() or not digits.isdecimal() or not secret:
        return None
    app = pyotp.TOTP(secret)
    present = int(time.time()) // STEP_SECONDS
    found = None
    for step in range(present - WINDOW_STEPS, present + WINDOW_STEPS + 1):
        right = hmac.compare_digest(app.generate_otp(step), digits)
        if right and step > totp.last_step:
            found = step
    return found


def _use_recovery_code(user: User, code: str) -> bool:
    plain = "".join(code.split()).replace("-", "").lower()
    if len(plain) != 16:
        return False
    deleted, _rows = RecoveryCode.objects.filter(user=user, code_hash=hash_of(plain)).delete()
    if deleted:
        audit(actor=user, action="access.recovery_code_use", thing=user)
        tell_owner(user, "access.recovery_code_use")
    return bool(deleted)


@transaction.atomic
def recovery_codes_renew(*, user: User, actor: Actor) -> list[str]:
    """Ten new recovery codes; the old ones are worthless."""
    User.objects.select_for_update().get(pk=user.pk)
    audit(actor=actor, action="access.recovery_codes_renew", thing=user)
    tell_owner(user, "access.recovery_codes_renew")
    return _new_recovery_codes(user)


def _new_recovery_codes(user: User) -> list[str]:
    """80 random bits each: nothing to guess, so a plain hash is stored."""
    RecoveryCode.objects.filter(user=user).delete()
    codes = [base64.b32encode(secrets.token_bytes(10)).decode().lower() for _ in range(10)]
    RecoveryCode.objects.bulk_create(
        [RecoveryCode(user=user, code_hash=hash_of(each)) for each in codes]
    )
    return ["-".join(each[i : i + 4] for i in range(0, 16, 4)) for each in codes]


@transaction.atomic
def factor_remove(*, user: User, actor: Actor, reason: str = "") -> bool:
    """Forget the app and the recovery codes; returns whether there was one."""
    User.objects.select_for_update().get(pk=user.pk)
    totp = Totp.objects.filter(user=user).first()
    if totp is None:
        return False
    confirmed = totp.confirmed_at is not None
    totp.delete()
    RecoveryCode.objects.filter(user=user).delete()
    if confirmed:
        audit(actor=actor, action="access.factor_remove", thing=user, reason=reason)
        link_access(giver=actor, receiver=user, how=AccessLink.How.FACTOR_RESET)
        tell_owner(user, "access.factor_remove")
    return True
