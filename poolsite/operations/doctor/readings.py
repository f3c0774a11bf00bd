"""What each Redis server reports about itself, read once for all examinations of a run."""

import threading
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from django.conf import settings
from redis.exceptions import RedisClusterException, RedisError

from poolsite.hotpath import Argument
from poolsite.hotpath.address import RedisAddress, parse_address
from poolsite.hotpath.connection import sync_client
from poolsite.operations.doctor.rights import refused_commands
from poolsite.runtime import startup

MOST_AT_ONCE = 8
HOT = "REDIS_URL"
BILLING = "POOLSITE_BILLING_REDIS_URLS"
CACHE = "CACHE_URL"
TOO_OLD = "too old"
NOT_RUNNING = "the embedded Redis is not running, so no part of the site runs here"


@dataclass(frozen=True)
class Server:
    """The answers of a master. If `error` is set, it did not answer or can't be used.

    uses: the settings that name it. info: the answer to INFO. aclfile: None if it isn't shown to
    us. refused: the commands we need that its user may not run; None if it can't tell. ahead,
    vague: how far its clock is ahead of ours and the error of that measurement (±), in seconds.
    """

    label: str
    uses: tuple[str, ...]
    node: str = ""
    error: str = ""
    info: Mapping[str, Any] = field(default_factory=dict)
    appendfsync: str | None = None
    aclfile: str | None = None
    users: tuple[str, ...] = ()
    user: str = ""
    refused: tuple[str, ...] | None = None
    ahead: float = 0.0
    vague: float = 0.0

    @property
    def name(self) -> str:
        """The first setting that names it, and its node in a Cluster. `label` has all settings."""
        return f"{self.uses[0]} {self.node}".strip()

    @property
    def is_hot(self) -> bool:
        """Whether it decides about calls, queues, permits and money."""
        return any(use == HOT or use.startswith(BILLING) for use in self.uses)

    @property
    def is_cache_only(self) -> bool:
        return self.uses == (CACHE,)


_LOCK = threading.Lock()
_known: list[Server] | None = None


def servers() -> list[Server]:
    """Return every master of every setting, including those that don't answer."""
    global _known
    with _LOCK:
        if _known is None:
            with ThreadPoolExecutor(MOST_AT_ONCE, thread_name_prefix="doctor-redis") as threads:
                read = threads.map(lambda pair: list(_read(*pair)), _addresses().items())
                _known = [server for servers in read for server in servers]
        return _known


def forget() -> None:
    """Forget the answers, so that the servers are read again."""
    global _known
    _known = None


def _addresses() -> dict[str, tuple[str, ...]]:
    """Return each server's URL with the settings that name it, whatever database they use."""
    named = {
        HOT: settings.REDIS_URL,
        CACHE: settings.CACHE_URL,
        "CELERY_BROKER_URL": settings.BROKER_ADDRESS,
    }
    named |= {f"{BILLING} {name}": url for name, url in settings.BILLING_REDIS_URLS.items()}
    uses: dict[str, tuple[str, list[str]]] = {}
    for name, url in named.items():
        if url:  # empty: the hot path is a Cluster, and `settings` reports it
            uses.setdefault(_identity(url), (url, []))[1].append(name)
    return {url: tuple(names) for url, names in uses.values()}


def _identity(url: str) -> str:
    """Return a key that is the same for all URLs of one server and user."""
    try:
        address = parse_address(url)
    except ValueError:
        return url
    return f"{address} {address.options.get('username') or ''}"


def _read(url: str, uses: tuple[str, ...]) -> Iterator[Server]:
    names = ", ".join(uses)
    try:
        address = parse_address(url)
    except ValueError as error:
        yield Server(names, uses, error=str(error))
        return
    label = f"{names} ({address})"
    try:
        with sync_client(address) as client:
            if address.topology == "cluster":
                for node in client.get_primaries():
                    each = client.get_redis_connection(node)
                    yield _answered(f"{label} {node.name}", uses, each, node.name)
            else:
                yield _answered(label, uses, client)
    except (RedisError, RedisClusterException, OSError) as error:
        yield Server(label, uses, error=_why(address, error))


def _why(address: RedisAddress, error: Exception) -> str:
    if address.path == str(settings.EMBEDDED_REDIS_SOCKET):
        return NOT_RUNNING
    return str(error) or type(error).__name__


def _answered(label: str, uses: tuple[str, ...], client: Any, node: str = "") -> Server:
    info = client.info()
    if [*startup.version_refusals(label, info)]:  # it doesn't know all commands below
        return Server(label, uses, node, error=TOO_OLD, info=info)
    began = time.time()
    seconds, microseconds = client.time()
    ended = time.time()
    user = _asked(client, "ACL", "WHOAMI")
    return Server(
        label,
        uses,
        node,
        info=info,
        appendfsync=_setting(client, "appendfsync"),
        aclfile=_setting(client, "aclfile"),
        users=tuple(_asked(client, "ACL", "USERS") or ()),
        user=str(user or ""),
        refused=refused_commands(client, user) if user else None,
        ahead=seconds + microseconds / 1e6 - (began + ended) / 2,
        vague=(ended - began) / 2,
    )


def _setting(client: Any, name: str) -> str | None:
    found = _asked(client, "CONFIG GET", name)
    return None if found is None else str(found.get(name, ""))


def _asked(client: Any, *words: Argument) -> Any:
    """Return the answer, or None if the server doesn't know the command or refuses it."""
    try:
        return client.execute_command(*words)
    except RedisError:
        return None
