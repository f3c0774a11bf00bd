"""Addresses of files: signed, for one reader and a few minutes.

A page shows a picture by its address alone, since a browser sends no token with it. So a visitor's
address is its own right for as long as it lasts; anybody else's is one only together with the
reader's session or token, and the rights of now (views/files.py).
"""

import time
from dataclasses import dataclass

from django.core import signing
from django.urls import reverse

from poolsite.access import Principal

_SIGNER = "queueing.line.file"
STEP_SECONDS = 600  # the address stays the same for so long, so that browsers know the picture


@dataclass(frozen=True, slots=True)
class Address:
    """What an address of ours says: which file, and whose it is."""

    attachment: str
    reader: str


def reader_of(principal: Principal) -> str:
    """How an address names its reader."""
    return f"{principal.kind}:{principal.id}"


def address_of(attachment: str, principal: Principal, now: float | None = None) -> tuple[str, int]:
    """The address for this reader, and when it ends (Unix seconds): in 10 to 20 minutes."""
    until = (int(time.time() if now is None else now) // STEP_SECONDS + 2) * STEP_SECONDS
    signed = signing.Signer(salt=_SIGNER).sign_object([attachment, reader_of(principal), until])
    return reverse("line:file", args=[signed]), until


def read_address(signed: str) -> Address | None:
    """What a signed address says; None: not ours, or over."""
    try:
        attachment, reader, until = signing.Signer(salt=_SIGNER).unsign_object(signed)
    except (signing.BadSignature, ValueError, TypeError):
        return None
    return Address(str(attachment), str(reader)) if time.time() < int(until) else None
