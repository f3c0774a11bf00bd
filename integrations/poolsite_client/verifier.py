"""Checks signed permits where the work is done, without a request to the platform.

It needs no other package. A signed permit is `v1.<payload>.<signature>`. Both parts are base64url
without padding. The payload is a JSON object of gate, holder, token, deadline (µs since 1970), task
(only for devices) and weight (left out if it is 1). The signature is the HMAC-SHA256 of
`v1.<payload>` with the gate's signing key. Unknown fields are ignored.
"""

import base64
import binascii
import hashlib
import hmac
import json
import re
import threading
import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

LONGEST_TEXT = 1_024
KEY_BYTES = 32
_TEXT = re.compile(r"v1\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]{43}")


class InvalidPermit(Exception):  # noqa: N818  a verdict, not a fault
    """The permit is not valid.

    `reason`: malformed, wrong signature, wrong gate, expired or superseded.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class SignedPermit:
    """The content of a permit.

    holder: a name, or `@device`. deadline_us: µs since 1970. weight: how many slots it takes.
    """

    gate: str
    holder: str
    token: int
    deadline_us: int
    task: str | None = None
    weight: int = 1


class TokenStore(Protocol):
    """Stores the newest token of each holder."""

    def newest(self, slot: str, token: int) -> int:
        """Store `token` and return the newest token seen for that slot, including this one.

        This must be one atomic step. Otherwise an older token could slip through when one process
        checks many permits at once, or when several processes do.
        """


class MemoryStore:
    """A store for one process.

    With more than `most` holders, it forgets those not seen for longest.
    """

    def __init__(self, most: int = 100_000) -> None:
        self._most = most
        self._seen: dict[str, int] = {}
        self._lock = threading.Lock()

    def newest(self, slot: str, token: int) -> int:
        """See TokenStore."""
        with self._lock:
            token = max(token, self._seen.pop(slot, 0))
            self._seen[slot] = token
            if len(self._seen) > self._most:
                self._seen.pop(next(iter(self._seen)))
        return token


class Verifier:
    """Checks permits with any of the `keys` (hexadecimal, as the platform showed them).

    Pass the old and the new key while you replace a key. With a store, a permit is refused if it is
    older than the newest one seen of the same holder.
    """

    def __init__(self, keys: Iterable[str], *, store: TokenStore | None = None) -> None:
        self._keys = [_key(text) for text in keys]
        if not self._keys:
            raise ValueError("a verifier needs one key at least")
        self._store = store

    def check(self, signed: object, *, gate: str, now: float | None = None) -> SignedPermit:
        """Return the content of a permit. Raise InvalidPermit if it is not valid for the gate.

        now: seconds since 1970. The default is this machine's clock, which should be synchronised
        (NTP).
        """
        permit = _payload(self._body(signed))
        if permit.gate != gate:
            raise InvalidPermit("wrong gate")
        moment = time.time() if now is None else now
        if not moment * 1_000_000 < permit.deadline_us:
            raise InvalidPermit("expired")
        if self._store is not None:
            slot = f"{permit.gate}/{permit.holder}"
            if self._store.newest(slot, permit.token) > permit.token:
                raise InvalidPermit("superseded")
        return permit

    def _body(self, signed: object) -> str:
        """Return the payload's text.

        Raise InvalidPermit unless one of the keys made the signature.
        """
        if not isinstance(signed, str) or len(signed) > LONGEST_TEXT or not _TEXT.fullmatch(signed):
            raise InvalidPermit("malformed")
        text, _, signature = signed.rpartition(".")
        given = _decoded(signature)
        # Try every key, even after a match, so that the time does not reveal which one matched.
        fits = [
            hmac.compare_digest(hmac.new(key, text.encode(), hashlib.sha256).digest(), given)
            for key in self._keys
        ]
        if not any(fits):
            raise InvalidPermit("wrong signature")
        return text.partition(".")[2]


def _key(text: str) -> bytes:
    key = bytes.fromhex(text)
    if len(key) != KEY_BYTES:
        raise ValueError(f"a signing key has {KEY_BYTES} bytes, not {len(key)}")
    return key


def _decoded(text: str) -> bytes:
    try:
        raw = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    except (binascii.Error, ValueError):
        raise InvalidPermit("malformed") from None
    # Allow only one text for a permit: other last letters may decode to the same bytes.
    if base64.urlsafe_b64encode(raw).rstrip(b"=").decode() != text:
        raise InvalidPermit("malformed")
    return raw


def _payload(text: str) -> SignedPermit:
    try:
        found = json.loads(_decoded(text))
        permit = SignedPermit(
            *(found["gate"], found["holder"], found["token"], found["deadline"]),
            *(found.get("task"), found.get("weight", 1)),
        )
    except (ValueError, KeyError, TypeError, AttributeError):
        raise InvalidPermit("malformed") from None
    texts = (permit.gate, permit.holder, permit.task or "")
    whole = (permit.token, permit.deadline_us, permit.weight)
    if not all(type(each) is str for each in texts) or not all(type(each) is int for each in whole):
        raise InvalidPermit("malformed")
    if permit.weight < 1:
        raise InvalidPermit("malformed")
    return permit
