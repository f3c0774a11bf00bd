"""Verifies ID tokens.

This is stricter than allauth, which skips the signature in the code flow and takes the algorithm
from the token.
"""

from typing import Any

import jwt
from allauth.socialaccount.providers.oauth2.client import OAuth2Error
from django.conf import settings

from poolsite.access.oidc import discovery

# Asymmetric algorithms only: with HS256, the client secret or a public key could sign.
ALGORITHMS = (
    *("RS256", "RS384", "RS512", "PS256", "PS384", "PS512"),
    *("ES256", "ES384", "ES512", "EdDSA"),
)
LEEWAY_SECONDS = 60  # how far the provider's clock may be off
LONGEST_SUBJECT = 191  # the width of allauth's column; the standard allows 255


def verified(id_token: str) -> dict[str, Any]:
    """Return the claims of a token: signed by the provider, from its issuer, for us, not expired.

    Raise OAuth2Error otherwise. The caller compares the nonce.
    """
    described = discovery.document()
    try:
        claims: dict[str, Any] = jwt.decode(
            id_token,
            _key_of(id_token, discovery.get_json(described["jwks_uri"])),
            algorithms=ALGORITHMS,
            audience=settings.OIDC_CLIENT_ID,
            issuer=described["issuer"],
            leeway=LEEWAY_SECONDS,
            options={"require": ["iss", "sub", "aud", "exp", "iat"]},
        )
    except jwt.PyJWTError as error:
        raise OAuth2Error(f"the ID token is refused: {error}") from error
    _check_parties(claims)
    return claims


def _key_of(id_token: str, keys: dict[str, Any]) -> jwt.PyJWK:
    """Return the key that the token names, or the only one. Refuse an unknown name."""
    head = jwt.get_unverified_header(id_token)
    if head.get("alg") not in ALGORITHMS:
        raise OAuth2Error(f"the ID token is signed with {head.get('alg')}, which is not accepted")
    rows = keys.get("keys")
    signing = [
        each
        for each in (rows if isinstance(rows, list) else [])
        if isinstance(each, dict) and each.get("use", "sig") == "sig" and each.get("kty") != "oct"
    ]
    named = [each for each in signing if "kid" not in head or each.get("kid") == head["kid"]]
    if len(named) != 1:
        raise OAuth2Error("the ID token names no key of the provider")
    return jwt.PyJWK(named[0], algorithm=head["alg"])


def _check_parties(claims: dict[str, Any]) -> None:
    """Check the subject, and refuse other audiences unless the token was made for this client."""
    subject, audience = claims["sub"], claims["aud"]
    fits = isinstance(subject, str) and 0 < len(subject) <= LONGEST_SUBJECT
    if not fits or not subject.isprintable():
        raise OAuth2Error("the ID token has no usable subject")
    several = isinstance(audience, list) and len(audience) > 1
    if (several or "azp" in claims) and claims.get("azp") != settings.OIDC_CLIENT_ID:
        raise OAuth2Error("the ID token was made for another client")
