"""The provider's configuration document with its endpoints, cached for five minutes."""

from typing import Any

from allauth.socialaccount.adapter import get_adapter
from allauth.socialaccount.providers.oauth2.client import OAuth2Error
from django.conf import settings
from django.core.cache import cache
from django_redis.exceptions import ConnectionInterrupted
from redis.exceptions import RedisError
from requests import RequestException

PATH = "/.well-known/openid-configuration"
KEPT_SECONDS = 300
NEEDED = ("authorization_endpoint", "token_endpoint", "jwks_uri")
OPTIONAL = ("userinfo_endpoint", "end_session_endpoint")


def document() -> dict[str, Any]:
    """Return the provider's endpoints, from the cache or read now. Raise the errors of `read`."""
    known = kept()
    if not known:
        known = read()
        cache.set(_key(), known, KEPT_SECONDS)
    return known


def read() -> dict[str, Any]:
    """Read the document. Raise OAuth2Error if the provider does not answer or is another issuer."""
    found = get_json(settings.OIDC_ISSUER + PATH)
    issuer = str(found.get("issuer", ""))
    if issuer.rstrip("/") != settings.OIDC_ISSUER:
        raise OAuth2Error(f"the provider calls itself {issuer!r}, not POOLSITE_OIDC_ISSUER")
    for name in NEEDED:
        if name not in found:
            raise OAuth2Error(f"the provider's configuration has no {name}")
    scheme = settings.OIDC_ISSUER.partition("://")[0]
    for name in (*NEEDED, *OPTIONAL):
        if name in found and not str(found[name]).startswith(f"{scheme}://"):
            raise OAuth2Error(f"the provider's {name} does not begin with {scheme}://")
    return found


def kept() -> dict[str, Any]:
    """Return the cached document, else an empty one, without a request or any need for Redis."""
    try:
        known: dict[str, Any] = cache.get(_key()) or {}
    except (ConnectionInterrupted, RedisError):
        return {}
    return known


def _key() -> str:
    return f"oidc:{settings.OIDC_ISSUER}"


def get_json(url: str, **headers: str) -> dict[str, Any]:
    """GET a JSON object. Raise OAuth2Error if the provider does not answer with one."""
    try:
        with get_adapter().get_requests_session() as session:
            response = session.get(url, headers=headers, allow_redirects=False)
            response.raise_for_status()
            found = response.json()
    except (RequestException, ValueError) as error:
        raise OAuth2Error(f"{url}: {error}") from error
    if not isinstance(found, dict):
        raise OAuth2Error(f"{url}: the answer is not an object")
    return found
