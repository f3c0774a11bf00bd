"""The client's address, as far as it can be trusted."""

from collections.abc import Mapping
from functools import lru_cache
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network
from typing import Any

from django.conf import settings
from django.http import HttpRequest

UNIX = "unix"  # the peer of a server that listens on a Unix socket has no address


@lru_cache(maxsize=8)
def _networks(proxies: tuple[str, ...]) -> tuple[IPv4Network | IPv6Network, ...]:
    return tuple(ip_network(each) for each in proxies if each != UNIX)


def _trusted(address: str) -> bool:
    return _is_proxy(address, tuple(settings.TRUSTED_PROXIES))


@lru_cache(maxsize=4096)  # called at every request of the hot lane, mostly for few addresses
def _is_proxy(address: str, proxies: tuple[str, ...]) -> bool:
    if not address:
        return UNIX in proxies
    try:
        parsed = ip_address(address)
    except ValueError:
        return False
    return any(parsed in network for network in _networks(proxies))


def right_most(peer: str, forwarded_for: str) -> str:
    """Return the right-most address that is not a trusted proxy's, or "" if the peer has none.

    Each proxy appends the address of its peer. The client wrote everything left of the first
    address that is not a trusted proxy's, so none of that can be trusted.
    """
    if not _trusted(peer):
        return peer
    address = peer
    for claimed in reversed([part.strip() for part in forwarded_for.split(",")]):
        try:
            ip_address(claimed)
        except ValueError:
            return address
        address = claimed
        if not _trusted(claimed):
            return address
    return address


def client_address(request: HttpRequest) -> str:
    """Return the client's address of a Django request. axes throttles by it."""
    meta = request.META
    return right_most(meta.get("REMOTE_ADDR") or "", meta.get("HTTP_X_FORWARDED_FOR", ""))


def client_address_of_scope(scope: Mapping[str, Any]) -> str:
    """Return the client's address of an ASGI scope."""
    client = scope.get("client")
    forwarded = [
        value.decode("latin-1")
        for name, value in scope.get("headers", ())
        if name == b"x-forwarded-for"
    ]
    return right_most(str(client[0] or "") if client else "", ",".join(forwarded))
