"""URLs of files, signed for one reader and a few minutes.

A page shows a picture by its URL alone, because a browser sends no token with it. So a visitor's
URL is sufficient for access while it is valid. Any other reader's URL also needs that reader's
session or token, and their current rights (views/files.py).
"""

import time
from dataclasses import dataclass

from django.core import signing
from django.urls import reverse

from poolsite.access import Principal

_SIGNER = "queueing.line.file"
STEP_SECONDS = 600  # how long a URL stays the same, so that browsers can cache the picture


@dataclass(frozen=True, slots=True)
class Address:
    """The content of a signed URL: the file and its reader."""

    attachment: str
    reader: str


def reader_of(principal: Principal) -> str:
    """Return the reader's name in a URL."""
    return f"{principal.kind}:{principal.id}"


def address_of(attachment: str, principal: Principal, now: float | None = None) -> tuple[str, int]:
    """Return the URL for this reader, and its end (Unix seconds) in 10 to 20 minutes."""
    until = (int(time.time() if now is None else now) // STEP_SECONDS + 2) * STEP_SECONDS
    signed = signing.Signer(salt=_SIGNER).sign_object([attachment, reader_of(principal), until])
    return reverse("line:file", args=[signed]), until


def read_address(signed: str) -> Address | None:
    """Return the content of a signed URL, or None if it is invalid or expired."""
    try:
        attachment, reader, until = signing.Signer(salt=_SIGNER).unsign_object(signed)
    except (signing.BadSignature, ValueError, TypeError):
        return None
    return Address(str(attachment), str(reader)) if time.time() < int(until) else None
