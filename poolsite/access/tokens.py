"""The secrets of machines and visitors. Pure functions; no I/O."""

import hashlib
import secrets
from dataclasses import dataclass

from django.core import signing

API_PREFIX = "ps_"
VISITOR_PREFIX = "psv_"
_VISITOR_SALT = "poolsite.access.visitor"
SHOWN_LENGTH = 11  # "ps_" and 8 characters: enough to recognise, useless to guess from


@dataclass(frozen=True, slots=True)
class Secret:
    """A new secret: `plain` is shown once, `prefix` and `hash` are stored."""

    plain: str
    prefix: str
    hash: str


def new_secret(prefix: str = API_PREFIX) -> Secret:
    """Return 256 random bits after a prefix that scanners of leaked secrets can recognise."""
    plain = prefix + secrets.token_urlsafe(32)
    return Secret(plain, plain[:SHOWN_LENGTH], hash_of(plain))


def hash_of(plain: str) -> str:
    """Return what is stored of a secret: its SHA-256, hexadecimal.

    A slow hash protects what people choose. 256 random bits can't be guessed, and with a fast hash
    a single look-up of an indexed column serves a request.
    """
    return hashlib.sha256(plain.encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class VisitorClaims:
    """The claims of a visitor's token; `expires_at` in Unix seconds."""

    desk: str
    visit: str
    account_id: int | None
    version: int
    expires_at: float


def sign_visitor(claims: VisitorClaims) -> str:
    """Return a visitor's resume token: signed, not stored, bound to one visit at one desk."""
    value = [claims.desk, claims.visit, claims.account_id, claims.version, claims.expires_at]
    return VISITOR_PREFIX + signing.dumps(value, salt=_VISITOR_SALT)


def read_visitor(plain: str) -> VisitorClaims | None:
    """Return the claims of a token, or None if this platform did not sign it or it was changed.

    The caller checks the expiry (`Principal.is_expired`), so that there is only one such check.
    """
    try:
        value = signing.loads(plain.removeprefix(VISITOR_PREFIX), salt=_VISITOR_SALT)
        desk, visit, account_id, version, expires_at = value
    except (signing.BadSignature, ValueError, TypeError):
        return None
    return VisitorClaims(str(desk), str(visit), account_id, int(version), float(expires_at))
