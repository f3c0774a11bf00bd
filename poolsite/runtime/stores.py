"""Redis for the cache and Celery: one URL format for both, one server or Sentinel.

The settings call these functions while they are read, so these must not read settings.
"""

from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

from django.core.exceptions import ImproperlyConfigured
from redis.backoff import NoBackoff
from redis.retry import Retry

from poolsite.hotpath.address import RedisAddress, parse_address

# Options of redis-py that Celery's transport supports, too.
_BROKER_OPTIONS = {
    "socket_timeout",
    "socket_connect_timeout",
    "socket_keepalive",
    "health_check_interval",
    "max_connections",
    "client_name",
}
REMEDY = "set {name} to one server (redis://…) or a Sentinel group (redis+sentinel://…)"


def one_server_of(redis_url: str) -> str:
    """Return REDIS_URL if it can serve the other uses, too, or "" for a Cluster."""
    try:
        address = parse_address(redis_url)
    except ValueError as error:
        raise ImproperlyConfigured(f"{error}.") from error
    return "" if address.topology == "cluster" else redis_url


def cache(url: str) -> dict[str, Any]:
    """Return CACHES["default"] for CACHE_URL."""
    address = _parse("CACHE_URL", url)
    config: dict[str, Any] = {
        "BACKEND": "django_redis.cache.RedisCache",
        "LOCATION": url,
        "KEY_PREFIX": "cache",
        "VERSION": 2,  # version 1 was pickled: each release reads its own
        "OPTIONS": {
            "SOCKET_TIMEOUT": 3.0,
            "SOCKET_CONNECT_TIMEOUT": 1.5,
            # Not pickle: whoever can write to the cache must not be able to run code here.
            "SERIALIZER": "django_redis.serializers.json.JSONSerializer",
        },
    }
    if address is not None and address.topology == "sentinel":
        config["LOCATION"] = f"redis://{address.service}/{address.options.get('db', 0)}"
        config["OPTIONS"] |= {
            # One pool, of the primary: a replica may lack what was written a moment ago.
            "CONNECTION_FACTORY": "django_redis.pool.SentinelConnectionFactory",
            "SENTINELS": list(address.hosts),
            "SENTINEL_KWARGS": _ask_once(address),
            "CONNECTION_POOL_KWARGS": _credentials(address),
        }
    return config


def broker(url: str) -> tuple[str, dict[str, Any]]:
    """Return Celery's broker URL and its transport options for CELERY_BROKER_URL."""
    address = _parse("CELERY_BROKER_URL", url)
    if address is None:
        return url, {}
    if address.topology == "single":
        return _one_broker(url, address)
    database = address.options.get("db", 0)
    secret = address.options.get("password")
    login = f"{address.options.get('username') or ''}:{secret}@" if secret else ""
    hosts = ";".join(f"sentinel://{login}{host}:{port}/{database}" for host, port in address.hosts)
    asked = _ask_once(address)
    return hosts, {"master_name": address.service, "sentinel_kwargs": asked}


def _one_broker(url: str, address: RedisAddress) -> tuple[str, dict[str, Any]]:
    """Return the broker's URL and options.

    Celery takes redis-py's options separately from the URL. Only those of TLS are part of the URL.
    """
    parts = urlsplit(url)
    named = dict(parse_qsl(parts.query))
    query = {name: value for name, value in named.items() if name.startswith("ssl_")}
    scheme, path, database = parts.scheme, parts.path, address.options.get("db", 0)
    if scheme == "unix":
        scheme, query["virtual_host"] = "redis+socket", str(database)
    else:
        path = f"/{database}"
    options = {name: address.options[name] for name in _BROKER_OPTIONS & named.keys()}
    return f"{scheme}://{parts.netloc}{path}" + (f"?{urlencode(query)}" if query else ""), options


def _parse(name: str, url: str) -> RedisAddress | None:
    if not url:
        return None  # REDIS_URL is a Cluster: startup.verify() reports missing URLs
    try:
        address = parse_address(url)
    except ValueError as error:
        raise ImproperlyConfigured(f"{error}.".replace("REDIS_URL", name)) from error
    if address.topology == "cluster":
        raise ImproperlyConfigured(
            f"{name} names a Redis Cluster, which only the hot path (REDIS_URL) can use: "
            f"{REMEDY.format(name=name)}."
        )
    if address.topology == "sentinel" and address.tls:
        raise ImproperlyConfigured(
            f"{name}: Sentinel over TLS is for the hot path (REDIS_URL) only: "
            f"use redis+sentinel:// on a private network, or one server with rediss://."
        )
    return address


def _ask_once(address: RedisAddress) -> dict[str, Any]:
    """Return options with which a dead Sentinel is skipped at once, not tried for seconds."""
    return {
        "socket_timeout": 3.0,
        "socket_connect_timeout": 1.5,
        "retry": Retry(NoBackoff(), 0),
    } | (address.sentinel_options)


def _credentials(address: RedisAddress) -> dict[str, Any]:
    return {
        name: address.options[name]
        for name in ("username", "password")
        if address.options.get(name)
    }
