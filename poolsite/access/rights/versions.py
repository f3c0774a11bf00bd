"""A version in Redis for each principal's rights, raised and announced at every change.

Keys: `rights:<kind>:<id>` (STRING, integer). Channel: `rights`, message `<kind>:<id>`.
"""

from typing import Any

from poolsite import hotpath

CHANNEL = "rights"
VISIT_VERSION_SECONDS = 2 * 24 * 3600  # longer than a visitor's token lives; users' versions stay


def key_of(kind: str, identity: str | int) -> str:
    """Return the Redis key of a principal's version."""
    return f"rights:{kind}:{identity}"


def version_of(kind: str, identity: str | int) -> int:
    """Return the current version, 0 if the rights never changed. Raise if Redis does not answer."""
    return int(_client().get(key_of(kind, identity)) or 0)


def publish(kind: str, identity: str | int) -> None:
    """Raise the version and notify every process. Raise RedisError if Redis does not answer."""
    client = _client()
    key = key_of(kind, identity)
    client.incr(key)
    if kind == "visitor":
        client.expire(key, VISIT_VERSION_SECONDS)
    client.publish(CHANNEL, f"{kind}:{identity}")


def _client() -> Any:
    return hotpath.client()
