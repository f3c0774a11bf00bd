"""Calls to addresses that somebody else typed in: signed, bounded, and never into our network.

The name is resolved once, every address it has is judged, and the connection goes to the
judged address itself, so that a name that changes its mind in between gains nothing.
"""

import hashlib
import hmac
import ipaddress
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import httpx
import orjson
from django.conf import settings

CONNECT_SECONDS = 3.0
READ_SECONDS = 5.0
WHOLE_SECONDS = 10.0
ANSWER_BYTES = 2_000
_NAT64 = ipaddress.ip_network("64:ff9b::/96")

Address = ipaddress.IPv4Address | ipaddress.IPv6Address


class RefusedAddressError(ValueError):
    """The address is one that we do not call; the text says why."""


@dataclass(frozen=True)
class Outcome:
    """How a call went. `ok` = taken (2xx, or handed to the mail server)."""

    ok: bool
    status: int | None = None
    error: str = ""
    answer: str = ""
    duration_ms: int = 0


def sign(secret: str, raw: bytes, at: int) -> str:
    """Return the signature header: `t=<unix seconds>,v1=<HMAC-SHA256 of "<t>.<raw body>">`."""
    digest = hmac.new(secret.encode(), b"%d." % at + raw, hashlib.sha256).hexdigest()
    return f"t={at},v1={digest}"


def verify(secret: str, raw: bytes, header: str, *, now: int, window_seconds: int = 300) -> bool:
    """Check a signature as a receiver does: over the raw body, not older than the window."""
    parts = dict(part.split("=", 1) for part in header.split(",") if "=" in part)
    if not parts.get("t", "").isdecimal() or abs(now - int(parts["t"])) > window_seconds:
        return False
    return hmac.compare_digest(sign(secret, raw, int(parts["t"])), header)


def addresses(url: str) -> list[str]:
    """Return the IP addresses that a call to `url` may use; raises RefusedAddressError."""
    try:
        parsed = httpx.URL(url)
    except (httpx.InvalidURL, ValueError) as error:
        raise RefusedAddressError(f"Not an address: {error}") from error
    if parsed.scheme not in ("http", "https") or not parsed.host:
        raise RefusedAddressError("Only http:// and https:// addresses are called.")
    if parsed.userinfo:
        raise RefusedAddressError("An address with a user name in it is not called.")
    port = parsed.port or (443 if parsed.scheme == "https" else 80)
    try:
        found = socket.getaddrinfo(parsed.host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise RefusedAddressError(f"{parsed.host} has no address: {error}") from error
    names = list(dict.fromkeys(str(entry[4][0]) for entry in found))
    if not settings.OUTGOING_PRIVATE_ADDRESSES:
        for name in names:
            if not is_public(ipaddress.ip_address(name.split("%")[0])):
                raise RefusedAddressError(f"{parsed.host} is {name}, inside a private network.")
    return names


def is_public(address: Address) -> bool:
    """Whether it is on the public internet, also behind the forms that wrap an IPv4 address."""
    if isinstance(address, ipaddress.IPv6Address):
        wrapped = address.ipv4_mapped or address.sixtofour
        if address in _NAT64:
            wrapped = ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
        if address.teredo:
            return False
        if wrapped is not None:
            return is_public(wrapped)
    return address.is_global and not address.is_multicast


def post(url: str, body: dict[str, Any], *, secret: str, event_id: str) -> Outcome:
    """POST JSON, signed over the raw bytes; follows no redirect, reads little of the answer."""
    raw = orjson.dumps(body)
    headers = {
        "Content-Type": "application/json",
        "User-Agent": "Poolsite",
        "Poolsite-Event-Id": event_id,
        "Poolsite-Signature": sign(secret, raw, int(time.time())),
    }
    started = time.monotonic()
    try:
        status, answer = _post_to_first(url, raw, headers)
    except RefusedAddressError as error:
        return Outcome(ok=False, error=str(error), duration_ms=_since(started))
    except (httpx.HTTPError, OSError) as error:
        text = f"{type(error).__name__}: {error}"
        return Outcome(ok=False, error=text, duration_ms=_since(started))
    taken = 200 <= status < 300
    error_text = "" if taken else f"answered {status}"
    return Outcome(taken, status, error_text, answer, _since(started))


def timed(send: Callable[[], object]) -> Outcome:
    """Run something that raises when it fails, e.g. handing a message to the mail server."""
    started = time.monotonic()
    try:
        send()
    except Exception as error:
        text = f"{type(error).__name__}: {error}"
        return Outcome(ok=False, error=text, duration_ms=_since(started))
    return Outcome(ok=True, duration_ms=_since(started))


def _post_to_first(url: str, raw: bytes, headers: dict[str, str]) -> tuple[int, str]:
    """Try each judged address until one takes the connection."""
    names = addresses(url)
    for name in names[:-1]:
        try:
            return _post_to(url, name, raw, headers)
        except httpx.ConnectError:
            continue
    return _post_to(url, names[-1], raw, headers)


def _post_to(url: str, address: str, raw: bytes, headers: dict[str, str]) -> tuple[int, str]:
    named = httpx.URL(url)
    timeout = httpx.Timeout(READ_SECONDS, connect=CONNECT_SECONDS)
    deadline = time.monotonic() + WHOLE_SECONDS
    with (
        httpx.Client(timeout=timeout, follow_redirects=False, trust_env=False) as client,
        client.stream(
            "POST",
            named.copy_with(host=address),
            content=raw,
            headers={"Host": named.netloc.decode(), **headers},
            extensions={"sni_hostname": named.raw_host.decode()},
        ) as response,
    ):
        answer = b""
        for part in response.iter_raw(chunk_size=ANSWER_BYTES):
            answer += part
            if len(answer) >= ANSWER_BYTES or time.monotonic() > deadline:
                break
        return response.status_code, answer[:ANSWER_BYTES].decode("utf-8", "replace")


def _since(started: float) -> int:
    return round((time.monotonic() - started) * 1_000)
