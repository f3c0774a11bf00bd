"""The identity of a visitor, from a token that the customer's own system has signed.

The token is a JSON Web Token (RFC 7519). Only HS256 with a secret of the desk is accepted. The
signature is checked before anything is read, and the token's header selects nothing.
"""

import base64
import binascii
import hmac
import json
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from poolsite import access
from poolsite.access.services.actor import Actor, clean_reason, name_of, require
from poolsite.operations.models import new_secret
from queueing.line.errors import LineError
from queueing.line.models import Desk, IdentityKey, Queue, VerifiedVisitor, Visit
from queueing.line.services import beats, visits
from queueing.line.services.common import clean

TOKEN_LENGTH: Final = 2_048
KEYS_LIMIT: Final = 2  # the secret in use, and its replacement
LIFETIME_SECONDS: Final = 24 * 3_600  # the latest `exp` of a token, from now
LEEWAY_SECONDS: Final = 60  # tolerance between our clock and the customer's
SUBJECT_LENGTH: Final = 120
SKILLS_LIMIT: Final = 4
ATTEMPTS: Final = 3
_SKILL = re.compile(r"^[a-z0-9-]{1,20}\Z")


@dataclass(frozen=True, slots=True)
class Identity:
    """The claims of a token. `queue` belongs to the same desk; None means the page's or topic's."""

    subject: str
    name: str = ""
    contact: str = ""
    priority: int = 9
    skills: Mapping[str, int] = field(default_factory=dict)
    queue: Queue | None = None


def identity_read(desk: Desk, token: str, now: float | None = None) -> Identity:
    """Return the claims of a token.

    Raise LineError bad-token if it is not a valid token of this desk. now: seconds since 1970.
    """
    claims = _claims(desk, token)
    now = time.time() if now is None else now
    expires, issued = _number(claims.get("exp")), _number(claims.get("iat", now))
    if expires is None or issued is None:
        raise _bad("The token needs the time until which it is valid: exp.")
    if now >= expires + LEEWAY_SECONDS:
        raise _bad("The token has expired.")
    if expires > now + LIFETIME_SECONDS + LEEWAY_SECONDS or issued > now + LEEWAY_SECONDS:
        raise _bad("The token is valid for too long, or not yet. Give it 24 hours or less.")
    if claims.get("aud", desk.slug) not in (desk.slug, [desk.slug]):
        raise _bad("The token is for another desk.")
    subject = clean(_text(claims, "sub", SUBJECT_LENGTH), SUBJECT_LENGTH)
    if not subject:
        raise _bad("The token does not say who the visitor is: sub.")
    return Identity(
        subject=subject,
        name=clean(_text(claims, "name", 80), 80),
        contact=clean(_text(claims, "contact", 120), 120),
        priority=_level(claims.get("class", 9), "class"),
        skills=_skills(claims.get("skills", {})),
        queue=_queue(desk, _text(claims, "queue", 40)),
    )


def _claims(desk: Desk, token: str) -> dict[str, Any]:
    """Return the claims of a token that is signed with a secret of the desk."""
    signed, _dot, signature = token.rpartition(".")
    head, _dot, body = signed.partition(".")
    is_short = len(token) <= TOKEN_LENGTH and token.isascii()
    keys = desk.identity_keys.filter(revoked_at=None) if is_short else []
    right = [hmac.compare_digest(sign(key.secret, signed), signature) for key in keys]
    if not any(right):
        raise _bad("The token is not signed with a secret of this desk.")
    header, claims = _decoded(head), _decoded(body)
    if header.get("alg") != "HS256":
        raise _bad("The token must be signed by HS256.")
    return claims


def sign(secret: str, signed: str) -> str:
    """Return the signature of a token's first two parts: HMAC-SHA-256 with the secret's text."""
    digest = hmac.digest(secret.encode(), signed.encode(), "sha256")
    return base64.urlsafe_b64encode(digest).rstrip(b"=").decode()


def _decoded(part: str) -> dict[str, Any]:
    try:
        text = base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))
        found = json.loads(text, parse_constant=_no_number)
    except (binascii.Error, ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise _bad("The token cannot be read.")
    return found


def _no_number(name: str) -> float:
    raise ValueError(f"{name} is no number of JSON")


def _bad(detail: str) -> LineError:
    return LineError("bad-token", detail)


def _number(value: Any) -> float | None:
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def _text(claims: Mapping[str, Any], name: str, length: int) -> str:
    value = claims.get(name, "")
    if not isinstance(value, str) or len(value) > length:
        raise _bad(f"The claim {name} must be a string of up to {length} characters.")
    return value


def _level(value: Any, name: str) -> int:
    if type(value) is not int or not 1 <= value <= 9:
        raise _bad(f"The claim {name} takes whole numbers from 1 to 9.")
    return value


def _skills(value: Any) -> dict[str, int]:
    if not isinstance(value, dict) or len(value) > SKILLS_LIMIT:
        raise _bad(f"The claim skills can have up to {SKILLS_LIMIT} skills with their levels.")
    if not all(_SKILL.match(name) for name in value):
        raise _bad("The claim skills names skills by their short names.")
    return {name: _level(level, "skills") for name, level in value.items()}


def _queue(desk: Desk, slug: str) -> Queue | None:
    if not slug:
        return None
    queue = Queue.objects.select_related("desk", "desk__account").filter(desk=desk, slug=slug)
    found = queue.first()
    if found is None:
        raise _bad("The claim queue names no queue of this desk.")
    return found


# -- one visit per person ------------------------------------------------------------------------


def visit_of(desk: Desk, subject: str) -> tuple[str, visits.Joined | None]:
    """Return the ID under which this person joins, and the visit if it is running.

    Two simultaneous joins of one person get the same ID. The desk lets an ID in once.
    """
    row, _made = VerifiedVisitor.objects.get_or_create(
        desk=desk, subject=subject, defaults={"visit": visits.new_visit_id()}
    )
    for _attempt in range(ATTEMPTS):
        standing = beats.visit_beat(desk=desk, visit=row.visit)
        visit = Visit.objects.select_related("desk").filter(public_id=row.visit).first()
        if standing.is_there and visit is not None:
            return row.visit, visits.rejoined(visit, standing)
        if standing.answer != "ended" and (visit is None or visit.ended_at is None):
            return row.visit, None
        rows = VerifiedVisitor.objects.filter(pk=row.pk, visit=row.visit)
        # a simultaneous request reads the ID that was written first
        rows.update(visit=visits.new_visit_id())
        row.refresh_from_db()
    return row.visit, None


# -- secrets -------------------------------------------------------------------------------------


def key_new(*, actor: Actor, desk: Desk, reason: str = "") -> str:
    """Create a signing secret, valid immediately, and return it. It cannot be shown again."""
    require(actor, "line.configure", desk)
    secret = new_secret()
    with transaction.atomic():
        desk = Desk.objects.select_for_update().get(pk=desk.pk)
        if desk.identity_keys.filter(revoked_at=None).count() >= KEYS_LIMIT:
            raise ValidationError(_("Two secrets are in use. Revoke one of them first."))
        key = IdentityKey(desk=desk, secret=secret, created_by=name_of(actor))
        key.save(force_insert=True)
        access.audit(
            actor=actor,
            action="line.identity_key_new",
            thing=desk,
            after={"secret": key.print},
            reason=clean_reason(reason),
        )
    return secret


def key_revoke(*, actor: Actor, key: IdentityKey, reason: str = "") -> None:
    """Revoke a secret: tokens signed with it are refused from now on.

    Running visits are not affected.
    """
    require(actor, "line.configure", key.desk)
    with transaction.atomic():
        key = IdentityKey.objects.select_for_update().select_related("desk").get(pk=key.pk)
        if key.revoked_at is not None:
            return
        key.revoked_at = timezone.now()
        key.save(update_fields=["revoked_at"])
        access.audit(
            actor=actor,
            action="line.identity_key_revoke",
            thing=key.desk,
            before={"secret": key.print},
            reason=clean_reason(reason),
        )
