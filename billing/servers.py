"""Which Redis a wallet lives on: the common one, or one of the named servers of heavy accounts."""

from datetime import UTC, datetime

from django.conf import settings

from billing.models import Wallet
from poolsite import hotpath
from poolsite.hotpath import HotPath

_PATHS: dict[str, HotPath] = {}  # by address: settings may change under a test


class UnknownServerError(LookupError):
    """A wallet names a server that POOLSITE_BILLING_REDIS_URLS does not."""


def path(wallet: Wallet) -> HotPath:
    """Return the hot path of the wallet's Redis; UnknownServerError."""
    return named(wallet.redis)


def now(wallet: Wallet) -> datetime:
    """Return the time by the clock of the wallet's Redis, which ends its days. Unavailable."""
    return datetime.fromtimestamp(path(wallet).now(), UTC)


def named(name: str) -> HotPath:
    """Return the hot path of a server by its name; "" = the common one. UnknownServerError."""
    if not name:
        return hotpath.default()
    url = settings.BILLING_REDIS_URLS.get(name)
    if not url:
        raise UnknownServerError(f"POOLSITE_BILLING_REDIS_URLS has no server {name!r}.")
    if url not in _PATHS:
        _PATHS[url] = HotPath(url)
    return _PATHS[url]


def further() -> dict[str, HotPath]:
    """Return the hot paths of the named servers by their names, each server once."""
    urls = {url: name for name, url in settings.BILLING_REDIS_URLS.items()}
    return {name: named(name) for url, name in urls.items() if url != settings.REDIS_URL}


def names() -> list[str]:
    """Return every server's name, the common one ("") first."""
    return ["", *settings.BILLING_REDIS_URLS]
