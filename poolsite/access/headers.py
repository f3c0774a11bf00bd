"""Reads the headers of an ASGI scope."""

from collections.abc import Mapping
from typing import Any

from django.http import parse_cookie


def header(scope: Mapping[str, Any], name: bytes) -> str:
    """Return the first header with this lower-case name, or ""."""
    for key, value in scope.get("headers", ()):
        if key == name:
            return bytes(value).decode("latin-1")
    return ""


def cookie(scope: Mapping[str, Any], name: str) -> str:
    """Return the value of a cookie, or ""."""
    return str(parse_cookie(header(scope, b"cookie")).get(name, ""))


def bearer(authorization: str) -> str:
    """Return the secret in an `Authorization` header, or "" for other schemes."""
    scheme, _, secret = authorization.partition(" ")
    return secret.strip() if scheme.lower() == "bearer" else ""
