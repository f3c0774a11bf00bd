"""A number in Redis for each principal's rights, raised at every change, and the news of it.

Keys: `rights:<kind>:<id>` (STRING, integer). Channel: `rights`, message `<kind>:<id>`.
"""

from typing import Any

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


def _client() -> Any:
    return hotpath.client()
