"""Verify the signature of a webhook request. Needs only the standard library.

Copy this file into your project; see README.md.
"""

import hashlib
import hmac
import time

TOLERANCE_SECONDS = 300


def verify(secret: str, body: bytes, signature: str, *, now: float | None = None) -> bool:
    """Return whether the request was signed with `secret` in the last five minutes.

    body: the raw body, before parsing. signature: the header `Poolsite-Signature`.
    """
    parts = [part.partition("=") for part in signature.split(",")]
    at = next((value for name, _, value in parts if name == "t"), "")
    if not (at.isascii() and at.isdecimal() and len(at) < 16):
        return False
    if abs((time.time() if now is None else now) - int(at)) > TOLERANCE_SECONDS:
        return False
    signed = at.encode() + b"." + body
    expected = hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest()
    given = [value for name, _, value in parts if name == "v1"]
    return any(hmac.compare_digest(expected.encode(), value.encode()) for value in given)
