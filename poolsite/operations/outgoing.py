"""Calls to URLs that users entered: signed, bounded, and never into our own network.

The name is resolved once, every address of it is checked, and the connection is made to the checked
address, so that a name that resolves differently a moment later can't bypass the check.
"""

import asyncio
import hashlib
import hmac
import ipaddress
import socket
import ssl
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import httpx
import orjson
from django.conf import settings
from django.utils.translation import gettext as _

CONNECT_SECONDS = 3.0
READ_SECONDS = 5.0
WHOLE_SECONDS = 10.0  # from the DNS lookup to the last byte read
ANSWER_BYTES = 2_000
_NAT64 = ipaddress.ip_network("64:ff9b::/96")
# All public IPv6 addresses are in this network. `is_global` is also true for ::/8 with its wrapped
# IPv4 addresses, for local NAT64 prefixes and for fec0::/10.
_GLOBAL_UNICAST = ipaddress.ip_network("2000::/3")
# Global in the registries' tables, but not public for us.
_NOT_PUBLIC = tuple(
    ipaddress.ip_network(each)
    for each in (
        "192.0.0.0/24",  # protocol assignments; a cloud's metadata service is at .192
        "192.88.99.0/24",  # the retired 6to4 relays
        "168.63.129.16/32",  # a cloud's own services, as its machines see them
        "3fff::/20",  # documentation
    )
)

# Not the loop's own threads: at its end, `asyncio.run` would wait for a slow lookup in one of them.
_LOOKUPS = ThreadPoolExecutor(32, "outgoing-dns")

Address = ipaddress.IPv4Address | ipaddress.IPv6Address


class RefusedAddressError(ValueError):
    """An address that we do not call. The text gives the reason, in the active language."""


@dataclass(frozen=True)
class DeliveryOutcome:
    """The outcome of a call. `ok`: it was accepted (2xx, or handed to the mail server)."""

    ok: bool
    status: int | None = None
    error: str = ""
    answer: str = ""
    duration_ms: int = 0


def absolute(path: str) -> str:
    """Return a page's full URL, for readers outside the site."""
    return f"{'https' if settings.BEHIND_TLS else 'http'}://{settings.SITE_HOST}{path}"


def sign(secrets: Sequence[str], raw: bytes, at: int) -> str:
    """Return the signature header: `t=<Unix seconds>` and a `v1=<HMAC>` for each secret.

    The HMAC is SHA-256 over `<t>.<raw body>`, in hex. While a secret is being replaced there are
    two, so that a receiver that knows either secret can verify the request.
    """
    signed = b"%d." % at + raw
    digests = (hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest() for secret in secrets)
    return ",".join([f"t={at}", *(f"v1={digest}" for digest in digests)])


def check_url(url: str) -> httpx.URL:
    """Return the parsed URL. Raise RefusedAddressError if we would not call it, whatever its host.

    This makes no DNS lookup: `addresses` checks the host's addresses before each call.
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
    """Return the IP addresses that a call to `url` may use. Raise RefusedAddressError."""
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
    """Return whether the address is on the public internet, also if it wraps an IPv4 address."""
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
    """POST JSON, signed over the raw bytes. Follow no redirect and read little of the answer.

    `body["id"]` is also sent as a header. This never raises: the outcome has the error.
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
        answer = await _within_time(check_url(url), raw, headers)
    except RefusedAddressError as error:
        return DeliveryOutcome(ok=False, error=str(error), duration_ms=_since(started))
    except Exception as error:  # users enter any URL: other events are still sent
        text = f"{type(error).__name__}: {error}"
        return DeliveryOutcome(ok=False, error=text, duration_ms=_since(started))
    taken = 200 <= answer.status < 300
    error_text = "" if taken else f"answered {answer.status}"
    text = answer.beginning.decode("utf-8", "replace")
    return DeliveryOutcome(taken, answer.status, error_text, text, _since(started))


def reach(url: str, *, typed_in: bool = True) -> DeliveryOutcome:
    """Connect to the server of `url`, with TLS for https, without sending a request.

    typed_in: whether a user entered the URL. Then it is refused as `post` refuses it. A URL from a
    setting may be in our own network.
    """
    started = time.monotonic()
    try:
        named = check_url(url) if typed_in else httpx.URL(url)
        names = addresses(named) if typed_in else [named.raw_host.decode()]
        # Trust the same authorities as the code that calls it: for URLs of users, only the public
        # ones.
        tls = httpx.create_ssl_context(trust_env=not typed_in) if named.scheme == "https" else None
        asyncio.run(_connect(named, names, tls))
    except RefusedAddressError as error:
        return DeliveryOutcome(ok=False, error=str(error), duration_ms=_since(started))
    except Exception as error:  # as in `post`
        text = f"{type(error).__name__}: {error}"
        return DeliveryOutcome(ok=False, error=text, duration_ms=_since(started))
    return DeliveryOutcome(ok=True, duration_ms=_since(started))


async def _connect(url: httpx.URL, names: list[str], tls: ssl.SSLContext | None) -> None:
    """Connect to the first address that answers. Raise the last address's OSError."""
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
    """Return the scheme, host and port of a URL. Its path and query may be secrets."""
    try:
        parsed = httpx.URL(url)
    except (httpx.InvalidURL, ValueError):
        return "an address that can't be read"
    port = f":{parsed.port}" if parsed.port else ""
    return f"{parsed.scheme}://{parsed.host}{port}"


def timed(send: Callable[[], object]) -> DeliveryOutcome:
    """Call a function that raises on failure, such as handing a message to the mail server."""
    started = time.monotonic()
    try:
        send()
    except Exception as error:
        text = f"{type(error).__name__}: {error}"
        return DeliveryOutcome(ok=False, error=text, duration_ms=_since(started))
    return DeliveryOutcome(ok=True, duration_ms=_since(started))


@dataclass
class _Answer:
    """The part of the answer received so far. A status of 0 means nothing yet."""

    status: int = 0
    beginning: bytes = b""


async def _within_time(url: httpx.URL, raw: bytes, headers: dict[str, str]) -> _Answer:
    """Look up the host and post to its first address that connects, within WHOLE_SECONDS.

    A status that was received counts, even if the rest of the answer is missing. Raise
    RefusedAddressError, httpx.HTTPError or OSError (including TimeoutError).
    """
    answer = _Answer()
    try:
        async with asyncio.timeout(WHOLE_SECONDS):
            names = await asyncio.get_running_loop().run_in_executor(_LOOKUPS, addresses, url)
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
    """Post to this address of the URL's host. The certificate must be the host's."""
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
