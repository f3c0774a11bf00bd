"""The Redis server of a wallet: the common one, or one of the named servers of heavy accounts."""

from datetime import UTC, datetime

from django.conf import settings

from billing.models import Wallet
from poolsite import hotpath
from poolsite.hotpath import HotPath

_PATHS: dict[str, HotPath] = {}  # by address, because tests can change the settings


class UnknownServerError(LookupError):
    """A wallet names a server that POOLSITE_BILLING_REDIS_URLS does not have."""


def path(wallet: Wallet) -> HotPath:
    """Return the hot path to the wallet's Redis. Raise UnknownServerError if it's unknown."""
    return named(wallet.redis)


def now(wallet: Wallet) -> datetime:
    """Return the time of the wallet's Redis, whose clock ends its days. Raise Unavailable."""
    return datetime.fromtimestamp(path(wallet).now(), UTC)


def named(name: str) -> HotPath:
    """Return the hot path to a server; "" is the common one. Raise UnknownServerError."""
    if not name:
        return hotpath.default()
    url = settings.BILLING_REDIS_URLS.get(name)
    if not url:
        raise UnknownServerError(f"POOLSITE_BILLING_REDIS_URLS has no server {name!r}.")
    if url not in _PATHS:
        _PATHS[url] = HotPath(url)
    return _PATHS[url]


def further() -> dict[str, HotPath]:
    """Return the hot paths to the named servers by name, each server once, the common one not."""
    urls = {url: name for name, url in settings.BILLING_REDIS_URLS.items()}
    return {name: named(name) for url, name in urls.items() if url != settings.REDIS_URL}


def names() -> list[str]:
    """Return the names of all servers, the common one ("") first."""
    return ["", *settings.BILLING_REDIS_URLS]
