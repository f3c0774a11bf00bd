"""The secrets that machines and visitors show. Pure functions; no I/O."""

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
    """A new secret: `plain` is shown once, the other two are stored."""

    plain: str
    prefix: str
    hash: str


def new_secret(prefix: str = API_PREFIX) -> Secret:
    """256 random bits behind a prefix that scanners of leaked secrets can know."""
    plain = prefix + secrets.token_urlsafe(32)
    return Secret(plain, plain[:SHOWN_LENGTH], hash_of(plain))


def hash_of(plain: str) -> str:
    """What is stored of a secret: SHA-256, hexadecimal.

    A slow hash protects what people choose; of 256 random bits there is nothing to guess, and
    a fast one lets a request be answered by a single look-up of an indexed column.
    """
    return hashlib.sha256(plain.encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class VisitorClaims:
    """What a visitor's token says; `expires_at` in Unix seconds."""

    desk: str
    visit: str
    account_id: int | None
    version: int
    expires_at: float


def sign_visitor(claims: VisitorClaims) -> str:
    """A visitor's resume token: signed, not stored, bound to one visit in one desk."""
    value = [claims.desk, claims.visit, claims.account_id, claims.version, claims.expires_at]
    return VISITOR_PREFIX + signing.dumps(value, salt=_VISITOR_SALT)


def read_visitor(plain: str) -> VisitorClaims | None:
    """The claims of a token of ours; None when it was made or changed by somebody else.

    Expiry is the reader's business (`Principal.is_expired`), so that it is said in one place.
    """
    try:
        value = signing.loads(plain.removeprefix(VISITOR_PREFIX), salt=_VISITOR_SALT)
        desk, visit, account_id, version, expires_at = value
    except (signing.BadSignature, ValueError, TypeError):
        return None
    return VisitorClaims(str(desk), str(visit), account_id, int(version), float(expires_at))
