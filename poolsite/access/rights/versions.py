"""A number in Redis for each principal's rights, raised at every change, and the news of it.

Keys: `rights:<kind>:<id>` (STRING, integer). Channel: `rights`, message `<kind>:<id>`.
"""

from typing import Any

from django.db import transaction
from redis.exceptions import RedisError

from poolsite import hotpath

CHANNEL = "rights"
VISIT_VERSION_SECONDS = 2 * 24 * 3600  # longer than a visitor's token lives; users' stay


def key_of(kind: str, identity: str | int) -> str:
    """The Redis key that holds a principal's version."""
    return f"rights:{kind}:{identity}"


def version_of(kind: str, identity: str | int) -> int:
    """The version now; 0 when the rights never changed. Raises when Redis does not answer."""
    return int(_client().get(key_of(kind, identity)) or 0)


def publish(kind: str, identity: str | int) -> None:
    """Raise the version and tell every process. Raises RedisError when Redis does not answer."""
    client = _client()
    key = key_of(kind, identity)
    client.incr(key)
    if kind == "visitor":
        client.expire(key, VISIT_VERSION_SECONDS)
    client.publish(CHANNEL, f"{kind}:{identity}")


def bump(kind: str, identity: str | int) -> None:
    """The same, but never raises: what Redis did not take is repeated by the hub until it does.

    The change itself is committed by now, and a process that cannot hear Redis serves nothing
    from its memory, so the delay harms nobody who is cut off as well.
    """
    from poolsite.access.rights.hub import HUB

    try:
        publish(kind, identity)
    except (RedisError, OSError):
        HUB.publish_later(kind, str(identity))


def changed(kind: str, identity: str | int) -> None:
    """Say that someone's rights change in the current transaction: told after the commit."""
    transaction.on_commit(lambda: bump(kind, identity))


def _client() -> Any:
    return hotpath.client()
