"""Somebody's rights changed: every process hears of it after the commit."""

from django.db import transaction
from redis.exceptions import RedisError

from poolsite.access.rights import versions
from poolsite.access.rights.hub import HUB


def changed(kind: str, identity: str | int) -> None:
    """Announce after the commit that someone's rights change in the current transaction."""
    transaction.on_commit(lambda: bump(kind, identity))


def bump(kind: str, identity: str | int) -> None:
    """`versions.publish`, which never raises: the hub repeats what Redis did not take.

    The change itself is committed by now, and a process that cannot hear Redis serves nothing
    from its memory, so the delay harms nobody who is cut off as well.
    """
    try:
        versions.publish(kind, identity)
    except (RedisError, OSError):
        HUB.publish_later(kind, str(identity))
