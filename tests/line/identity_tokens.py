"""Tokens as a customer's own system makes them."""

import base64
import hmac
import json
import time
from typing import Any


def part(value: Any) -> str:
    """Return a part of a token."""
    return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=").decode()


def token(secret: str, *, alg: str = "HS256", **claims: Any) -> str:
    """Return a token of customer-7 that is valid for a minute."""
    said = {"sub": "customer-7", "exp": time.time() + 60, **claims}
    signed = f"{part({'alg': alg, 'typ': 'JWT'})}.{part(said)}"
    return f"{signed}.{signature(secret, signed)}"


def signature(secret: str, signed: str) -> str:
    """Return the third part, computed by the standard and not by the code that is tested."""
    digest = hmac.digest(secret.encode(), signed.encode(), "sha256")
    return base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
