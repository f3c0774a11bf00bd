"""Reading an ASGI scope's headers."""

from collections.abc import Mapping
from typing import Any

from django.http import parse_cookie


def header(scope: Mapping[str, Any], name: bytes) -> str:
    """The first header of that (lower case) name; "" when there is none."""
    for key, value in scope.get("headers", ()):
        if key == name:
            return bytes(value).decode("latin-1")
    return ""


def cookie(scope: Mapping[str, Any], name: str) -> str:
    """One cookie's value; "" when there is none."""
    return str(parse_cookie(header(scope, b"cookie")).get(name, ""))


def bearer(authorization: str) -> str:
    """The secret in an `Authorization` header; "" for other schemes."""
    scheme, _, secret = authorization.partition(" ")
    return secret.strip() if scheme.lower() == "bearer" else ""
