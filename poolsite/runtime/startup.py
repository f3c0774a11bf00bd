"""The conditions under which a server process refuses to start. Each refusal states the remedy.

Web (asgi), worker and beat (celery) call this first. Management commands that use Redis run only
the checks of Redis. A Redis that does not answer is no reason to refuse: it may come later, and
`/readyz` reports that it is missing.
"""

import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any, NoReturn

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.utils.module_loading import import_string
from redis.exceptions import RedisClusterException, RedisError

from poolsite import tracing
from poolsite.hotpath.address import parse_address
from poolsite.hotpath.connection import sync_client
from poolsite.runtime import embedded, safety, stores
from poolsite.runtime.redis_server import OLDEST_VERSION, RedisServerError

SAFE_POLICY = "noeviction"


def verify() -> None:
    """Return if this process may serve.

    Otherwise raise SystemExit with one sentence per refusal.
    """
    try:
        embedded.use()
        refusals = [*settings_refusals(), *redis_refusals()]
    except (ImproperlyConfigured, RedisServerError, OSError) as error:
        refusals = [str(error)]
    if refusals:
        _refuse(refusals)


def read_settings() -> None:
    """Return if the settings can be read, else exit as verify() does.

    Celery reads them before that.
    """
    try:
        _ = settings.SECRET_KEY
    except ImproperlyConfigured as error:
        _refuse([str(error)])


def _refuse(refusals: Iterable[str]) -> NoReturn:
    # Not sys.stderr: Celery's beat has already replaced it with its log.
    text = "".join(f"Poolsite does not start: {each}\n" for each in dict.fromkeys(refusals))
    os.write(2, text.encode())
    sys.exit(1)


def settings_refusals() -> Iterator[str]:
    """Yield a refusal for every unsafe setting, except those that Redis must be asked about."""
    yield from safety.refusals()
    yield from payment_refusals()
    yield from url_refusals()
    yield from tracing.refusals()


def payment_refusals() -> Iterator[str]:
    """Refuse unknown providers, the demo's provider outside of the demo, and missing secrets."""
    for name in settings.PAYMENTS:
        if name not in settings.PAYMENT_VARIANTS:
            yield (
                f"POOLSITE_PAYMENTS contains {name!r}, which is not a payment provider: use demo "
                "or stripe."
            )
        elif not settings.DEMO and _is_dummy(settings.PAYMENT_VARIANTS[name][0]):
            yield (
                f"the payment provider {name!r} adds money without a payment and is only for the "
                "demo. Remove it from POOLSITE_PAYMENTS."
            )
        elif name == "stripe" and not all(settings.PAYMENT_VARIANTS[name][1].values()):
            yield (
                "POOLSITE_PAYMENTS contains stripe: set POOLSITE_STRIPE_SECRET_KEY and "
                "POOLSITE_STRIPE_WEBHOOK_SECRET."
            )


def _is_dummy(handler: str) -> bool:
    # Not at the top: the import reads the settings, and `verify` reports their errors.
    from payments.dummy import DummyProvider

    # The demo's own provider is a subclass of the library's dummy.
    return issubclass(import_string(handler), DummyProvider)


def url_refusals() -> Iterator[str]:
    """Refuse a Redis Cluster as the default for uses that can't run on a Cluster."""
    uses = {
        "CACHE_URL": settings.CACHE_URL,
        "CELERY_BROKER_URL": settings.CELERY_BROKER_URL,
    }
    for name, url in uses.items():
        if not url:
            remedy = stores.REMEDY.format(name=name)
            yield f"REDIS_URL is a cluster and {name} is not set: {remedy}."


def redis_refusals() -> Iterator[str]:
    """Refuse each master of REDIS_URL and of heavy accounts that is too old or may drop data."""
    for url in (settings.REDIS_URL, *settings.BILLING_REDIS_URLS.values()):
        for node, info in _masters(url):
            yield from info_refusals(node, info)


def info_refusals(node: str, info: Mapping[str, Any]) -> Iterator[str]:
    """Check one server by its INFO."""
    yield from version_refusals(node, info)
    yield from policy_refusals(node, info)


def version_refusals(node: str, info: Mapping[str, Any]) -> Iterator[str]:
    """Refuse a server older than OLDEST_VERSION.

    The scripts use its commands, but none that is newer.
    """
    name, version = product_of(info)
    if _numbers(version) < OLDEST_VERSION:
        yield (
            f"{name} {version} at {node} is too old: install Redis 6.2 or newer (or Valkey), "
            "or unset REDIS_URL to use the embedded one."
        )


def policy_refusals(node: str, info: Mapping[str, Any]) -> Iterator[str]:
    """Refuse a server that drops data when its memory is full, instead of refusing writes."""
    policy = str(info.get("maxmemory_policy") or SAFE_POLICY)
    if policy != SAFE_POLICY:
        yield (
            f"{product_of(info)[0]} at {node} drops data when its memory is full "
            f"(maxmemory-policy {policy}): "
            f"run CONFIG SET maxmemory-policy {SAFE_POLICY} and add it to its configuration."
        )


def product_of(info: Mapping[str, Any]) -> tuple[str, str]:
    """Return name and version: Redis, or Valkey, which has its own field besides redis_version."""
    name = "Valkey" if "valkey_version" in info else "Redis"
    return name, str(info.get("valkey_version") or info.get("redis_version") or "0")


def _masters(url: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield (name for messages, INFO) of each master that answers."""
    try:
        address = parse_address(url)
    except ValueError as error:
        raise ImproperlyConfigured(f"{error}.") from error
    with suppress(RedisError, RedisClusterException), sync_client(address) as client:
        if address.topology == "cluster":
            for node in client.get_primaries():
                yield node.name, client.info(target_nodes=node)
        else:
            yield str(address), client.info()


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".") if part.isdigit())
