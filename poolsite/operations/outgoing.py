"""Calls to addresses that somebody else typed in: signed, bounded, and never into our network.

The name is resolved once, every address it has is judged, and the connection goes to the
judged address itself, so that a name that changes its mind in between gains nothing.
"""

import asyncio
import hashlib
import hmac
import ipaddress
import socket
import ssl
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import httpx
import orjson
from django.conf import settings
from django.utils.translation import gettext as _

CONNECT_SECONDS = 3.0
READ_SECONDS = 5.0
WHOLE_SECONDS = 10.0  # from the first connection to the last byte read; looking up a name is extra
ANSWER_BYTES = 2_000
_NAT64 = ipaddress.ip_network("64:ff9b::/96")
# Every public IPv6 address is in here. `is_global` also says yes to ::/8 with its wrapped IPv4
# addresses, to local NAT64 prefixes and to fec0::/10.
_GLOBAL_UNICAST = ipaddress.ip_network("2000::/3")
# Global by the registries' tables, but not for us.
_NOT_PUBLIC = tuple(
    ipaddress.ip_network(each)
    for each in (
        "192.0.0.0/24",  # protocol assignments; a cloud's metadata service is at .192
        "192.88.99.0/24",  # the retired 6to4 relays
        "168.63.129.16/32",  # a cloud's own services, seen from inside its machines
        "3fff::/20",  # documentation
    )
)

Address = ipaddress.IPv4Address | ipaddress.IPv6Address


class RefusedAddressError(ValueError):
    """The address is one that we do not call; the text says why, in the reader's language."""


@dataclass(frozen=True)
class DeliveryOutcome:
    """How a call went. `ok` = taken (2xx, or handed to the mail server)."""

    ok: bool
    status: int | None = None
    error: str = ""
    answer: str = ""
    duration_ms: int = 0


def absolute(path: str) -> str:
    """Return a page's whole address, for readers who have no site to complete a path with."""
    return f"{'https' if settings.BEHIND_TLS else 'http'}://{settings.SITE_HOST}{path}"


def sign(secrets: Sequence[str], raw: bytes, at: int) -> str:
    """Return the signature header: `t=<unix seconds>` and one `v1=<HMAC>` for each secret.

    The HMAC is SHA-256 over `<t>.<raw body>`, in hex. While a secret is being replaced there are
    two, so that a receiver that knows one of them finds it.
    """
    signed = b"%d." % at + raw
    digests = (hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest() for secret in secrets)
    return ",".join([f"t={at}", *(f"v1={digest}" for digest in digests)])


def check_url(url: str) -> httpx.URL:
    """Return the parsed URL; RefusedAddressError unless we would call it, whatever its host is.

    Asks nobody: the host's addresses are judged by `addresses`, each time it is called.
    """
    try:
        parsed = httpx.URL(url)
    except (httpx.InvalidURL, ValueError) as error:
        raise RefusedAddressError(
            _("Enter a valid web address, such as https://example.com/.")
        ) from error
    if parsed.scheme not in ("http", "https") or not parsed.host:
        raise RefusedAddressError(_("Enter a webhook address that starts with https://."))
    if parsed.userinfo:
        raise RefusedAddressError(_("Remove the user name and password from the webhook address."))
    if _port(parsed) not in range(1, 65_536):
        raise RefusedAddressError(_("Enter a valid web address, such as https://example.com/."))
    if not settings.OUTGOING_PRIVATE_ADDRESSES and _port(parsed) not in settings.OUTGOING_PORTS:
        allowed = ", ".join(map(str, settings.OUTGOING_PORTS))
        raise RefusedAddressError(_("Webhooks can only use these ports: %s.") % allowed)
    return parsed


def _port(url: httpx.URL) -> int:
    return url.port if url.port is not None else 443 if url.scheme == "https" else 80


def addresses(url: httpx.URL) -> list[str]:
    """Return the IP addresses that a call to `url` may use; raises RefusedAddressError."""
    host = url.raw_host.decode()
    try:
        found = socket.getaddrinfo(host, _port(url), type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise RefusedAddressError(f"{host} has no address: {error}") from error
    names = list(dict.fromkeys(str(entry[4][0]) for entry in found))
    if not settings.OUTGOING_PRIVATE_ADDRESSES:
        for name in names:
            if not is_public(ipaddress.ip_address(name.split("%")[0])):
                raise RefusedAddressError(f"{host} is {name}, inside a private network.")
    return names


def is_public(address: Address) -> bool:
    """Whether it is on the public internet, also behind the forms that wrap an IPv4 address."""
    if isinstance(address, ipaddress.IPv6Address):
        wrapped = address.ipv4_mapped or address.sixtofour
        if address in _NAT64:
            wrapped = ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
        if wrapped is not None:
            return is_public(wrapped)
        if address.teredo or address not in _GLOBAL_UNICAST:
            return False
    if any(address in network for network in _NOT_PUBLIC):
        return False
    return address.is_global and not address.is_multicast


async def post(url: str, body: Mapping[str, Any], *, secrets: Sequence[str]) -> DeliveryOutcome:
    """POST JSON, signed over the raw bytes; follows no redirect, reads little of the answer.

    `body["id"]` is also sent as a header. Never raises: what went wrong is in the outcome.
    """
    raw = orjson.dumps(body)
    headers = {
        "Content-Type": "application/json",
        "User-Agent": "Poolsite",
        "Poolsite-Event-Id": str(body["id"]),
        "Poolsite-Signature": sign(secrets, raw, int(time.time())),
    }
    started = time.monotonic()
    try:
        named = check_url(url)
        names = await asyncio.to_thread(addresses, named)
        answer = await _within_time(named, names, raw, headers)
    except RefusedAddressError as error:
        return DeliveryOutcome(ok=False, error=str(error), duration_ms=_since(started))
    except Exception as error:  # whatever a typed address leads to, other events still go out
        text = f"{type(error).__name__}: {error}"
        return DeliveryOutcome(ok=False, error=text, duration_ms=_since(started))
    taken = 200 <= answer.status < 300
    error_text = "" if taken else f"answered {answer.status}"
    text = answer.beginning.decode("utf-8", "replace")
    return DeliveryOutcome(taken, answer.status, error_text, text, _since(started))


def reach(url: str, *, typed_in: bool = True) -> DeliveryOutcome:
    """Connect to the server of `url`, with TLS for https, and send it no request.

    typed_in: somebody typed it into a page, so it is refused like `post` refuses it. What a
    setting names may be in our network.
    """
    started = time.monotonic()
    try:
        named = check_url(url) if typed_in else httpx.URL(url)
        names = addresses(named) if typed_in else [named.raw_host.decode()]
        # As the clients that call it choose whom to trust: ours nobody but the public authorities.
        tls = httpx.create_ssl_context(trust_env=not typed_in) if named.scheme == "https" else None
        asyncio.run(_connect(named, names, tls))
    except RefusedAddressError as error:
        return DeliveryOutcome(ok=False, error=str(error), duration_ms=_since(started))
    except Exception as error:  # as in `post`
        text = f"{type(error).__name__}: {error}"
        return DeliveryOutcome(ok=False, error=text, duration_ms=_since(started))
    return DeliveryOutcome(ok=True, duration_ms=_since(started))


async def _connect(url: httpx.URL, names: list[str], tls: ssl.SSLContext | None) -> None:
    """Connect to the first of the addresses that answers; raises the last one's OSError."""
    host = url.raw_host.decode() if tls else None
    for name in names:
        try:
            opening = asyncio.open_connection(name, _port(url), ssl=tls, server_hostname=host)
            _reader, writer = await asyncio.wait_for(opening, CONNECT_SECONDS)
        except TimeoutError:
            if name == names[-1]:
                raise TimeoutError(f"no connection within {CONNECT_SECONDS:g} s") from None
        except OSError:
            if name == names[-1]:
                raise
        else:
            writer.close()
            return


def place_of(url: str) -> str:
    """Scheme, host and port of an address: its path and query may be secrets."""
    try:
        parsed = httpx.URL(url)
    except (httpx.InvalidURL, ValueError):
        return "an address that can't be read"
    port = f":{parsed.port}" if parsed.port else ""
    return f"{parsed.scheme}://{parsed.host}{port}"


def timed(send: Callable[[], object]) -> DeliveryOutcome:
    """Run something that raises when it fails, e.g. handing a message to the mail server."""
    started = time.monotonic()
    try:
        send()
    except Exception as error:
        text = f"{type(error).__name__}: {error}"
        return DeliveryOutcome(ok=False, error=text, duration_ms=_since(started))
    return DeliveryOutcome(ok=True, duration_ms=_since(started))


@dataclass
class _Answer:
    """What has come back so far; a status of 0 = nothing yet."""

    status: int = 0
    beginning: bytes = b""


async def _within_time(
    url: httpx.URL, names: list[str], raw: bytes, headers: dict[str, str]
) -> _Answer:
    """Post to the first of the addresses that takes the connection, within WHOLE_SECONDS.

    A status that has come counts, even if the rest does not come. Raises httpx.HTTPError or
    OSError (TimeoutError among them).
    """
    answer = _Answer()
    try:
        async with asyncio.timeout(WHOLE_SECONDS):
            for name in names[:-1]:
                try:
                    await _post_to(url, name, raw, headers, answer)
                    return answer
                except httpx.ConnectError:
                    continue
            await _post_to(url, names[-1], raw, headers, answer)
    except TimeoutError:
        if not answer.status:
            raise TimeoutError(f"no answer within {WHOLE_SECONDS:g} s") from None
    except (httpx.HTTPError, OSError):
        if not answer.status:
            raise
    return answer


async def _post_to(
    url: httpx.URL, address: str, raw: bytes, headers: dict[str, str], answer: _Answer
) -> None:
    """Post to this address of the URL's host; the certificate must be the host's."""
    timeout = httpx.Timeout(READ_SECONDS, connect=CONNECT_SECONDS)
    async with (
        httpx.AsyncClient(timeout=timeout, follow_redirects=False, trust_env=False) as client,
        client.stream(
            "POST",
            url.copy_with(host=address),
            content=raw,
            headers={"Host": url.netloc.decode(), **headers},
            extensions={"sni_hostname": url.raw_host.decode()},
        ) as response,
    ):
        answer.status = response.status_code
        async for part in response.aiter_raw(chunk_size=ANSWER_BYTES):
            answer.beginning = (answer.beginning + part)[:ANSWER_BYTES]
            if len(answer.beginning) >= ANSWER_BYTES:
                break


def _since(started: float) -> int:
    return round((time.monotonic() - started) * 1_000)
