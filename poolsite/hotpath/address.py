"""Parsing of REDIS_URL: one server, a Sentinel group or a Cluster."""

from dataclasses import dataclass, field
from typing import Any, Literal
from urllib.parse import parse_qsl, urlencode, urlsplit

from redis.connection import parse_url as parse_redis_url

Topology = Literal["single", "sentinel", "cluster"]
HostPort = tuple[str, int]

SCHEMES: dict[str, tuple[Topology, str]] = {
    "redis": ("single", "redis"),
    "rediss": ("single", "rediss"),
    "unix": ("single", "unix"),
    "redis+sentinel": ("sentinel", "redis"),
    "rediss+sentinel": ("sentinel", "rediss"),
    "redis+cluster": ("cluster", "redis"),
    "rediss+cluster": ("cluster", "rediss"),
}
DEFAULT_PORTS = {"single": 6379, "sentinel": 26379, "cluster": 6379}
TIMEOUT_SECONDS = 3.0
CONNECT_SECONDS = 1.5
# Options of redis-py that would let it repeat a command without our knowledge.
_REFUSED = ("retry", "retry_on_timeout", "retry_on_error", "protocol", "decode_responses")


@dataclass(frozen=True)
class RedisAddress:
    """Where Redis is. `options` are redis-py's connection arguments, including the password."""

    topology: Topology
    hosts: tuple[HostPort, ...]
    path: str = ""
    service: str = ""
    tls: bool = False
    options: dict[str, Any] = field(default_factory=dict, repr=False)
    sentinel_options: dict[str, Any] = field(default_factory=dict, repr=False)

    def __str__(self) -> str:
        """Return the address without user and password, for messages."""
        where = self.path or ",".join(f"{host}:{port}" for host, port in self.hosts)
        return f"{self.topology} {where}" + (f" ({self.service})" if self.service else "")


def parse_address(url: str) -> RedisAddress:
    """Parse REDIS_URL. Raise ValueError with one clear sentence that doesn't show the password.

    Forms: redis[s]://[user:password@]host[:port][/db], unix://[user:password@]/path[?db=],
    redis[s]+sentinel://[user:password@]host:port,…/service[/db][?sentinel_password=…],
    redis[s]+cluster://[user:password@]host:port,…; options of redis-py follow the `?`.
    """
    scheme, separator, _ = url.partition("://")
    if not separator or scheme not in SCHEMES:
        known = ", ".join(f"{name}://" for name in SCHEMES)
        raise ValueError(f"REDIS_URL must start with one of {known}")
    topology, plain = SCHEMES[scheme]
    parts = urlsplit(url)
    query = dict(parse_qsl(parts.query, keep_blank_values=True))
    refused = sorted(set(_REFUSED) & set(query))
    if refused:
        raise ValueError(f"REDIS_URL must not set {', '.join(refused)}: the hot path decides it")
    sentinel_options = {
        name.removeprefix("sentinel_"): query.pop(name)
        for name in list(query)
        if name.startswith("sentinel_")
    }
    credentials, hosts = _split_hosts(parts.netloc, topology)
    service, database = ("", 0) if plain == "unix" else _split_path(parts.path, topology)
    if plain == "unix":
        location = parts.path
    else:
        host, port = hosts[0]
        location = f"{_bracketed(host)}:{port}/{database}"
    options = _options(f"{plain}://{credentials}{location}", query)
    return RedisAddress(
        topology=topology,
        hosts=() if plain == "unix" else tuple(hosts),
        path=parts.path if plain == "unix" else "",
        service=service,
        tls=plain == "rediss",
        options=options,
        sentinel_options=sentinel_options,
    )


def _split_hosts(netloc: str, topology: Topology) -> tuple[str, list[HostPort]]:
    credentials, at, rest = netloc.rpartition("@")
    hosts = [_host_port(part, DEFAULT_PORTS[topology]) for part in rest.split(",") if part]
    if topology == "single" and len(hosts) > 1:
        raise ValueError("REDIS_URL names several hosts: use redis+sentinel:// or redis+cluster://")
    if topology != "single" and not hosts:
        raise ValueError(f"REDIS_URL names no host of the {topology}")
    return credentials + at, hosts or [("localhost", 6379)]


def _host_port(text: str, default: int) -> HostPort:
    try:
        parts = urlsplit(f"//{text}")
        port = parts.port
    except ValueError as error:
        raise ValueError(f"REDIS_URL: '{text}' is not host:port") from error
    if not parts.hostname:
        raise ValueError(f"REDIS_URL: '{text}' is not host:port")
    return parts.hostname, port or default


def _split_path(path: str, topology: Topology) -> tuple[str, int]:
    """Return Sentinel's service name and the database number."""
    words = [word for word in path.split("/") if word]
    if topology == "sentinel":
        if not words or len(words) > 2:
            raise ValueError("REDIS_URL: redis+sentinel://host:port,…/service/db names no service")
        return words[0], _database(words[1:])
    if topology == "cluster" and _database(words):
        raise ValueError("REDIS_URL: a Cluster has only database 0")
    return "", _database(words)


def _database(words: list[str]) -> int:
    if not words:
        return 0
    if len(words) > 1 or not words[0].isdecimal():
        raise ValueError(f"REDIS_URL: '{'/'.join(words)}' is not a database number")
    return int(words[0])


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _options(url: str, query: dict[str, str]) -> dict[str, Any]:
    """Let redis-py read its own options with their types."""
    options = parse_redis_url(f"{url}?{urlencode(query)}" if query else url)
    for name in ("host", "port", "path", "connection_class"):
        options.pop(name, None)
    options.setdefault("socket_timeout", options.pop("timeout", TIMEOUT_SECONDS))
    options.setdefault("socket_connect_timeout", CONNECT_SECONDS)
    return dict(options)
