"""Notifies every process of changed rights after the commit."""

from django.db import transaction
from redis.exceptions import RedisError

from poolsite.access.rights import versions
from poolsite.access.rights.hub import HUB


def changed(kind: str, identity: str | int) -> None:
    """Announce after the commit that a principal's rights change in the current transaction."""
    transaction.on_commit(lambda: bump(kind, identity))


def bump(kind: str, identity: str | int) -> None:
    """Call `versions.publish`, but never raise: the hub repeats what Redis did not accept.

    The change itself is committed by now. A process that can't receive from Redis serves nothing
    from its cache, so the delay does no harm if that process is cut off, too.
    """
    try:
        versions.publish(kind, identity)
    except (RedisError, OSError):
        HUB.publish_later(kind, str(identity))
