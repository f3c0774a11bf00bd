"""The web pages that may open a socket: browsers send cookies from any page."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.http.request import split_domain_port, validate_host

from poolsite.access.headers import header

DEFAULT_PORTS = {"http": 80, "https": 443}


def origin_allowed(scope: Mapping[str, Any]) -> bool:
    """Whether a websocket's handshake may continue.

    With `Authorization: Bearer`, any origin or none is allowed: no browser can send that header on
    a handshake, and such a socket never uses cookies. Without the header, an origin is refused if
    it is missing, `null`, another host's, or not in ALLOWED_HOSTS.
    """
    if header(scope, b"authorization"):
        return True
    origin = header(scope, b"origin")
    if not origin or origin == "null":
        return False
    if origin in settings.CSRF_TRUSTED_ORIGINS:
        return True
    try:
        parts = urlsplit(origin)
        port = parts.port
    except ValueError:
        return False
    if parts.scheme not in DEFAULT_PORTS or not parts.hostname or parts.path or parts.query:
        return False
    if settings.BEHIND_TLS and parts.scheme != "https":
        return False
    return _same_host(parts.hostname, port or DEFAULT_PORTS[parts.scheme], scope, parts.scheme)


def _same_host(hostname: str, port: int, scope: Mapping[str, Any], scheme: str) -> bool:
    own_name, own_port = split_domain_port(header(scope, b"host").lower())
    if not own_name or not validate_host(own_name, settings.ALLOWED_HOSTS):
        return False
    return own_name.strip("[]") == hostname and (own_port or str(DEFAULT_PORTS[scheme])) == str(
        port
    )
